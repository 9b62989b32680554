/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.Caller;
import io.forebay.admin.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.KnownCaller;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The snapshot, once and as a stream of events. The virtual thread of its request writes each
 * stream: it sends the latest frame whenever the client has received the previous one.
 */
@RestController
@RequestMapping("/admin/api/v1")
final class StreamController {

  private static final int MOST_STREAMS = 200;
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  /** How often a stream asks whether its user may still receive it. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  /** After this time the client must reconnect, so that its rights are checked again. */
  private static final Duration LONGEST = Duration.ofMinutes(15);

  private final Frames frames;
  private final int mostOfUser;
  private final Semaphore streams = new Semaphore(MOST_STREAMS);
  private final Map<String, Integer> byUser = new ConcurrentHashMap<>();

  /**
   * @param mostOfUser how many streams a user may have open
   */
  StreamController(Frames frames, int mostOfUser) {
    this.frames = frames;
    this.mostOfUser = mostOfUser;
  }

  @GetMapping("/snapshot")
  ResponseEntity<byte[]> snapshot() {
    Frames.Frame frame =
        frames
            .latest()
            .orElseThrow(() -> Refused.unavailable("Not sampled yet; retry in a second."));
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(frame.json());
  }

  @GetMapping("/stream")
  void stream(HttpServletRequest request, HttpServletResponse response)
      throws IOException, InterruptedException {
    Actor actor = Caller.of(request);
    String user = actor.kind().text() + ' ' + actor.name();
    if (byUser.merge(user, 1, Integer::sum) > mostOfUser) {
      leave(user);
      throw Refused.tooManySubscribers(
          "This user has too many streams open (limit=%d); close a browser, or end a session"
              .formatted(mostOfUser));
    }
    try {
      stream(request.getUserPrincipal(), response);
    } finally {
      leave(user);
    }
  }

  private void leave(String user) {
    byUser.computeIfPresent(user, (_, open) -> open == 1 ? null : open - 1);
  }

  private void stream(Principal user, HttpServletResponse response)
      throws IOException, InterruptedException {
    if (!streams.tryAcquire()) {
      throw Refused.unavailable("Too many streams are open (limit=%d).".formatted(MOST_STREAMS));
    }
    try {
      response.setContentType("text/event-stream;charset=UTF-8");
      response.setHeader("Cache-Control", "no-store");
      response.setHeader("X-Accel-Buffering", "no");
      write(response.getOutputStream(), user);
    } catch (IOException _) {
      // The client has disconnected.
    } finally {
      streams.release();
    }
  }

  private void write(ServletOutputStream out, Principal user)
      throws IOException, InterruptedException {
    out.write(ascii("retry: 2000\n\n"));
    out.flush();
    long begun = System.nanoTime();
    long seq = 0;
    long spoke = begun;
    while (System.nanoTime() - begun < LONGEST.toNanos()) {
      Optional<Frames.Frame> next = frames.after(seq, CHECK);
      if (frames.isClosed() || !KnownCaller.isStillAdmitted(user)) {
        return;
      }
      if (next.isPresent()) {
        seq = next.get().seq();
        out.write(ascii("event: snapshot\nid: " + seq + "\ndata: "));
        out.write(next.get().json());
        out.write(ascii("\n\n"));
      }
      if (System.nanoTime() - spoke >= HEARTBEAT.toNanos()) {
        out.write(ascii(": hb\n\n"));
        spoke = System.nanoTime();
      }
      out.flush();
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
