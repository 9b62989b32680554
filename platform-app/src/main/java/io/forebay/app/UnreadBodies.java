/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.security.CallerSecurity;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.buf.ByteChunk;
import org.apache.tomcat.util.http.parser.MediaType;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * Limits the time for a body that an unknown client sends: a form, which the server reads whole, or
 * the rest of a body that nobody reads, such as that of a refused request. Tomcat reads that before
 * it ends the connection, so that the client can read the response, and would wait up to the
 * connection time-out for each byte of it.
 */
final class UnreadBodies extends ValveBase {

  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** Tomcat cannot read a part of a chunk without waiting; but the client can read the response. */
  private static final Duration LONGEST_CHUNKED = Duration.ofSeconds(1);

  private static final int PAUSE_MILLIS = 100;

  /** A login is shorter. */
  private static final int LARGEST_FORM = 4_096;

  UnreadBodies() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (isForm(request)) {
      long length = request.getContentLengthLong();
      if (length < 0 || length > LARGEST_FORM) {
        response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
      } else if (!hasArrived(request)) {
        response.sendError(HttpServletResponse.SC_REQUEST_TIMEOUT);
      }
    }
    getNext().invoke(request, response); // only writes the error, if there is one
    if (!request.isAsync() && !request.isFinished() && !CallerSecurity.hasIdentified(request)) {
      response.finishResponse();
      skip(request, request.getContentLengthLong() < 0);
    }
  }

  /** Whether Tomcat would read it for its parameters. */
  private static boolean isForm(Request request) {
    return "POST".equals(request.getMethod()) // null if it could not be read
        && "application/x-www-form-urlencoded"
            .equals(MediaType.parseMediaTypeOnly(request.getContentType()));
  }

  /** Reads the form, for those who read it later. */
  private static boolean hasArrived(Request request) throws IOException {
    org.apache.coyote.Request body = request.getCoyoteRequest();
    int length = request.getContentLength();
    long end = System.nanoTime() + LONGEST.toNanos();
    ByteChunk form = new ByteChunk();
    Skipped read = new Skipped();
    while (form.getLength() < length) {
      body.action(ActionCode.AVAILABLE, true); // without waiting
      if (body.getAvailable() > 0) {
        int count = Math.max(0, body.doRead(read));
        byte[] bytes = new byte[count];
        read.getByteBuffer().get(bytes);
        form.append(bytes, 0, count);
      } else if (System.nanoTime() > end || !paused()) {
        return false;
      }
    }
    body.action(ActionCode.REQ_SET_BODY_REPLAY, form);
    return true;
  }

  private static void skip(Request request, boolean chunked) throws IOException {
    org.apache.coyote.Request body = request.getCoyoteRequest();
    long begin = System.nanoTime();
    long end = begin + (chunked ? LONGEST_CHUNKED : LONGEST).toNanos();
    long lastPause = Math.min(end, body.getStartTimeNanos() + LONGEST.toNanos());
    Skipped skipped = new Skipped();
    long now = begin;
    while (!request.isFinished() && now < end) {
      body.action(ActionCode.AVAILABLE, true); // without waiting
      if (!chunked && body.getAvailable() > 0) {
        body.doRead(skipped);
      } else if (now > lastPause || !paused()) {
        break;
      }
      now = System.nanoTime();
    }
    if (!request.isFinished()) {
      body.action(ActionCode.DISABLE_SWALLOW_INPUT, null); // closes the connection
    }
  }

  /** Waits a moment; returns false if the server stops. */
  private static boolean paused() {
    try {
      Thread.sleep(PAUSE_MILLIS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static final class Skipped implements ApplicationBufferHandler {

    private ByteBuffer buffer = ByteBuffer.allocate(0);

    @Override
    public void setByteBuffer(ByteBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public ByteBuffer getByteBuffer() {
      return buffer;
    }

    @Override
    public void expand(int size) {
      // the server brings its own buffer
    }
  }
}
