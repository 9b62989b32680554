/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Message;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.machine.Machine;
import io.forebay.queue.Fenced;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records the spans of the messages of a batch that carry a trace, and spans of the batch that link
 * them. Of tries that fail only the first has spans, and of later ones the one that succeeds. For
 * one thread.
 */
final class BatchSpans {

  /** By default, a span of OpenTelemetry keeps so many links. */
  private static final int MOST_LINKS = 128;

  private final Tracing tracing;
  private final String queue;
  private boolean again;

  /** The statements before that index were performed and have their spans. */
  private int recorded;

  private Instant from = Instant.EPOCH;

  /**
   * @param queue the in-queue
   */
  BatchSpans(Tracing tracing, String queue) {
    this.tracing = tracing;
    this.queue = queue;
  }

  /** The next batch begins. */
  void begin() {
    again = false;
    recorded = 0;
  }

  /** A try begins. */
  void tries() {
    from = tracing == Tracing.NONE ? Instant.EPOCH : Machine.now();
  }

  void performed(Batch batch) {
    performed(batch, batch.size());
  }

  private void performed(Batch batch, int end) {
    record(batch, end, null);
    recorded = end;
  }

  /** What is not committed is tried again, here or by the instance that took over. */
  void failed(Batch batch, RuntimeException thrown) {
    performed(batch, batch.committed());
    if (!again && !(thrown instanceof Fenced)) {
      record(batch, batch.size(), thrown.getClass().getName());
      again = true;
    }
  }

  private void record(Batch batch, int end, @Nullable String error) {
    if (tracing == Tracing.NONE) {
      return;
    }
    Instant to = Machine.now();
    List<TraceParent> links = new ArrayList<>();
    for (int i = recorded; i < end; i++) {
      PendingStatement statement = batch.get(i);
      Message message = statement.message();
      String failure = failure(statement);
      while (i + 1 < end && message != null && batch.get(i + 1).message() == message) {
        i++;
        failure = failure == null ? failure(batch.get(i)) : failure;
      }
      TraceParent caller = message == null ? null : message.trace();
      if (message != null && caller != null && !statement.isRecalled()) {
        boolean repeated = again || message.replayOf() != null;
        Tracing.Span span = tracing.process(queue, caller, repeated, from);
        span.end(error == null ? failure : error, to);
        TraceParent context = span.context();
        if (context != null) {
          links.add(context);
        }
      }
      if (links.size() == MOST_LINKS) {
        link(links, error, to);
      }
    }
    link(links, error, to);
  }

  private void link(List<TraceParent> links, @Nullable String error, Instant to) {
    if (!links.isEmpty()) {
      tracing.start("batch " + queue, null, links, from).end(error, to);
      links.clear();
    }
  }

  private static @Nullable String failure(PendingStatement statement) {
    return statement.outcome() instanceof Outcome.Failed(SqlFailure why, _, _)
        ? why.kind().name()
        : null;
  }
}
