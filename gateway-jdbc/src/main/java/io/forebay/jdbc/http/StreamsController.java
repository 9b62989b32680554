/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.http.limit.Permits;
import io.forebay.jdbc.ledger.StreamProgress;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** Says how far a stream is. Thread-safe. */
@ForebayController
final class StreamsController {

  static final String PATH = "/api/v1/streams";

  /** Each look is a query to the database. */
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(320);

  private final Gateways gateways;
  private final WaitingRequests waiting;
  private final Callers callers;

  StreamsController(Gateways gateways, WaitingRequests waiting, Callers callers) {
    this.gateways = gateways;
    this.waiting = waiting;
    this.callers = callers;
  }

  private record Progress(
      String stream,
      String gateway,
      long done,
      long failed,
      long repeated,
      List<Partition> partitions) {}

  private record Partition(int partition, long line) {}

  /**
   * Says how far a stream of this caller is; with {@code ?wait=} as soon as {@code performed} lines
   * are.
   */
  @GetMapping(StreamsController.PATH + "/{name}")
  void progress(
      @PathVariable String name,
      @Nullable Principal principal,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    Progress progress;
    try (Permits.Permit _ = callers.of(caller.name()).enter()) {
      progress = progress(name, caller, request);
    }
    JsonDocuments.write(response, 200, progress);
  }

  private Progress progress(String name, DoorCaller caller, HttpServletRequest request) {
    DoorGateway gateway = gateways.find(Query.parameter(request, "gateway"), caller.name());
    if (gateway == null) {
      throw unknown();
    }
    long wanted = Math.max(1, Query.number(request, "performed", 0, Long.MAX_VALUE, 0));
    List<StreamProgress> partitions;
    try (WaitingRequests.Permit permit = waiting.enter(request)) {
      partitions =
          permit.await(
              new Pauses(LONGEST_PAUSE),
              () -> gateway.results().stream(caller.name(), name),
              it -> sum(it, StreamProgress::performed) >= wanted);
    }
    if (partitions.isEmpty()) {
      throw unknown();
    }
    return new Progress(
        name,
        gateway.name(),
        sum(partitions, StreamProgress::done),
        sum(partitions, StreamProgress::failed),
        sum(partitions, StreamProgress::repeated),
        partitions.stream().map(it -> new Partition(it.partition(), it.line())).toList());
  }

  private static long sum(List<StreamProgress> partitions, ToLongFunction<StreamProgress> of) {
    return partitions.stream().mapToLong(of).sum();
  }

  private static Problem unknown() {
    return new Problem(
        ProblemType.UNKNOWN_STREAM,
        "No line of a stream of this name was performed for this caller, or it has expired");
  }
}
