/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.machine.Machine;
import io.forebay.queue.QueueRefused;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The waits of a partition's thread, and the end of all of them. Only {@link #stop} may be called
 * by other threads.
 */
final class Waits {

  /** The longest pause before a refused message is appended again, which costs little. */
  private static final Duration REFUSED = Duration.ofSeconds(1);

  private static final Duration A_TURN = Duration.ofMillis(50);

  private final ServiceOptions options;
  private final ServiceTime time;
  private final Standing standing;
  private final Workload workload;
  private final Runnable onUnavailable;

  /** What a retried step returns to; null if none is retried, or that was shown already. */
  private @Nullable ServiceState beforeRetry;

  private volatile boolean stopping;
  private volatile long resultsUntilNanos;

  /** Ends the thread wherever it waits. */
  static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Stopped() {
      super(null, null, false, false);
    }
  }

  /** A call failed and is performed again after a pause. */
  static final class Retry extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean silent;

    /**
     * @param silent whether the log does not say when the call succeeds or is given up
     */
    Retry(String reason, Throwable cause, boolean silent) {
      super(reason, cause);
      this.silent = silent;
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

  /**
   * Ends all waits; a thread that sleeps must be unparked.
   *
   * @param forResult how long the thread may still wait for a result, in real time
   */
  void stop(Duration forResult) {
    resultsUntilNanos = Machine.nanos() + forResult.toNanos();
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
      sleep(next);
    }

    /** Sleeps no longer than this. */
    void sleep(Duration longest) {
      Waits.this.sleep(next.compareTo(longest) < 0 ? next : longest);
      Duration doubled = next.multipliedBy(2);
      next = doubled.compareTo(options.retryTo()) < 0 ? doubled : options.retryTo();
    }
  }

  /**
   * Waits until a future is complete. A thread that has to end may wait longer, see {@link #stop}.
   *
   * @param outage asked several times a second; a text is the reason for which the partition waits,
   *     null is none; what it throws ends the wait
   * @return its result
   * @throws Throwable what it failed with
   * @throws Stopped if the thread has to end
   */
  @Nullable Object untilComplete(CompletableFuture<?> future, Supplier<@Nullable String> outage)
      throws Throwable {
    ServiceState before = null;
    try {
      while (!future.isDone()) {
        String reason = outage.get();
        if (reason != null && before == null) {
          before = standing.state();
          standing.enter(ServiceState.Phase.WAITING, reason);
        }
        if (stopping && Machine.nanos() - resultsUntilNanos >= 0) {
          throw new Stopped();
        }
        boolean _ = Machine.await(future, A_TURN);
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

  /**
   * Runs a step and retries it with growing pauses while something that it needs is unavailable, or
   * it throws {@link Retry}. Runs several times per message: it is short, so that it is compiled
   * into its callers.
   *
   * @throws Stopped if the thread has to end
   */
  void untilAvailable(Runnable step) {
    try {
      step.run();
    } catch (Unavailable | QueueRefused | Retry e) {
      Supplier<Boolean> again =
          () -> {
            step.run();
            return true;
          };
      retry(e, again, new Pauses());
    }
  }

  /** Like the other method, for a step with a result. */
  <R extends @Nullable Object> R untilAvailable(Supplier<R> step) {
    try {
      return step.get();
    } catch (Unavailable | QueueRefused | Retry e) {
      return retry(e, step, new Pauses());
    }
  }

  /** Like the other methods, with these pauses. */
  <R extends @Nullable Object> R untilAvailable(Supplier<R> step, Pauses pauses) {
    try {
      return step.get();
    } catch (Unavailable | QueueRefused | Retry e) {
      return retry(e, step, pauses);
    }
  }

  private <R extends @Nullable Object> R retry(
      RuntimeException first, Supplier<R> step, Pauses pauses) {
    mustBeRetried(first);
    ServiceState before = standing.state();
    boolean worked = workload.end();
    onUnavailable.run();
    RuntimeException missing = first;
    beforeRetry = before;
    try {
      while (true) {
        if (missing instanceof Retry retry) {
          standing.retry(String.valueOf(missing.getMessage()), retry.silent);
        } else {
          standing.await(missing);
        }
        if (missing instanceof QueueRefused) {
          pauses.sleep(REFUSED);
        } else {
          pauses.sleep();
        }
        mustGoOn();
        try {
          R result = step.get();
          standing.resume(before);
          if (worked) {
            workload.begin();
          }
          return result;
        } catch (Unavailable | QueueRefused | Retry e) {
          mustBeRetried(e);
          workload.end();
          missing = e;
        }
      }
    } finally {
      beforeRetry = null;
    }
  }

  /**
   * What the step that is retried needs is available again: the step is being performed, which may
   * take long. Does nothing if no step is retried, or if it was shown already: if that try fails,
   * too, the state must not change with each of the next ones.
   */
  void available(String text) {
    ServiceState before = beforeRetry;
    beforeRetry = null;
    if (before != null) {
      standing.enter(before.phase(), text);
      workload.begin();
    }
  }

  /** Throws a refusal that no retry can change, unless the thread has to end anyway. */
  private void mustBeRetried(RuntimeException e) {
    if (e instanceof QueueRefused refused && refused.retryAfter().isZero() && !stopping) {
      throw refused;
    }
  }
}
