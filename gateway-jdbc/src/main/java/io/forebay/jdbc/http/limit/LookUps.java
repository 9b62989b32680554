/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many requests read queues at the same time, in all and of each caller: each of them
 * has a tailer, which on Kafka is a consumer with connections of its own. Thread-safe.
 *
 * <p>A caller may have half of the places, so that it cannot take those of others. A look-up waits
 * for a place, first come first served, for a second at most.
 */
public final class LookUps {

  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final int limit;
  private final Callers callers;
  private final Duration patience;
  private final Semaphore places;
  private final Map<String, OfCaller> known = new ConcurrentHashMap<>();

  /**
   * @param limit the most at the same time
   */
  public LookUps(int limit, Callers callers) {
    this(limit, callers, PATIENCE);
  }

  LookUps(int limit, Callers callers, Duration patience) {
    this.limit = limit;
    this.callers = callers;
    this.patience = patience;
    this.places = new Semaphore(limit, true);
  }

  /** The places of one caller, as long as it has or awaits one. */
  private static final class OfCaller {
    private final int limit;
    private final Semaphore places;
    private int users;

    private OfCaller(int limit) {
      this.limit = limit;
      this.places = new Semaphore(limit, true);
    }
  }

  /**
   * Performs an action that reads queues, when there is a place for it.
   *
   * @param name the caller
   * @throws HttpProblem if there is no place in time; the action was not performed
   */
  public <T extends @Nullable Object> T perform(String name, Supplier<T> action) {
    Caller caller = callers.of(name);
    OfCaller own = enter(name, caller);
    try {
      long deadline = System.nanoTime() + patience.toNanos();
      if (!tryAcquire(own.places, deadline)) {
        throw refused(
            caller,
            "This caller looks up too many results at the same time",
            own.limit,
            own.places.availablePermits());
      }
      try {
        if (!tryAcquire(places, deadline)) {
          throw refused(
              caller,
              "Too many results are looked up at the same time",
              limit,
              places.availablePermits());
        }
        caller.lookUps().incrementAndGet();
        try {
          return action.get();
        } finally {
          caller.lookUps().decrementAndGet();
          places.release();
        }
      } finally {
        own.places.release();
      }
    } finally {
      leave(name);
    }
  }

  private OfCaller enter(String name, Caller caller) {
    return known.compute(
        name,
        (_, found) -> {
          OfCaller own =
              found == null
                  ? new OfCaller(Math.min(limit, caller.mostLookUps(Math.max(1, limit / 2))))
                  : found;
          own.users++;
          return own;
        });
  }

  private void leave(String name) {
    known.computeIfPresent(name, (_, own) -> --own.users == 0 ? null : own);
  }

  private static boolean tryAcquire(Semaphore places, long deadline) {
    try {
      return places.tryAcquire(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HttpProblem(
          ProblemType.UNAVAILABLE, "The service is stopping; look the result up again later");
    }
  }

  private static HttpProblem refused(Caller caller, String what, int limit, int free) {
    caller.refused(Limit.MAX_LOOK_UPS);
    int used = limit - Math.min(limit, free);
    return new HttpProblem(
            ProblemType.TOO_MANY_REQUESTS,
            "%s (%,d, limit=%,d); nothing was read; retry later".formatted(what, used, limit))
        .with("limit", limit)
        .with("used", used)
        .retryAfter(RETRY);
  }
}
