/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one request, with pauses between them: doubling from 50 ms to 5 s, half of each
 * random. For one thread.
 */
final class BackOff {

  private static final long SHORTEST_MILLIS = 50;
  private static final long LONGEST_MILLIS = 5_000;

  private final Duration retryFor;
  private long deadline;
  private long millis;
  private boolean outcomeUnknown;

  /**
   * @param retryFor how long attempts may go on without a {@link #reset}
   */
  BackOff(Duration retryFor) {
    this.retryFor = retryFor;
    reset();
  }

  /** An attempt had success. */
  void reset() {
    deadline = System.nanoTime() + retryFor.toNanos();
    millis = SHORTEST_MILLIS;
  }

  /** What the last attempt sent may have been accepted or not. */
  void outcomeUnknown() {
    outcomeUnknown = true;
  }

  /** Whether what an attempt sent may have been accepted, although none had success. */
  boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  /**
   * Waits until the next attempt.
   *
   * @param retryAfter what the door asks for; null if it does not say
   * @param failure of the last attempt, thrown if there is no time for another
   */
  void pause(@Nullable Duration retryAfter, RuntimeException failure) throws InterruptedException {
    long random = millis / 2 + ThreadLocalRandom.current().nextLong(millis / 2 + 1);
    Duration pause = Duration.ofMillis(random);
    if (retryAfter != null && retryAfter.isPositive()) {
      pause = retryAfter;
    }
    if (pause.toNanos() >= deadline - System.nanoTime()) {
      throw failure;
    }
    millis = Math.min(2 * millis, LONGEST_MILLIS);
    Thread.sleep(pause);
  }
}
