/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.call.UndecodableMessage;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.http.limit.Permits;
import io.forebay.jdbc.results.PublishedResult;
import io.forebay.jdbc.results.ResultCursor;
import io.forebay.jdbc.results.ResultCursor.Polled;
import io.forebay.jdbc.results.ResultsExpired;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.machine.Machine;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.util.ByteArrayBuilder;

/** Returns all results of a caller from a position on, in pages. Thread-safe. */
@ForebayController
final class ResultPagesController {

  private static final int MOST_IN_PAGE = 10_000;
  private static final int USUAL_IN_PAGE = 1_000;
  private static final int PAGE_BYTES = 1 << 20;

  /** The caller continues a longer search with the next request. */
  private static final Duration LONGEST_SEARCH = Duration.ofSeconds(5);

  private final Gateways gateways;
  private final WaitingRequests waiting;
  private final Callers callers;
  private final ByteBudget budget;
  private final Permits lookUps;

  ResultPagesController(
      Gateways gateways,
      WaitingRequests waiting,
      Callers callers,
      ByteBudget budget,
      @Qualifier("forebayLookUps") Permits lookUps) {
    this.gateways = gateways;
    this.waiting = waiting;
    this.callers = callers;
    this.budget = budget;
    this.lookUps = lookUps;
  }

  @GetMapping(ResultsController.PATH)
  void page(@Nullable Principal principal, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    try (Permits.Permit slot = callers.of(caller.name()).enter();
        WaitingRequests.Permit permit = waiting.enter(request);
        ByteBudget.Share _ = budget.demand(2 * PAGE_BYTES, ResultsController.TOO_MANY_BYTES)) {
      byte[] page = page(caller.name(), permit, request);
      slot.close(); // the next request of the caller finds it free
      JsonDocuments.write(response, 200, page);
    }
  }

  private byte[] page(String caller, WaitingRequests.Permit permit, HttpServletRequest request) {
    DoorGateway gateway = gateways.find(Query.parameter(request, "gateway"), caller);
    if (gateway == null) {
      throw Problem.invalid("There is no such gateway");
    }
    int limit = (int) Query.number(request, "limit", 1, MOST_IN_PAGE, USUAL_IN_PAGE);
    try (Page page = new Page(gateway, Query.parameter(request, "stream"), limit);
        ResultCursor cursor = open(gateway, caller, Query.parameter(request, "from"))) {
      return permit
          .await(
              deadline -> cursor.await(Duration.ofNanos(deadline - Machine.nanos())),
              () -> search(cursor, page),
              found -> !found.isEmpty() || cursor.isOver())
          .end(cursor.position());
    }
  }

  private Page search(ResultCursor cursor, Page page) {
    long end = Machine.nanos() + LONGEST_SEARCH.toNanos();
    while (poll(cursor, page) && !page.isFull() && Machine.nanos() - end < 0) {
      // there are more
    }
    return page;
  }

  private ResultCursor open(DoorGateway gateway, String caller, @Nullable String from) {
    try {
      return lookUps.perform(() -> gateway.feed().open(caller, from == null ? "end" : from));
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(
          "from must be start, end, or the position that came with an earlier result");
    }
  }

  @ExceptionHandler
  void expired(ResultsExpired e, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    new Problem(ProblemType.RESULTS_EXPIRED, e.getMessage() + "; continue with from=start")
        .write(response, request.getRequestURI());
  }

  private boolean poll(ResultCursor cursor, Page to) {
    Polled found = cursor.poll(to, false);
    if (found == Polled.BEHIND) {
      found = lookUps.perform(() -> cursor.poll(to, true));
    }
    return found == Polled.MORE;
  }

  /** Results on their way into one document. */
  private static final class Page implements ResultCursor.Receiver, AutoCloseable {

    private final DoorGateway gateway;
    private final @Nullable String stream;
    private final int limit;
    private final ByteArrayBuilder bytes = new ByteArrayBuilder();
    private final JsonGenerator out = JsonDocuments.generator(bytes);
    private int count;

    Page(DoorGateway gateway, @Nullable String stream, int limit) {
      this.gateway = gateway;
      this.stream = stream;
      this.limit = limit;
      out.writeStartObject();
      out.writeArrayPropertyStart("results");
    }

    boolean isEmpty() {
      return count == 0;
    }

    boolean isFull() {
      return count >= limit || bytes.size() >= PAGE_BYTES;
    }

    @Override
    public boolean receive(PublishedResult result) {
      StreamLine line = result.line();
      if (stream == null || (line != null && stream.equals(line.stream()))) {
        count++;
        write(result);
      }
      return !isFull();
    }

    private void write(PublishedResult result) {
      ResultDocument document = new ResultDocument(result.envelope().id());
      boolean readable = true;
      try {
        gateway.feed().read(result, document);
      } catch (UndecodableMessage e) {
        readable = false;
      }
      out.writeStartObject();
      out.writeNumberProperty("partition", result.partition());
      out.writeNumberProperty("position", result.envelope().source().orElseThrow());
      StreamLine line = result.line();
      if (line != null) {
        out.writeStringProperty("stream", line.stream());
        out.writeNumberProperty("line", line.number());
      } else if (result.key() != null) {
        out.writeStringProperty("key", result.key());
      }
      out.writeStringProperty("time", result.envelope().appendTime().toString());
      if (readable) {
        document.writeMembers(out);
      } else {
        out.writeStringProperty("id", result.envelope().id().toString());
        out.writeStringProperty("state", "unreadable");
      }
      out.writeEndObject();
      out.flush();
    }

    byte[] end(String next) {
      out.writeEndArray();
      out.writeStringProperty("next", next);
      out.writeEndObject();
      out.flush();
      return bytes.toByteArray();
    }

    @Override
    public void close() {
      out.close();
      bytes.close();
    }
  }
}
