/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.Caller;
import io.forebay.operations.Actor;
import io.forebay.operations.KnownCaller;
import io.forebay.web.ForebayController;
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
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/**
 * The snapshot, once and as a stream of events: it sends the latest frame whenever the client has
 * received the previous one.
 */
@ForebayController
@RequestMapping("/admin/api/v1")
final class StreamController {

  /** How many streams a user may have open. */
  static final int MOST_OF_USER = 20;

  private static final int MOST_STREAMS = 200;
  private static final Duration RETRY = Duration.ofSeconds(5);

  /** After this time the client must reconnect, so that its rights are checked again. */
  private static final Duration LONGEST = Duration.ofMinutes(15);

  /** How often a stream asks whether its user may still receive it. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  private final Frames frames;
  private final Map<String, Integer> byUser = new HashMap<>();
  private int open;

  StreamController(Frames frames) {
    this.frames = frames;
  }

  @GetMapping("/snapshot")
  ResponseEntity<byte[]> snapshot() {
    Frames.Frame frame =
        frames
            .latest()
            .orElseThrow(
                () -> new Problem(ProblemType.UNAVAILABLE, "Not sampled yet; retry in a second."));
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(frame.json().obtain());
  }

  /** The virtual thread of the request writes the stream, until the client disconnects. */
  @GetMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void stream(HttpServletRequest request, HttpServletResponse response)
      throws InterruptedException {
    Actor actor = Caller.of(request);
    String user = actor.kind().text() + ' ' + actor.name();
    enter(user);
    try {
      write(response, request.getUserPrincipal());
    } catch (IOException _) {
      // The client has disconnected.
    } finally {
      leave(user);
    }
  }

  private synchronized void enter(String user) {
    if (byUser.getOrDefault(user, 0) >= MOST_OF_USER) {
      throw new Problem(
              ProblemType.TOO_MANY_SUBSCRIBERS,
              "This user has too many streams open (limit=%d); close a browser, or end a session."
                  .formatted(MOST_OF_USER))
          .retryAfter(RETRY);
    }
    if (open >= MOST_STREAMS) {
      throw new Problem(
          ProblemType.UNAVAILABLE, "Too many streams are open (limit=%d).".formatted(MOST_STREAMS));
    }
    open++;
    byUser.merge(user, 1, Integer::sum);
  }

  private synchronized void leave(String user) {
    open--;
    byUser.computeIfPresent(user, (_, mine) -> mine == 1 ? null : mine - 1);
  }

  private void write(HttpServletResponse response, @Nullable Principal user)
      throws IOException, InterruptedException {
    response.setContentType("text/event-stream;charset=UTF-8");
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Accel-Buffering", "no");
    ServletOutputStream out = response.getOutputStream();
    out.write(ascii("retry: 2000\n\n"));
    out.flush();
    long begun = System.nanoTime();
    long seq = 0;
    while (System.nanoTime() - begun < LONGEST.toNanos()) {
      Optional<Frames.Frame> next = frames.after(seq, CHECK);
      if (frames.isClosed() || !KnownCaller.isStillAdmitted(user)) {
        return;
      }
      if (next.isPresent()) {
        seq = next.get().seq();
        byte[] json = next.get().json().obtain();
        out.write(ascii("event: snapshot\nid: " + seq + "\ndata: "));
        out.write(json);
        out.write(ascii("\n\n"));
      } else {
        out.write(ascii(": none\n\n")); // shows a lost client
      }
      out.flush();
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
