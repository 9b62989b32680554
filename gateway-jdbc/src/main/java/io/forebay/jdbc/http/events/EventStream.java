/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.events;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;

/**
 * A response of server-sent events, as the WHATWG HTML standard defines them in section 9.2. It
 * ends after {@link #LONGEST}: the client reconnects automatically, and its credentials are checked
 * again. For one thread.
 */
public final class EventStream {

  private static final String TYPE = "text/event-stream";

  /** How long a client is to wait before it connects again. */
  private static final byte[] RETRY = "retry: 1000\n\n".getBytes(UTF_8);

  static final Duration LONGEST = Duration.ofMinutes(10);

  /** How often an event stream without results shows that it is alive. */
  static final Duration SIGN = Duration.ofSeconds(10);

  private final ServletOutputStream out;
  private final long endNanos;
  private long signNanos;

  private EventStream(ServletOutputStream out, Duration longest) {
    this.out = out;
    this.endNanos = System.nanoTime() + longest.toNanos();
  }

  /** Whether a request asks for events. */
  public static boolean isAsked(HttpServletRequest request) {
    String accept = request.getHeader("Accept");
    return accept != null && accept.contains(TYPE);
  }

  /** Sends the head of the response. */
  public static EventStream begin(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setStatus(200);
    response.setContentType(TYPE);
    response.setCharacterEncoding(UTF_8.name());
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Accel-Buffering", "no"); // nginx collects responses otherwise
    EventStream stream =
        new EventStream(
            response.getOutputStream(),
            request.getMethod().equals("HEAD") ? Duration.ZERO : LONGEST);
    stream.out.write(RETRY);
    return stream;
  }

  /** Sends an event now. Also a sign of life. */
  public void event(String name, byte[] data) throws IOException {
    out.write(("event: " + name + "\ndata: ").getBytes(UTF_8));
    out.write(data);
    out.write('\n');
    out.write('\n');
    out.flush();
    signNanos = System.nanoTime() + SIGN.toNanos();
  }

  /** Says where the client is to continue, without an event. Also a sign of life. */
  public void position(String id) throws IOException {
    out.write(("id: " + id + "\n\n").getBytes(UTF_8));
    out.flush();
    signNanos = System.nanoTime() + SIGN.toNanos();
  }

  public boolean isSignDue() {
    return System.nanoTime() - signNanos >= 0;
  }

  public boolean isOver() {
    return System.nanoTime() - endNanos >= 0;
  }
}
