/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.body.LineReader;
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.ledger.StreamProgress;
import io.forebay.jdbc.ledger.StreamState;
import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.HandlerMapping;

/** Accepts streams of statements, and says how far a stream is. Thread-safe. */
final class StreamResource {

  static final String TYPE = "application/x-ndjson";

  private static final MediaType NDJSON = MediaType.parseMediaType(TYPE);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);

  /** Each look is a query to the database. */
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(320);

  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration DATABASE_RETRY = Duration.ofSeconds(5);
  private static final Logger log = LoggerFactory.getLogger(StreamResource.class);

  private final Gateways gateways;
  private final DoorProperties limits;
  private final ByteBudget budget;
  private final WaitingRequests waiting;
  private final Callers callers;
  private final Semaphore places;

  StreamResource(
      Gateways gateways,
      DoorProperties limits,
      ByteBudget budget,
      WaitingRequests waiting,
      Callers callers) {
    this.gateways = gateways;
    this.limits = limits;
    this.budget = budget;
    this.waiting = waiting;
    this.callers = callers;
    places = new Semaphore(limits.maxStreams());
  }

  /** Whether the body of a request is a stream. */
  static boolean isStream(HttpServletRequest request) {
    String type = request.getContentType();
    if (type == null || type.equals("application/json")) {
      return false;
    }
    try {
      return NDJSON.equalsTypeAndSubtype(MediaType.parseMediaType(type));
    } catch (InvalidMediaTypeException _) {
      return false;
    }
  }

  /** Sends a statement for each line of the body, to a gateway. */
  void send(
      HttpServletRequest request,
      HttpServletResponse response,
      DoorCaller caller,
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
    try (LineReader in = new LineReader(request.getInputStream(), limits.maxBodyBytes(), budget)) {
      response.setStatus(200);
      response.setContentType(TYPE);
      response.setHeader("Cache-Control", "no-store");
      response.setHeader(
          "Location",
          "%s%s/%s?gateway=%s"
              .formatted(
                  request.getContextPath(),
                  DoorAutoConfiguration.STREAMS,
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
                gateway.streams().lines(caller.name(), options.name()),
                options,
                callers.of(caller.name()),
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

  /**
   * Says how far a stream of this caller is; with {@code ?wait=} as soon as {@code performed} lines
   * are.
   */
  void get(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DoorCaller caller = DoorCaller.of(request);
    String stream = name(request);
    DoorGateway gateway = gateways.find(Query.parameter(request, "gateway"), caller.name());
    if (gateway == null) {
      throw unknown();
    }
    long wanted = Query.number(request, "performed", 0, Long.MAX_VALUE, 0);
    Supplier<StreamState> read = () -> read(gateway, caller, stream);
    StreamState state;
    try (WaitingRequests.Place place = waiting.enter(request)) {
      state = await(place, wanted, read);
    }
    if (state.isUnknown()) {
      throw unknown();
    }
    JsonResponse.write(response, write(stream, gateway, state));
  }

  private static byte[] write(String stream, DoorGateway gateway, StreamState state) {
    return JsonResponse.bytes(out -> {
      out.writeStartObject();
      out.writeStringProperty("stream", stream);
      out.writeStringProperty("gateway", gateway.name());
      out.writeNumberProperty("done", state.done());
      out.writeNumberProperty("failed", state.failed());
      out.writeNumberProperty("repeated", state.repeated());
      out.writeArrayPropertyStart("partitions");
      for (StreamProgress each : state.partitions()) {
        out.writeStartObject();
        out.writeNumberProperty("partition", each.partition());
        out.writeNumberProperty("line", each.line());
        out.writeEndObject();
      }
      out.writeEndArray();
      out.writeEndObject();
    });
  }

  private static StreamState await(
      WaitingRequests.Place place, long wanted, Supplier<StreamState> read) {
    long deadline = System.nanoTime() + place.time().toNanos();
    Duration pause = SHORTEST_PAUSE;
    while (true) {
      StreamState found = read.get();
      if (found.performed() >= Math.max(1, wanted)
          || System.nanoTime() - deadline >= 0
          || place.isOver()) {
        return found;
      }
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return found;
      }
      pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : pause;
    }
  }

  private static StreamState read(DoorGateway gateway, DoorCaller caller, String stream) {
    try {
      return gateway.results().stream(caller.name(), stream);
    } catch (Unavailable e) {
      throw new Problem(
              ProblemType.DATABASE_UNAVAILABLE,
              "The progress of streams is stored in the database, which is not responding; retry later")
          .retryAfter(DATABASE_RETRY);
    }
  }

  private static Problem unknown() {
    return new Problem(
        ProblemType.UNKNOWN_STREAM,
        "No line of a stream of this name was performed for this caller, or it has expired");
  }

  private static String name(HttpServletRequest request) {
    @Nullable Object variables =
        request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    return String.valueOf(((Map<?, ?>) Objects.requireNonNull(variables)).get("name"));
  }
}
