/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.QueueRefused;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The waits of a partition's thread, and the end of all of them. Only {@link #stop} may be called
 * by other threads.
 */
final class Waits {

  private static final Duration A_TURN = Duration.ofMillis(50);
  private static final Duration LAST_WAIT = Duration.ofSeconds(5);

  private final ServiceOptions options;
  private final ServiceTime time;
  private final Standing standing;
  private final Workload workload;
  private final Runnable onUnavailable;
  private volatile boolean stopping;

  /** Ends the thread wherever it waits. */
  static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Stopped() {
      super(null, null, false, false);
    }
  }

  /**
   * @param onUnavailable called when a step cannot be performed now
   */
  Waits(
      ServiceOptions options,
      ServiceTime time,
      Standing standing,
      Workload workload,
      Runnable onUnavailable) {
    this.options = options;
    this.time = time;
    this.standing = standing;
    this.workload = workload;
    this.onUnavailable = onUnavailable;
  }

  /** Ends all waits; a thread that sleeps must be unparked. */
  void stop() {
    stopping = true;
  }

  boolean isStopping() {
    return stopping;
  }

  /**
   * @throws Stopped if the thread has to end
   */
  void mustGoOn() {
    if (stopping) {
      throw new Stopped();
    }
  }

  void sleep(Duration pause) {
    long until = time.nanos() + pause.toNanos();
    long left;
    while (!stopping && (left = until - time.nanos()) > 0) {
      time.sleep(left);
    }
  }

  /**
   * Pauses that double, from {@link ServiceOptions#retryFrom} to {@link ServiceOptions#retryTo}.
   */
  final class Pauses {

    private Duration next = options.retryFrom();

    /** Makes the next pause this long, whatever came before. */
    void next(Duration pause) {
      next = pause;
    }

    void sleep() {
      Waits.this.sleep(next);
      Duration doubled = next.multipliedBy(2);
      next = doubled.compareTo(options.retryTo()) < 0 ? doubled : options.retryTo();
    }
  }

  /**
   * Waits until a future is complete. A thread that has to end waits {@link #LAST_WAIT} longer, in
   * real time.
   *
   * @param trouble asked several times a second; a text is the reason for which the partition
   *     waits, null is none; what it throws ends the wait
   * @return its result
   * @throws Throwable what it failed with
   * @throws Stopped if the thread has to end
   */
  @Nullable Object untilComplete(CompletableFuture<?> future, Supplier<@Nullable String> trouble)
      throws Throwable {
    long stopped = 0;
    ServiceState before = null;
    try {
      while (!future.isDone()) {
        String reason = trouble.get();
        if (reason != null && before == null) {
          before = standing.state();
          standing.enter(ServiceState.Phase.WAITING, reason);
        }
        if (stopping) {
          stopped = stopped == 0 ? System.nanoTime() : stopped;
          if (System.nanoTime() - stopped >= LAST_WAIT.toNanos()) {
            mustGoOn();
          }
        }
        isComplete(future, A_TURN);
      }
    } finally {
      if (before != null) {
        standing.enter(before.phase(), before.reason());
      }
    }
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  /** Waits a moment; returns whether the future is complete. */
  boolean isComplete(CompletableFuture<?> future, Duration atMost) throws InterruptedException {
    try {
      future.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException | CancellationException e) {
      // the caller asks for the outcome
    }
    return future.isDone();
  }

  void untilAvailable(Runnable step) {
    untilAvailable(() -> {
      step.run();
      return true;
    });
  }

  /**
   * Runs a step and retries it with growing pauses while something that it needs is unavailable.
   *
   * @throws Stopped if the thread has to end
   */
  <R extends @Nullable Object> R untilAvailable(Supplier<R> step) {
    return untilAvailable(step, new Pauses());
  }

  /** Like the other method, with these pauses. */
  <R extends @Nullable Object> R untilAvailable(Supplier<R> step, Pauses pauses) {
    ServiceState before = null;
    boolean worked = false;
    while (true) {
      try {
        R result = step.get();
        if (before != null) {
          standing.enter(before.phase(), before.reason());
        }
        if (worked) {
          workload.begin();
        }
        return result;
      } catch (Unavailable | QueueRefused e) {
        if (e instanceof QueueRefused refused && refused.retryAfter().isZero() && !stopping) {
          throw e;
        }
        if (before == null) {
          before = standing.state();
          worked = workload.end();
          onUnavailable.run();
        }
        standing.await(e);
        pauses.sleep();
      }
      mustGoOn();
    }
  }
}
