/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.http.body.LineReader;
import io.forebay.jdbc.http.limit.Caller;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;

/** Accepts streams of statements. Thread-safe. */
final class Streams {

  private static final Logger log = LoggerFactory.getLogger(Streams.class);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final DoorProperties limits;
  private final WaitingRequests waiting;
  private final Semaphore places;

  Streams(DoorProperties limits, WaitingRequests waiting) {
    this.limits = limits;
    this.waiting = waiting;
    places = new Semaphore(limits.maxStreams());
  }

  /** Sends a statement for each line of the body, to a gateway. */
  void send(
      HttpServletRequest request,
      HttpServletResponse response,
      DoorCaller caller,
      Caller limited,
      DoorGateway gateway,
      StreamRequest.Statements statements)
      throws IOException {
    StreamOptions options = StreamOptions.of(request, gateway, limits.maxBodyBytes());
    if (!places.tryAcquire()) {
      throw new Problem(
              ProblemType.TOO_MANY_STREAMS,
              "Too many streams are sent at the same time (limit=%,d); nothing was accepted; retry later"
                  .formatted(limits.maxStreams()))
          .retryAfter(RETRY);
    }
    try (LineReader in = new LineReader(request.getInputStream(), limits.maxBodyBytes(), limited.bodies())) {
      response.setStatus(200);
      response.setContentType(MediaType.APPLICATION_NDJSON_VALUE);
      response.setHeader("Cache-Control", "no-store");
      response.setHeader(
          "Location",
          "%s%s/%s?gateway=%s"
              .formatted(
                  request.getContextPath(),
                  StreamsController.PATH,
                  options.name(),
                  gateway.name()));
      response.flushBuffer(); // a sender that gave no name knows it before anything is accepted
      StreamAnswer out = new StreamAnswer(request, response, options);
      try {
        new StreamRequest(
                statements,
                gateway,
                in,
                out,
                gateway.lines(caller.name(), options.name()),
                options,
                limited,
                limits.acceptTimeout(),
                () -> !waiting.isRunning(),
                caller::isStillAdmitted)
            .run();
      } catch (RuntimeException e) {
        log.error("The stream {} of {} failed", options.name(), caller.name(), e);
        // The sender learns from the missing last line that the stream is not complete.
        throw new IOException("the stream failed", e);
      }
    } finally {
      places.release();
    }
  }
}
