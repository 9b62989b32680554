/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * What a load at one rate gave.
 *
 * @param nanos the latency of each message that counts
 * @param length how long these messages were due
 * @param firstQuarterNanos the median latency of messages due in the first quarter of that time
 * @param lastQuarterNanos that of messages due in its last quarter
 * @param completedPerSecond messages completed per second, from the first one to the last one
 * @param givenUp whether the load ended early, because too many messages were not complete
 */
public record Measurement(
    Histogram nanos,
    Duration length,
    long firstQuarterNanos,
    long lastQuarterNanos,
    double completedPerSecond,
    boolean givenUp) {

  private static final double GROWTH = 0.01;

  /** In a short run, a single delay looks like growth. */
  private static final long ALLOWED_NANOS = 5_000_000;

  /** From the middle of the first quarter to the middle of the last one. */
  private static final double APART = 0.75;

  /**
   * Whether the system keeps up. It does not if messages late in the run wait more than twice as
   * long as early ones, and if this difference means that more than 1 % of the offered messages,
   * and more than those of 5 ms, were left over.
   */
  public boolean keepsUp() {
    long growth = lastQuarterNanos - firstQuarterNanos;
    boolean grows =
        lastQuarterNanos > 2 * firstQuarterNanos
            && growth > APART * (GROWTH * length.toNanos() + ALLOWED_NANOS);
    return !givenUp && !grows;
  }
}
