/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many requests read queues at the same time: each of them has a tailer, which on Kafka
 * is a consumer with connections of its own. A look-up waits for a place, first come first served,
 * for a second at most. Thread-safe.
 */
public final class LookUps {

  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final int limit;
  private final Callers callers;
  private final Semaphore places;

  /**
   * @param limit the most at the same time
   */
  public LookUps(int limit, Callers callers) {
    this.limit = limit;
    this.callers = callers;
    this.places = new Semaphore(limit, true);
  }

  /**
   * Performs an action that reads queues, when there is a place for it.
   *
   * @throws Problem if there is no place in time; the action was not performed
   */
  public <T extends @Nullable Object> T perform(Supplier<T> action) {
    if (!tryAcquire()) {
      callers.refused(Limit.MAX_LOOK_UPS);
      throw new Problem(
              ProblemType.TOO_MANY_REQUESTS,
              "Too many results are looked up at the same time (limit=%,d); nothing was read; retry later"
                  .formatted(limit))
          .with("limit", limit)
          .retryAfter(RETRY);
    }
    try {
      return action.get();
    } finally {
      places.release();
    }
  }

  private boolean tryAcquire() {
    try {
      return places.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Problem(
          ProblemType.UNAVAILABLE, "The service is stopping; look the result up again later");
    }
  }
}
