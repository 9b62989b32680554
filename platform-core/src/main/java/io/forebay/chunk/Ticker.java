/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.time.Duration;

/** The time of a collector, and what reminds it to look. */
public interface Ticker {

  /** The time in nanoseconds from any origin; it never goes back. Thread-safe. */
  long nanos();

  /**
   * Calls {@code tick} now and then, by one thread at a time, until the answer is run.
   *
   * @return ends the calls; one may be under way still
   */
  Runnable start(Runnable tick);

  /**
   * The system's time, and a tick per period on a platform thread of its own: virtual threads that
   * compute may keep every other one from running.
   */
  static Ticker every(Duration period) {
    if (!period.isPositive()) {
      throw new IllegalArgumentException("period is " + period + ", it must be more than zero");
    }
    return new SystemTicker(period);
  }
}
