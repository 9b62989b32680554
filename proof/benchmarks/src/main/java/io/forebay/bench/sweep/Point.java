/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import org.HdrHistogram.Histogram;

/**
 * One rate of a sweep and its latencies, in nanoseconds.
 *
 * @param perSecond messages offered per second
 * @param completedPerSecond messages completed per second
 * @param messages how many were counted
 * @param typical the median
 * @param p90 90 % are at most this late; the others alike
 * @param keepsUp whether the system kept up ({@link Measurement#keepsUp})
 */
public record Point(
    long perSecond,
    double completedPerSecond,
    long messages,
    long typical,
    long p90,
    long p99,
    long p999,
    long p9999,
    long worst,
    boolean keepsUp) {

  static Point of(long perSecond, Measurement measured) {
    Histogram nanos = measured.nanos();
    return new Point(
        perSecond,
        measured.completedPerSecond(),
        nanos.getTotalCount(),
        nanos.getValueAtPercentile(50),
        nanos.getValueAtPercentile(90),
        nanos.getValueAtPercentile(99),
        nanos.getValueAtPercentile(99.9),
        nanos.getValueAtPercentile(99.99),
        nanos.getMaxValue(),
        measured.keepsUp());
  }

  /**
   * Whether the latencies are stable: the system keeps up, 99 % of the messages take at most 4
   * times and 99.9 % at most 10 times as long as is typical at a low rate.
   */
  boolean isStable(long typicalAtLowRate) {
    return keepsUp && p99 <= 4 * typicalAtLowRate && p999 <= 10 * typicalAtLowRate;
  }
}
