/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A service that is called for single items and performs them in chunks; see {@link
 * Collector#service}. Thread-safe.
 *
 * @param <A> the argument of a call
 * @param <R> its result
 */
public final class ChunkedService<A, R extends @Nullable Object> {

  private final CollectorMonitor monitor;
  private final String name;
  private final ChunkFunction<A, R> function;
  private final ChunkOptions options;
  private final ToLongFunction<? super A> sizeOf;

  // Guarded by the lock of the monitor.
  private final PendingCalls<A, R> pending;
  private final List<CallChunk<A, R>> inFlight = new ArrayList<>();
  private final Map<FlushReason, Long> chunks = new EnumMap<>(FlushReason.class);
  private long calls;
  private long sent;
  private long results;
  private long failures;
  private long timedOut;
  private long late;

  ChunkedService(
      CollectorMonitor monitor,
      String name,
      ChunkFunction<A, R> function,
      ChunkOptions options,
      ToLongFunction<? super A> sizeOf) {
    this.monitor = monitor;
    this.name = name;
    this.function = function;
    this.options = options;
    this.sizeOf = sizeOf;
    pending = new PendingCalls<>(options);
  }

  /** The name of the service, as in messages and figures. */
  public String name() {
    return name;
  }

  /**
   * Calls the service: waits until the chunk with this call was sent and answered. A waiting
   * virtual thread does not block its carrier.
   *
   * @return the service's result of this call
   * @throws CallFailed if there is no result; see {@link CallFailed#reason()}
   * @throws IllegalArgumentException if the argument alone is larger than a chunk may be
   * @throws IllegalStateException in a chunk function, where a call could wait for itself
   */
  public R call(A argument) {
    if (CallChunk.PERFORMING.isBound()) {
      throw new IllegalStateException(
          "the chunk function of service %s called service %s; only bodies may call services"
              .formatted(CallChunk.PERFORMING.get(), name));
    }
    long bytes = sizeOf.applyAsLong(argument);
    if (bytes < 0 || bytes > options.maxBytes()) {
      throw new IllegalArgumentException(
          "service %s: the argument has %,d bytes; 0 to maxBytes=%,d are allowed"
              .formatted(name, bytes, options.maxBytes()));
    }
    CollectedCall<A, R> call = new CollectedCall<>(argument, bytes, BodyTask.isCurrent(monitor));
    monitor.enter(this, call);
    boolean interrupted = false;
    while (!call.isDone()) {
      LockSupport.park(this);
      if (Thread.interrupted()) {
        interrupted = true;
        monitor.withdraw(this, call);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return call.result(name);
  }

  ChunkFunction<A, R> function() {
    return function;
  }

  void finish(CallChunk<A, R> chunk, ChunkOutcome<R> answer) {
    monitor.finish(chunk, answer);
  }

  // The methods below are called under the lock of the monitor.

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
        name,
        options.maxItems(),
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
            .formatted(options.timeout()));
  }
}
