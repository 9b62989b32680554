/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Turns the single calls of many bodies into call chunks. A body is sequential code for one item,
 * on a virtual thread of its own; when it calls a service it waits, and its call leaves together
 * with those of other bodies:
 *
 * <pre>{@code
 * try (Collector collector = new Collector(Ticker.every(Duration.ofMillis(10)))) {
 *   ChunkedService<Long, Customer> customers =
 *       collector.service("customers", ChunkFunction.inOrder(repository::readAll), ChunkOptions.defaults());
 *   List<Callable<Letter>> bodies = new ArrayList<>();
 *   for (Contract contract : contracts) {
 *     bodies.add(() -> letter(contract, customers.call(contract.owner())));
 *   }
 *   for (Future<Letter> letter : collector.startAll(bodies)) {
 *     write(letter.get());
 *   }
 * }
 * }</pre>
 *
 * <p>A chunk leaves when it is full, when every live body waits in a call (of whichever service:
 * then all partly filled chunks leave), when its calls have waited for the linger time, and on
 * {@link #close()}; and never while as many chunks of its service as allowed are under way. So
 * neither the last calls nor chained ones wait for a clock, unless some body is busy with something
 * else.
 *
 * <p>A thread that is no body of this collector may call a service too; for the time of its call it
 * counts as a live body that waits.
 *
 * <p>Thread-safe. Nothing is kept over a crash: what a chunk did when the process died is known to
 * the service only.
 */
public final class Collector implements AutoCloseable {

  private enum State {
    OPEN,
    CLOSING,
    CLOSED
  }

  // Held for a few dozen nanoseconds per call and never while something waits, so that thousands of
  // virtual threads pass through it without queueing up. Threads are started and woken outside.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition allEnded = lock.newCondition();
  private final Ticker ticker;
  private final Runnable stopTicking;
  private final List<ChunkedService<?, ?>> services = new ArrayList<>();
  private final Set<Body<?>> bodies = new HashSet<>();
  private int callsOfOthers;
  private int waiting;
  private State state = State.OPEN;

  /**
   * Makes an open collector.
   *
   * @param ticker the time, and how often the linger times and time-outs are looked at
   */
  @SuppressWarnings("this-escape")
  public Collector(Ticker ticker) {
    this.ticker = ticker;
    stopTicking = ticker.start(this::tick);
  }

  /** Adds a service whose chunks are limited by their number of calls only. */
  public <A, R extends @Nullable Object> ChunkedService<A, R> service(
      String name, ChunkFunction<A, R> function, ChunkOptions options) {
    return service(name, function, options, argument -> 0);
  }

  /**
   * Adds a service.
   *
   * @param name for messages and figures
   * @param sizeOf the size of an argument in bytes, from 0; called once per call, by the caller
   * @throws IllegalArgumentException if there is a service of this name
   */
  public <A, R extends @Nullable Object> ChunkedService<A, R> service(
      String name,
      ChunkFunction<A, R> function,
      ChunkOptions options,
      ToLongFunction<? super A> sizeOf) {
    ChunkedService<A, R> service = new ChunkedService<>(this, name, function, options, sizeOf);
    lock.lock();
    try {
      if (services.stream().anyMatch(it -> it.name().equals(name))) {
        throw new IllegalArgumentException(
            "the collector has a service %s already; names must differ".formatted(name));
      }
      services.add(service);
    } finally {
      lock.unlock();
    }
    return service;
  }

  /**
   * Starts bodies, each on a new virtual thread. All of them are live before the first one runs, so
   * no chunk leaves because the later ones have not begun. To start more later, or one alone, is
   * allowed.
   *
   * @return one future per body, in their order. What a body throws is the cause of its {@link
   *     java.util.concurrent.ExecutionException}; {@code cancel(true)} interrupts it
   * @throws IllegalStateException if the collector is closed; then no body was started
   */
  public <T extends @Nullable Object> List<Future<T>> startAll(
      Collection<? extends Callable<T>> callables) {
    List<Body<T>> started = new ArrayList<>(callables.size());
    for (Callable<T> callable : callables) {
      started.add(new Body<>(this, callable));
    }
    lock.lock();
    try {
      if (state != State.OPEN) {
        throw new IllegalStateException("the collector is closed; no body was started");
      }
      bodies.addAll(started);
    } finally {
      lock.unlock();
    }
    Thread.Builder.OfVirtual builder = Thread.ofVirtual().name("forebay-body-", 0);
    started.forEach(it -> it.start(builder));
    return List.copyOf(started);
  }

  /** The figures of this moment. */
  public CollectorFigures figures() {
    lock.lock();
    try {
      return new CollectorFigures(
          live(), waiting, services.stream().map(ChunkedService::figures).toList());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts no more bodies, lets partly filled chunks leave, and waits until all bodies have ended;
   * they may go on calling. An interrupt while it waits does what {@link #abort()} does, and the
   * interrupt status is set again. After {@link #abort()} it does nothing.
   *
   * @throws IllegalStateException if a body or a chunk function calls it, which would wait for
   *     itself
   */
  @Override
  public void close() {
    if (Body.isCurrent(this) || CallChunk.PERFORMING.isBound()) {
      throw new IllegalStateException(
          "a collector cannot be closed by its bodies and chunk functions; it waits for them");
    }
    List<CallChunk<?, ?>> left = new ArrayList<>();
    lock.lock();
    try {
      if (state == State.OPEN) {
        state = State.CLOSING;
        long now = ticker.nanos();
        services.forEach(it -> it.takeAll(FlushReason.CLOSE, now, left));
      }
    } finally {
      lock.unlock();
    }
    left.forEach(CallChunk::start);
    try {
      awaitEnd();
    } catch (InterruptedException e) {
      abort();
      Thread.currentThread().interrupt();
    }
    stopTicking.run();
  }

  private void awaitEnd() throws InterruptedException {
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

  /**
   * Ends everything at once: calls that wait fail with {@link CallFailed.Reason#CLOSED}, and bodies
   * and chunk functions are interrupted. It does not wait for them; a body that ignores the
   * interrupt goes on until its next call, which is refused.
   */
  public void abort() {
    List<Call<?, ?>> failed = new ArrayList<>();
    List<CallChunk<?, ?>> cancelled = new ArrayList<>();
    List<Body<?>> interrupted;
    lock.lock();
    try {
      state = State.CLOSED;
      services.forEach(it -> abort(it, failed, cancelled));
      interrupted = List.copyOf(bodies);
      allEnded.signalAll();
    } finally {
      lock.unlock();
    }
    stopTicking.run();
    failed.forEach(Call::wake);
    cancelled.forEach(CallChunk::cancel);
    cancelled.forEach(CallChunk::wake);
    interrupted.forEach(it -> it.cancel(true));
  }

  private <A, R extends @Nullable Object> void abort(
      ChunkedService<A, R> service, List<Call<?, ?>> failed, List<CallChunk<?, ?>> cancelled) {
    Trouble trouble = Trouble.of(CallFailed.Reason.CLOSED, "the collector was aborted");
    for (Call<A, R> call : service.takePending()) {
      service.fail(call, trouble);
      returns(call);
      failed.add(call);
    }
    for (CallChunk<A, R> chunk : service.takeInFlight()) {
      settle(chunk, Answer.failed(trouble));
      cancelled.add(chunk);
    }
  }

  /** Takes a call in, whose caller then waits until it is done. */
  <A, R extends @Nullable Object> void enter(ChunkedService<A, R> service, Call<A, R> call) {
    refuseIf(Thread.currentThread().isInterrupted(), service, CallFailed.Reason.INTERRUPTED);
    List<CallChunk<?, ?>> left;
    lock.lock();
    try {
      refuseIf(state == State.CLOSED, service, CallFailed.Reason.CLOSED);
      service.add(call, ticker);
      waiting++;
      if (!call.ofBody) {
        callsOfOthers++;
      }
      left = leaving(service);
    } finally {
      lock.unlock();
    }
    left.forEach(CallChunk::start);
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

  /** The caller of a call was interrupted: it goes on without an answer unless it has one. */
  <A, R extends @Nullable Object> void withdraw(ChunkedService<A, R> service, Call<A, R> call) {
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

  /** A body has ended; to say so again changes nothing. */
  void ended(Body<?> body) {
    List<CallChunk<?, ?>> left;
    lock.lock();
    try {
      left = bodies.remove(body) ? leaving(null) : List.of();
    } finally {
      lock.unlock();
    }
    left.forEach(CallChunk::start);
  }

  /** A chunk is answered or has failed. */
  <A, R extends @Nullable Object> void finish(CallChunk<A, R> chunk, Answer<R> answer) {
    List<CallChunk<?, ?>> left;
    lock.lock();
    try {
      if (!chunk.service.remove(chunk, answer)) {
        return;
      }
      settle(chunk, answer);
      left = leaving(chunk.service);
    } finally {
      lock.unlock();
    }
    // First, so that the service is not idle while the callers are woken.
    left.forEach(CallChunk::start);
    chunk.wake();
  }

  private void tick() {
    List<CallChunk<?, ?>> overdue = new ArrayList<>();
    List<CallChunk<?, ?>> left = new ArrayList<>();
    long now = ticker.nanos();
    lock.lock();
    try {
      for (ChunkedService<?, ?> service : services) {
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
      ChunkedService<A, R> service, long now, List<CallChunk<?, ?>> overdue) {
    for (CallChunk<A, R> chunk : service.takeOverdue(now)) {
      settle(chunk, Answer.failed(service.overdue()));
      overdue.add(chunk);
    }
  }

  /** Completes the calls of a chunk, but for those whose callers were interrupted. */
  private <A, R extends @Nullable Object> void settle(CallChunk<A, R> chunk, Answer<R> answer) {
    Trouble trouble = answer.trouble();
    for (int i = 0; i < chunk.calls.size(); i++) {
      Call<A, R> call = chunk.calls.get(i);
      if (!call.isDone()) {
        if (trouble == null) {
          chunk.service.complete(call, answer.replies().get(i));
        } else {
          chunk.service.fail(call, trouble);
        }
        returns(call);
      }
    }
  }

  /**
   * A caller will go on. It counts as running from here and not from when it runs: otherwise the
   * first of a hundred that are woken would seem to be the only one that does not wait.
   */
  private void returns(Call<?, ?> call) {
    waiting--;
    if (!call.ofBody) {
      callsOfOthers--;
    }
  }

  /** What may leave after a change, of one service or of none in particular. */
  private List<CallChunk<?, ?>> leaving(@Nullable ChunkedService<?, ?> changed) {
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
      services.forEach(it -> it.takeAll(FlushReason.ALL_WAITING, now, left));
    }
    return left;
  }

  private int live() {
    return bodies.size() + callsOfOthers;
  }
}
