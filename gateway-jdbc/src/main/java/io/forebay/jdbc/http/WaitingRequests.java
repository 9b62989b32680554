/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.http.limit.Places;
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
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/** Limits how long and how many requests wait for their results. Thread-safe. */
final class WaitingRequests implements SmartLifecycle {

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(2);

  private final Duration longest;
  private final Places places;
  private final Set<Thread> waiters = ConcurrentHashMap.newKeySet();
  private volatile boolean running;

  WaitingRequests(Duration longest, int limit) {
    this.longest = longest;
    places =
        new Places(
            limit,
            ProblemType.TOO_MANY_WAITING,
            "Too many requests wait for results (limit=%,d); nothing was accepted; retry later or without wait");
  }

  /** A place for one waiting request; released when closed. */
  final class Place implements AutoCloseable {

    private final Duration time;
    private final Places.Place taken;

    private Place(Duration time) {
      this.time = time;
      taken = time.isPositive() ? places.take() : Places.Place.NONE;
    }

    Duration time() {
      return time;
    }

    /** Whether the service is stopping, so that no request may wait. */
    boolean isOver() {
      return !running;
    }

    /**
     * Waits for a result, for the requested time at most or until the service stops.
     *
     * @throws TimeoutException if the result did not arrive
     */
    <T> T await(CompletableFuture<T> result)
        throws TimeoutException, InterruptedException, ExecutionException {
      long deadline = Machine.nanos() + time.toNanos();
      Thread waiting = Thread.currentThread();
      waiters.add(waiting);
      try {
        result.whenComplete((_, _) -> LockSupport.unpark(waiting));
        while (!result.isDone()) {
          if (!running || deadline - Machine.nanos() <= 0) {
            throw new TimeoutException();
          }
          Machine.parkUntil(result, deadline);
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
        }
        return result.get();
      } finally {
        waiters.remove(waiting);
      }
    }

    /**
     * Looks again and again, after longer and longer pauses, for the requested time at most or
     * until the service stops.
     *
     * @param isDone whether what was found ends the wait
     * @return what was found last
     */
    <T> T poll(Duration longestPause, Supplier<T> look, Predicate<T> isDone) {
      long deadline = System.nanoTime() + time.toNanos();
      Duration pause = SHORTEST_PAUSE;
      while (true) {
        T found = look.get();
        if (isDone.test(found) || System.nanoTime() - deadline >= 0 || isOver()) {
          return found;
        }
        try {
          Thread.sleep(pause);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return found;
        }
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(longestPause) < 0 ? doubled : longestPause;
      }
    }

    @Override
    public void close() {
      taken.close();
    }
  }

  /**
   * Takes a place for the time that the request asks for with {@code ?wait=}.
   *
   * @throws Problem if that time is too long, or too many requests wait
   */
  Place enter(HttpServletRequest request) {
    return new Place(time(request));
  }

  /** The thread that calls it is unparked when the service stops. */
  void enter() {
    waiters.add(Thread.currentThread());
  }

  void leave() {
    waiters.remove(Thread.currentThread());
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
