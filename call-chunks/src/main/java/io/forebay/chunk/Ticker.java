/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.time.Duration;

/** The clock of a collector, with periodic ticks. */
public interface Ticker {

  /** The time in nanoseconds from an arbitrary origin; never decreases. Thread-safe. */
  long nanos();

  /**
   * Calls {@code tick} periodically, on one thread at a time, until the returned {@code Runnable}
   * is run.
   *
   * @return stops the calls; one may still be in progress
   */
  Runnable start(Runnable tick);

  /**
   * The system clock, with one tick per period. It uses its own platform thread, because virtual
   * threads that compute may starve all others.
   */
  static Ticker every(Duration period) {
    if (!period.isPositive()) {
      throw new IllegalArgumentException("period is " + period + ", it must be more than zero");
    }
    return new SystemTicker(period);
  }
}
