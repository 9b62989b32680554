/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.batch.RowReader;
import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.http.limit.Caller;
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.http.limit.LookUps;
import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Sends the rows of queries of any size, a line each, as fast as the caller reads them. */
final class RowsResource {

  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration DATABASE_RETRY = Duration.ofSeconds(5);

  private final WaitingRequests waiting;
  private final Callers callers;
  private final LookUps lookUps;
  private final Semaphore places;
  private final int limit;

  /**
   * @param limit the most results that are sent at the same time
   */
  RowsResource(WaitingRequests waiting, Callers callers, LookUps lookUps, int limit) {
    this.waiting = waiting;
    this.callers = callers;
    this.lookUps = lookUps;
    this.places = new Semaphore(limit);
    this.limit = limit;
  }

  /** Whether the caller asks for the rows as lines. */
  static boolean areAsked(HttpServletRequest request) {
    String accept = request.getHeader("Accept");
    return accept != null && accept.startsWith(StreamResource.TYPE);
  }

  void send(
      HttpServletRequest request,
      HttpServletResponse response,
      DoorCaller caller,
      DoorGateway gateway,
      CatalogueEntry query,
      @Nullable Object[] values)
      throws IOException {
    Caller limited = callers.of(caller.name());
    try (Caller.Place _ = limited.enterStream()) {
      limited.admitAtOnce();
      send(request, response, caller, gateway, query, values, await(request, caller, gateway));
    }
  }

  private void send(
      HttpServletRequest request,
      HttpServletResponse response,
      DoorCaller caller,
      DoorGateway gateway,
      CatalogueEntry query,
      @Nullable Object[] values,
      long behind)
      throws IOException {
    if (!places.tryAcquire()) {
      throw new HttpProblem(
              ProblemType.TOO_MANY_STREAMS,
              "Too many results are sent as lines at the same time (limit=%,d); retry later"
                  .formatted(limit))
          .retryAfter(RETRY);
    }
    try {
      Lines lines = new Lines(request, response, caller, behind);
      try {
        gateway.service().readRows(query.sql(), Arrays.asList(query.arguments(values)), lines);
        lines.end(null, null);
      } catch (SqlFailed e) {
        lines.end(e.failure(), null);
      } catch (Stopped e) {
        lines.end(null, e.problem);
      } catch (Unavailable e) {
        HttpProblem problem =
            new HttpProblem(
                    ProblemType.DATABASE_UNAVAILABLE,
                    "The database is not responding, or ended the query; ask again later")
                .retryAfter(DATABASE_RETRY);
        if (!lines.isBegun) {
          throw problem;
        }
        lines.end(null, problem);
      }
    } finally {
      places.release();
    }
  }

  /**
   * Waits for the statements that were accepted before.
   *
   * @return at most how many of them are not performed yet
   */
  private long await(HttpServletRequest request, DoorCaller caller, DoorGateway gateway) {
    try (WaitingRequests.Place place = waiting.enter(request)) {
      long deadline = System.nanoTime() + place.time().toNanos();
      long[] ends = lookUps.perform(caller.name(), () -> ends(gateway));
      while (true) {
        long behind = 0;
        for (int partition = 0; partition < ends.length; partition++) {
          behind += Math.max(0, ends[partition] - gateway.answered(partition));
        }
        if (behind == 0 || System.nanoTime() >= deadline || place.isOver()) {
          return behind;
        }
        Thread.sleep(PAUSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw stopping();
    } catch (QueueUnavailable | QueueFailed e) {
      throw new HttpProblem(
              ProblemType.QUEUE_UNAVAILABLE,
              "The queue does not say which statements wait; nothing was asked; retry later")
          .with("reason", "unavailable")
          .retryAfter(RETRY);
    }
  }

  private static HttpProblem stopping() {
    return new HttpProblem(ProblemType.UNAVAILABLE, "The service is stopping; ask again later");
  }

  private static long[] ends(DoorGateway gateway) {
    long[] ends = new long[gateway.service().in().partitions()];
    for (int partition = 0; partition < ends.length; partition++) {
      try (Tailer tailer = gateway.service().in().tailer(partition)) {
        ends[partition] = tailer.end();
      }
    }
    return ends;
  }

  /** No more rows are sent: the service stops, or the caller is no longer admitted. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient HttpProblem problem;

    Stopped(HttpProblem problem) {
      super(problem.detail(), problem, false, false);
      this.problem = problem;
    }
  }

  /** The response. For one thread. */
  private final class Lines implements RowReader.Receiver {

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final DoorCaller caller;
    private final long behind;
    private boolean isBegun;
    private long count;

    Lines(
        HttpServletRequest request, HttpServletResponse response, DoorCaller caller, long behind) {
      this.request = request;
      this.response = response;
      this.caller = caller;
      this.behind = behind;
    }

    private void begin() {
      isBegun = true;
      response.setStatus(200);
      response.setContentType(StreamResource.TYPE);
      response.setHeader("Cache-Control", "no-store");
    }

    @Override
    public void columns(List<String> names) throws IOException {
      begin();
      JsonResponse.writeLine(
          response,
          out -> {
            out.writeArrayPropertyStart("columns");
            names.forEach(out::writeString);
            out.writeEndArray();
            out.writeNumberProperty("behind", behind);
          });
    }

    @Override
    public void row(List<@Nullable Object> values) throws IOException {
      count++;
      JsonResponse.writeRow(response, values);
    }

    @Override
    public void pause() throws IOException {
      if (!waiting.isRunning()) {
        throw new Stopped(stopping());
      }
      if (!caller.isStillAdmitted()) {
        throw new Stopped(DoorCaller.noLongerAdmitted("ask again with valid ones"));
      }
      response.flushBuffer();
    }

    void end(@Nullable SqlFailure failure, @Nullable HttpProblem problem) throws IOException {
      if (!isBegun) {
        begin();
      }
      JsonResponse.writeLine(
          response,
          out -> {
            out.writeBooleanProperty("complete", failure == null && problem == null);
            out.writeNumberProperty("rows", count);
            if (failure != null) {
              out.writeObjectPropertyStart("error");
              out.writeStringProperty("sqlState", failure.sqlState());
              out.writeStringProperty("kind", failure.kind().name());
              out.writeEndObject();
            }
            if (problem != null) {
              JsonResponse.writeProblem(out, request, problem);
            }
          });
    }
  }
}
