/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.EventStreams;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
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

  private static final int MOST_STREAMS = 200;

  /** How often a stream asks whether its user may still receive it. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  private final Frames frames;
  private final EventStreams streams;

  /**
   * @param mostOfUser how many streams a user may have open
   */
  StreamController(Frames frames, int mostOfUser) {
    this.frames = frames;
    streams = new EventStreams(MOST_STREAMS, mostOfUser);
  }

  @GetMapping("/snapshot")
  ResponseEntity<byte[]> snapshot() {
    Frames.Frame frame =
        frames
            .latest()
            .orElseThrow(
                () -> new Problem(ProblemType.UNAVAILABLE, "Not sampled yet; retry in a second."));
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(frame.json());
  }

  @GetMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void stream(HttpServletRequest request, HttpServletResponse response)
      throws InterruptedException {
    streams.serve(request, response, this::write);
  }

  private void write(EventStreams.Stream stream) throws IOException, InterruptedException {
    stream.begin();
    long seq = 0;
    while (stream.mayContinue()) {
      Optional<Frames.Frame> next = frames.after(seq, CHECK);
      if (frames.isClosed() || !stream.mayContinue()) {
        return;
      }
      if (next.isPresent()) {
        seq = next.get().seq();
        stream.event("snapshot", Long.toString(seq), next.get().json());
      }
      stream.flush();
    }
  }
}
