/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.http.body.LineReader;
import io.forebay.jdbc.http.limit.Caller;
import io.forebay.jdbc.http.limit.Permits;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;

/** Accepts streams of statements. Thread-safe. */
final class Streams {

  private static final Logger log = LoggerFactory.getLogger(Streams.class);

  private final int maxLine;
  private final Duration acceptTimeout;
  private final WaitingRequests waiting;
  private final Permits permits;

  Streams(DoorProperties properties, DoorLimits limits, WaitingRequests waiting) {
    maxLine = properties.maxBodyBytes();
    acceptTimeout = limits.acceptTimeout();
    this.waiting = waiting;
    permits =
        new Permits(
            limits.streams(),
            ProblemType.TOO_MANY_STREAMS,
            "Too many streams are sent at the same time (limit=%,d); nothing was accepted; retry later");
  }

  /** How long the queue may refuse or not acknowledge lines. */
  Duration patience() {
    return acceptTimeout;
  }

  boolean isStopping() {
    return !waiting.isRunning();
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
    StreamOptions options = StreamOptions.of(request, gateway, maxLine);
    try (Permits.Permit _ = permits.take();
        LineReader in = new LineReader(request.getInputStream(), maxLine, limited.bodies())) {
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
      new StreamRequest(this, options, statements, caller, limited, in, out).run();
    } catch (Problem e) {
      throw e; // nothing was accepted
    } catch (RuntimeException e) {
      log.error("The stream {} of {} failed", options.name(), caller.name(), e);
      // The sender learns from the missing last line that the stream is not complete.
      throw new IOException("the stream failed", e);
    }
  }
}
