/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * One rate of a sweep and its latencies, in nanoseconds.
 *
 * @param perSecond messages offered per second
 * @param completedPerSecond messages completed per second
 * @param typical the median
 * @param p99 99 % are at most this late
 * @param p999 99.9 % are at most this late
 * @param keepsUp whether the system kept up ({@link Measurement#keepsUp})
 */
public record Point(
    long perSecond, double completedPerSecond, long typical, long p99, long p999, boolean keepsUp) {

  static Point of(long perSecond, Measurement measured) {
    Histogram nanos = measured.nanos();
    return new Point(
        perSecond,
        measured.completedPerSecond(),
        nanos.getValueAtPercentile(50),
        nanos.getValueAtPercentile(99),
        nanos.getValueAtPercentile(99.9),
        measured.keepsUp());
  }

  /**
   * Whether the latencies are stable: the system keeps up, 99 % of the messages take at most 4
   * times and 99.9 % at most 10 times as long as is typical at a low rate.
   */
  boolean isStable(long typicalAtLowRate) {
    return keepsUp && p99 <= 4 * typicalAtLowRate && p999 <= 10 * typicalAtLowRate;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d/s: typical %.1f µs, 99 %% %.1f µs, 99.9 %% %.1f µs%s",
        perSecond,
        typical / 1e3,
        p99 / 1e3,
        p999 / 1e3,
        keepsUp ? "" : ", falls behind");
  }
}
