/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.security.CallerSecurity;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * Limits the time for the rest of a body that an unknown client sends and nobody reads, such as
 * that of a refused request. Tomcat reads it before it ends the connection, so that the client can
 * read the response, and would wait up to the connection time-out for each byte of it.
 */
final class UnreadBodies extends ValveBase {

  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** Tomcat cannot read a part of a chunk without waiting; but the client can read the response. */
  private static final Duration LONGEST_CHUNKED = Duration.ofSeconds(1);

  private static final int PAUSE_MILLIS = 100;

  UnreadBodies() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    getNext().invoke(request, response);
    if (!request.isAsync() && !request.isFinished() && !CallerSecurity.hasIdentified(request)) {
      response.finishResponse();
      skip(request, request.getContentLengthLong() < 0);
    }
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
