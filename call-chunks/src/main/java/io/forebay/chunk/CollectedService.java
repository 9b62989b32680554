/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.text.Formats;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one service that one collector collects. Guarded by the lock of the collector's
 * monitor.
 */
final class CollectedService<A, R extends @Nullable Object> {

  final ChunkedService<A, R> service;

  private final CollectorMonitor monitor;
  private final ChunkOptions options;
  private final PendingCalls<A, R> pending;
  private final List<CallChunk<A, R>> inFlight = new ArrayList<>();
  private final Map<FlushReason, Long> chunks = new EnumMap<>(FlushReason.class);
  private long calls;
  private long sent;
  private long results;
  private long failures;
  private long timedOut;
  private long late;

  CollectedService(CollectorMonitor monitor, ChunkedService<A, R> service) {
    this.monitor = monitor;
    this.service = service;
    options = service.options();
    pending = new PendingCalls<>(options);
  }

  /** Takes the monitor's lock itself. */
  void finish(CallChunk<A, R> chunk, ChunkOutcome<R> answer) {
    monitor.finish(chunk, answer);
  }

  void add(CollectedCall<A, R> call, Ticker ticker) {
    calls++;
    pending.add(call, ticker);
  }

  /** Whether a full chunk can be sent now. */
  boolean isFull() {
    return pending.isFull() && inFlight.size() < options.maxInFlight();
  }

  /** Takes the full chunks that can be sent now. */
  void takeFull(Ticker ticker, List<CallChunk<?, ?>> left) {
    while (isFull()) {
      left.add(take(FlushReason.ITEMS, ticker.nanos()));
    }
  }

  /** Takes all calls that can be sent now. */
  void takeAll(FlushReason otherwise, long nowNanos, List<CallChunk<?, ?>> left) {
    while (pending.size() > 0 && inFlight.size() < options.maxInFlight()) {
      left.add(take(otherwise, nowNanos));
    }
  }

  void takeLingering(long nowNanos, List<CallChunk<?, ?>> left) {
    if (nowNanos - pending.sinceNanos() >= options.linger().toNanos()) {
      takeAll(FlushReason.TICKER, nowNanos, left);
    }
  }

  private CallChunk<A, R> take(FlushReason otherwise, long nowNanos) {
    PendingCalls.Batch<A, R> batch = pending.take(otherwise, nowNanos);
    batch.calls().forEach(CollectedCall::send);
    chunks.merge(batch.reason(), 1L, Long::sum);
    sent += batch.calls().size();
    CallChunk<A, R> chunk = new CallChunk<>(this, batch.calls(), nowNanos);
    inFlight.add(chunk);
    return chunk;
  }

  /**
   * Removes a chunk that was answered.
   *
   * @return whether the chunk was still in flight
   */
  boolean remove(CallChunk<A, R> chunk, ChunkOutcome<R> answer) {
    boolean inTime = inFlight.remove(chunk);
    if (!inTime && answer.trouble() == null) {
      late++;
    }
    return inTime;
  }

  void withdraw(CollectedCall<A, R> call) {
    if (!call.isSent()) {
      pending.withdraw(call);
    }
    String what = call.isSent() ? "its chunk was already sent" : "the call was not sent";
    fail(call, Trouble.of(CallFailed.Reason.INTERRUPTED, "the caller was interrupted; " + what));
  }

  List<CollectedCall<A, R>> takePending() {
    return pending.takeAll();
  }

  List<CallChunk<A, R>> takeInFlight() {
    List<CallChunk<A, R>> all = List.copyOf(inFlight);
    inFlight.clear();
    return all;
  }

  List<CallChunk<A, R>> takeOverdue(long nowNanos) {
    List<CallChunk<A, R>> overdue = new ArrayList<>();
    for (CallChunk<A, R> chunk : inFlight) {
      if (nowNanos - chunk.leftNanos >= options.timeout().toNanos()) {
        overdue.add(chunk);
      }
    }
    timedOut += overdue.size();
    inFlight.removeAll(overdue);
    return overdue;
  }

  void complete(CollectedCall<A, R> call, @Nullable Reply<R> reply) {
    switch (reply) {
      case null -> fail(call, Trouble.of(CallFailed.Reason.NOT_ANSWERED, "no reply to this call"));
      case Reply.Failure<R>(int ignored, Exception failure) ->
          fail(
              call, new Trouble(CallFailed.Reason.FAILED, "the service failed this call", failure));
      case Reply.Result<R> result -> {
        results++;
        call.succeed(result.value());
      }
    }
  }

  void fail(CollectedCall<A, R> call, Trouble trouble) {
    failures++;
    call.fail(trouble);
  }

  ServiceFigures figures() {
    return new ServiceFigures(
        service.name(),
        options,
        calls,
        sent,
        results,
        failures,
        Map.copyOf(chunks),
        timedOut,
        late,
        pending.size(),
        inFlight.size());
  }

  Trouble overdue() {
    return Trouble.of(
        CallFailed.Reason.TIMED_OUT,
        "the chunk timed out (timeout=%s); its calls may or may not have been performed"
            .formatted(Formats.duration(options.timeout())));
  }
}
