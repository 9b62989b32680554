/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.trace.Tracing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts the live and waiting bodies of a collector and sends chunks when these counts change. All
 * services share one lock, because "every live body waits" concerns all of them. It is held for a
 * few dozen nanoseconds per call, or about a microsecond per chunk. Nothing blocks under it:
 * threads are started, woken and interrupted after it is released.
 */
final class CollectorMonitor {

  private enum State {
    OPEN,
    CLOSING,
    CLOSED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition allEnded = lock.newCondition();
  private final Ticker ticker;

  /** Of the services that the collector created. */
  final Tracing tracing;

  private final Map<ChunkedService<?, ?>, CollectedService<?, ?>> services = new LinkedHashMap<>();
  private final Set<BodyTask<?>> bodies = new HashSet<>();
  private int callsOfOthers;
  private int waiting;
  private State state = State.OPEN;

  CollectorMonitor(Ticker ticker, Tracing tracing) {
    this.ticker = ticker;
    this.tracing = tracing;
  }

  /** Adds a service whose calls may come; any other service is added with its first call. */
  void add(ChunkedService<?, ?> service) {
    lock.lock();
    try {
      collected(service);
    } finally {
      lock.unlock();
    }
  }

  private <A, R extends @Nullable Object> CollectedService<A, R> collected(
      ChunkedService<A, R> service) {
    @SuppressWarnings("unchecked") // a service is a key of its own calls only
    CollectedService<A, R> known = (CollectedService<A, R>) services.get(service);
    if (known != null) {
      return known;
    }
    if (services.keySet().stream().anyMatch(it -> it.name().equals(service.name()))) {
      throw new IllegalArgumentException(
          "the collector already has a service %s; names must be unique".formatted(service.name()));
    }
    CollectedService<A, R> added = new CollectedService<>(this, service);
    services.put(service, added);
    service.enter(this);
    return added;
  }

  /** Counts bodies as live. */
  void enter(Collection<? extends BodyTask<?>> starting) {
    lock.lock();
    try {
      if (state != State.OPEN) {
        throw new IllegalStateException("the collector is closed; no body was started");
      }
      bodies.addAll(starting);
    } finally {
      lock.unlock();
    }
  }

  CollectorFigures figures() {
    lock.lock();
    try {
      return new CollectorFigures(
          live(), waiting, services.values().stream().map(CollectedService::figures).toList());
    } finally {
      lock.unlock();
    }
  }

  /** The services whose calls it collected. */
  List<ChunkedService<?, ?>> services() {
    lock.lock();
    try {
      return List.copyOf(services.keySet());
    } finally {
      lock.unlock();
    }
  }

  ServiceFigures figures(ChunkedService<?, ?> service) {
    lock.lock();
    try {
      return collected(service).figures();
    } finally {
      lock.unlock();
    }
  }

  /** Accepts no more bodies and sends all calls that can be sent. */
  void beginToClose() {
    List<CallChunk<?, ?>> left = new ArrayList<>();
    lock.lock();
    try {
      if (state == State.OPEN) {
        state = State.CLOSING;
        long now = ticker.nanos();
        services.values().forEach(it -> it.takeAll(FlushReason.CLOSE, now, left));
      }
    } finally {
      lock.unlock();
    }
    left.forEach(CallChunk::start);
  }

  void awaitEnd() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (state == State.CLOSING && live() > 0) {
        allEnded.await();
      }
      state = State.CLOSED;
    } finally {
      lock.unlock();
    }
  }

  void abort() {
    List<CollectedCall<?, ?>> failed = new ArrayList<>();
    List<CallChunk<?, ?>> cancelled = new ArrayList<>();
    List<BodyTask<?>> interrupted;
    lock.lock();
    try {
      state = State.CLOSED;
      services.values().forEach(it -> abort(it, failed, cancelled));
      interrupted = List.copyOf(bodies);
      allEnded.signalAll();
    } finally {
      lock.unlock();
    }
    failed.forEach(CollectedCall::wake);
    cancelled.forEach(CallChunk::cancel);
    cancelled.forEach(CallChunk::wake);
    interrupted.forEach(it -> it.cancel(true));
  }

  private <A, R extends @Nullable Object> void abort(
      CollectedService<A, R> service,
      List<CollectedCall<?, ?>> failed,
      List<CallChunk<?, ?>> cancelled) {
    Trouble trouble = Trouble.of(CallFailed.Reason.CLOSED, "the collector was aborted");
    for (CollectedCall<A, R> call : service.takePending()) {
      service.fail(call, trouble);
      returns(call);
      failed.add(call);
    }
    for (CallChunk<A, R> chunk : service.takeInFlight()) {
      settle(chunk, ChunkOutcome.failed(trouble));
      cancelled.add(chunk);
    }
  }

  /** Adds a call; its caller then waits until the call is done. */
  <A, R extends @Nullable Object> CollectedService<A, R> enter(
      ChunkedService<A, R> service, CollectedCall<A, R> call) {
    refuseIf(Thread.currentThread().isInterrupted(), service, CallFailed.Reason.INTERRUPTED);
    CollectedService<A, R> collected;
    List<CallChunk<?, ?>> left;
    lock.lock();
    try {
      refuseIf(state == State.CLOSED, service, CallFailed.Reason.CLOSED);
      collected = collected(service);
      collected.add(call, ticker);
      waiting++;
      if (!call.ofBody) {
        callsOfOthers++;
      }
      left = leaving(collected);
    } finally {
      lock.unlock();
    }
    left.forEach(CallChunk::start);
    return collected;
  }

  private static void refuseIf(
      boolean refused, ChunkedService<?, ?> service, CallFailed.Reason reason) {
    if (refused) {
      String what =
          reason == CallFailed.Reason.CLOSED
              ? "the collector is closed"
              : "the caller is interrupted";
      throw new CallFailed(service.name(), reason, false, what + "; the call was not sent", null);
    }
  }

  /** Withdraws a call whose caller was interrupted, unless the call is done. */
  <A, R extends @Nullable Object> void withdraw(
      CollectedService<A, R> service, CollectedCall<A, R> call) {
    List<CallChunk<?, ?>> left = List.of();
    lock.lock();
    try {
      if (!call.isDone()) {
        service.withdraw(call);
        returns(call);
        left = leaving(service);
      }
    } finally {
      lock.unlock();
    }
    left.forEach(CallChunk::start);
  }

  /** Removes a body that has ended. Idempotent. */
  void ended(BodyTask<?> body) {
    List<CallChunk<?, ?>> left;
    lock.lock();
    try {
      left = bodies.remove(body) ? leaving(null) : List.of();
    } finally {
      lock.unlock();
    }
    left.forEach(CallChunk::start);
  }

  /** Completes a chunk that was answered or has failed. */
  <A, R extends @Nullable Object> void finish(CallChunk<A, R> chunk, ChunkOutcome<R> answer) {
    List<CallChunk<?, ?>> left;
    lock.lock();
    try {
      if (!chunk.collected.remove(chunk, answer)) {
        return;
      }
      settle(chunk, answer);
      left = leaving(chunk.collected);
    } finally {
      lock.unlock();
    }
    // Start first, so that the service is not idle while callers are woken.
    left.forEach(CallChunk::start);
    chunk.wake();
  }

  /** Fails overdue chunks, and sends calls whose linger time is over. */
  void tick() {
    List<CallChunk<?, ?>> overdue = new ArrayList<>();
    List<CallChunk<?, ?>> left = new ArrayList<>();
    long now = ticker.nanos();
    lock.lock();
    try {
      for (CollectedService<?, ?> service : services.values()) {
        giveUp(service, now, overdue);
        service.takeFull(ticker, left);
        service.takeLingering(now, left);
      }
      left.addAll(leaving(null));
    } finally {
      lock.unlock();
    }
    left.forEach(CallChunk::start);
    overdue.forEach(CallChunk::cancel);
    overdue.forEach(CallChunk::wake);
  }

  private <A, R extends @Nullable Object> void giveUp(
      CollectedService<A, R> service, long now, List<CallChunk<?, ?>> overdue) {
    for (CallChunk<A, R> chunk : service.takeOverdue(now)) {
      settle(chunk, ChunkOutcome.failed(service.overdue()));
      overdue.add(chunk);
    }
  }

  /** Completes the calls of a chunk, except those whose callers were interrupted. */
  private <A, R extends @Nullable Object> void settle(
      CallChunk<A, R> chunk, ChunkOutcome<R> answer) {
    Trouble trouble = answer.trouble();
    for (int i = 0; i < chunk.calls.size(); i++) {
      CollectedCall<A, R> call = chunk.calls.get(i);
      if (!call.isDone()) {
        if (trouble == null) {
          chunk.collected.complete(call, answer.replies().get(i));
        } else {
          chunk.collected.fail(call, trouble);
        }
        returns(call);
      }
    }
  }

  /**
   * Counts a caller as running from now on, not from when its thread runs: otherwise the first of a
   * hundred woken callers would seem to be the only one that does not wait.
   */
  private void returns(CollectedCall<?, ?> call) {
    waiting--;
    if (!call.ofBody) {
      callsOfOthers--;
    }
  }

  /** Takes the chunks that can be sent after a change of one service or, if null, of the bodies. */
  private List<CallChunk<?, ?>> leaving(@Nullable CollectedService<?, ?> changed) {
    if (live() == 0) {
      allEnded.signalAll();
    }
    boolean allWait = waiting == live();
    if (!allWait && (changed == null || !changed.isFull())) {
      return List.of();
    }
    List<CallChunk<?, ?>> left = new ArrayList<>();
    if (changed != null) {
      changed.takeFull(ticker, left);
    }
    if (allWait) {
      long now = ticker.nanos();
      services.values().forEach(it -> it.takeAll(FlushReason.ALL_WAITING, now, left));
    }
    return left;
  }

  private int live() {
    return bodies.size() + callsOfOthers;
  }
}
