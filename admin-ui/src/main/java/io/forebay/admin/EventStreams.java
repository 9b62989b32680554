/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.Actor;
import io.forebay.operations.KnownCaller;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Streams of server-sent events of one kind: how many are open at a time, and how they are written.
 * The virtual thread of its request writes each stream. Thread-safe.
 */
public final class EventStreams {

  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  /** After this time the client must reconnect, so that its rights are checked again. */
  private static final Duration LONGEST = Duration.ofMinutes(15);

  private final int most;
  private final int mostOfUser;
  private final Map<String, Integer> byUser = new HashMap<>();
  private int open;

  /**
   * @param most how many may be open
   * @param mostOfUser how many a user may have open
   */
  public EventStreams(int most, int mostOfUser) {
    this.most = most;
    this.mostOfUser = mostOfUser;
  }

  /** Writes one stream; returns when it ends. */
  @FunctionalInterface
  public interface Body {
    void write(Stream stream) throws IOException, InterruptedException;
  }

  /**
   * Writes a stream to the client, until the body returns or the client disconnects.
   *
   * @throws Problem if too many streams are open
   */
  public void serve(HttpServletRequest request, HttpServletResponse response, Body body)
      throws InterruptedException {
    Actor actor = Caller.of(request);
    String user = actor.kind().text() + ' ' + actor.name();
    enter(user);
    try {
      body.write(new Stream(response, request.getUserPrincipal()));
    } catch (IOException _) {
      // The client has disconnected.
    } finally {
      leave(user);
    }
  }

  private synchronized void enter(String user) {
    if (open >= most || byUser.getOrDefault(user, 0) >= mostOfUser) {
      throw refusal(user);
    }
    open++;
    byUser.merge(user, 1, Integer::sum);
  }

  private Problem refusal(String user) {
    return byUser.getOrDefault(user, 0) >= mostOfUser
        ? new Problem(
                ProblemType.TOO_MANY_SUBSCRIBERS,
                "This user has too many streams open (limit=%d); close a browser, or end a session"
                    .formatted(mostOfUser))
            .retryAfter(RETRY)
        : new Problem(
            ProblemType.UNAVAILABLE, "Too many streams are open (limit=%d).".formatted(most));
  }

  private synchronized void leave(String user) {
    open--;
    byUser.computeIfPresent(user, (_, mine) -> mine == 1 ? null : mine - 1);
  }

  /** One stream. For one thread. */
  public static final class Stream {

    private final HttpServletResponse response;
    private final @Nullable Principal user;
    private final long begun = System.nanoTime();
    private long spoke = begun;
    private @Nullable ServletOutputStream out;

    Stream(HttpServletResponse response, @Nullable Principal user) {
      this.response = response;
      this.user = user;
    }

    /** Whether its time is not over, and its user may still receive it. */
    public boolean mayContinue() {
      return System.nanoTime() - begun < LONGEST.toNanos() && KnownCaller.isStillAdmitted(user);
    }

    /** Begins the answer; until then, the request can still be refused. */
    public void begin() throws IOException {
      response.setContentType("text/event-stream;charset=UTF-8");
      response.setHeader("Cache-Control", "no-store");
      response.setHeader("X-Accel-Buffering", "no");
      out = response.getOutputStream();
      out.write(ascii("retry: 2000\n\n"));
      out.flush();
    }

    /**
     * @param id of the event; empty for none
     * @param json on one line
     */
    public void event(String name, String id, byte[] json) throws IOException {
      ServletOutputStream to = open();
      to.write(ascii("event: " + name + (id.isEmpty() ? "" : "\nid: " + id) + "\ndata: "));
      to.write(json);
      to.write(ascii("\n\n"));
    }

    /** Sends what was written, and from time to time a comment, which shows a lost client. */
    public void flush() throws IOException {
      if (System.nanoTime() - spoke >= HEARTBEAT.toNanos()) {
        open().write(ascii(": hb\n\n"));
        spoke = System.nanoTime();
      }
      open().flush();
    }

    private ServletOutputStream open() {
      if (out == null) {
        throw new IllegalStateException("the stream has not begun");
      }
      return out;
    }

    private static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }
  }
}
