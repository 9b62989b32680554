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

/** Permits for requests that do the same thing at the same time. Thread-safe. */
public final class Permits {

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final int limit;
  private final ProblemType type;
  private final String refusal;
  private final Duration patience;
  private final Runnable refused;
  private final Semaphore free;

  /**
   * @param type of the problem if there is no permit
   * @param refusal its text, with a format for the limit
   */
  public Permits(int limit, ProblemType type, String refusal) {
    this(limit, type, refusal, Duration.ZERO, () -> {});
  }

  /**
   * @param patience how long a request waits for a permit, first come first served
   * @param refused is called for each that gets none
   */
  public Permits(int limit, ProblemType type, String refusal, Duration patience, Runnable refused) {
    this.limit = limit;
    this.type = type;
    this.refusal = refusal;
    this.patience = patience;
    this.refused = refused;
    free = new Semaphore(limit, true);
  }

  /** A permit, given back when it is closed; may be closed again. For one thread. */
  public final class Permit implements AutoCloseable {

    private boolean closed;

    private Permit() {}

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        free.release();
      }
    }
  }

  /** How many are taken now. */
  int taken() {
    return limit - free.availablePermits();
  }

  /**
   * @throws Problem if there is none in time
   */
  public Permit take() {
    try {
      if (free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        return new Permit();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Problem(ProblemType.UNAVAILABLE, "The service is stopping; retry later");
    }
    refused.run();
    throw new Problem(type, refusal.formatted(limit)).with("limit", limit).retryAfter(RETRY);
  }

  /**
   * Performs an action that takes a permit.
   *
   * @throws Problem if there is none in time; the action was not performed
   */
  public <T extends @Nullable Object> T perform(Supplier<T> action) {
    try (Permit _ = take()) {
      return action.get();
    }
  }
}
