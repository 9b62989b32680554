/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.http.limit.Permits;
import io.forebay.machine.Machine;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Limits how long and how many requests wait for their results. Thread-safe. */
final class WaitingRequests implements SmartLifecycle {

  private final Duration longest;
  private final Permits permits;
  private final Set<Thread> waiters = ConcurrentHashMap.newKeySet();
  private volatile boolean running;

  WaitingRequests(Duration longest, int limit) {
    this.longest = longest;
    permits =
        new Permits(
            limit,
            ProblemType.TOO_MANY_WAITING,
            "Too many requests wait for results (limit=%,d); nothing was accepted; retry later or without wait");
  }

  /** A permit for one waiting request; released when closed. */
  final class Permit implements AutoCloseable {

    private final Duration time;
    private final Permits.@Nullable Permit taken;

    private Permit(Duration time) {
      this.time = time;
      taken = time.isPositive() ? permits.take() : null;
    }

    Duration time() {
      return time;
    }

    /**
     * Waits for a result, for the requested time at most or until the service stops.
     *
     * @throws TimeoutException if the result did not arrive
     */
    <T> T await(CompletableFuture<T> result)
        throws TimeoutException, InterruptedException, ExecutionException {
      Thread waiting = Thread.currentThread();
      result.whenComplete((_, _) -> LockSupport.unpark(waiting));
      if (!await(end -> Machine.parkUntil(result, end), result::isDone, done -> done)) {
        throw new TimeoutException();
      }
      return result.get();
    }

    /**
     * Looks, and looks again after each pause, for the requested time at most, until the service
     * stops or the thread is interrupted.
     *
     * @param pause ends if the thread is unparked, and at the latest at the deadline that it gets,
     *     a value of {@link Machine#nanos}
     * @param isDone whether what was found ends the wait
     * @return what was found last
     */
    <T> T await(LongConsumer pause, Supplier<T> look, Predicate<T> isDone) {
      long deadline = Machine.nanos() + time.toNanos();
      Thread waiting = Thread.currentThread();
      waiters.add(waiting);
      try {
        T found = look.get();
        while (!isDone.test(found)
            && running
            && !waiting.isInterrupted()
            && Machine.nanos() - deadline < 0) {
          pause.accept(deadline);
          found = look.get();
        }
        return found;
      } finally {
        waiters.remove(waiting);
      }
    }

    @Override
    public void close() {
      if (taken != null) {
        taken.close();
      }
    }
  }

  /**
   * Takes a permit for the time that the request asks for with {@code ?wait=}.
   *
   * @throws Problem if that time is too long, or too many requests wait
   */
  Permit enter(HttpServletRequest request) {
    return enter(time(request));
  }

  /** Takes a permit for this time. */
  Permit enter(Duration time) {
    return new Permit(time);
  }

  @Override
  public void start() {
    running = true;
  }

  /** Ends all waiting, so that it does not delay the stop of the process. */
  @Override
  public void stop() {
    running = false;
    waiters.forEach(LockSupport::unpark);
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Stops before the web server, which lets running requests finish. */
  @Override
  public int getPhase() {
    return SmartLifecycle.DEFAULT_PHASE;
  }

  private Duration time(HttpServletRequest request) {
    String text = Query.parameter(request, "wait");
    if (text == null) {
      return Duration.ZERO;
    }
    Duration time = Query.duration(text.matches("[0-9]+") ? text + "s" : text);
    if (time == null) {
      throw Problem.invalid("wait must be a time such as 5s or 500ms; nothing was done");
    }
    if (time.compareTo(longest) > 0) {
      throw Problem.invalid("wait exceeds the limit; nothing was done")
          .with("longestMillis", longest.toMillis());
    }
    return time;
  }
}
