/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Percentiles of a histogram. Percentiles of a longer period are never computed from those of
 * shorter ones.
 *
 * @param count the number of values
 * @param values the 50th to the 99.99th percentile, by parts per million, in order: measured if at
 *     least ten values lie above it, estimated if at least one does and there are at least 10,000
 *     values, otherwise unknown
 */
public record Percentiles(long count, Map<Integer, Figure<Duration>> values) {

  /** 50, 90, 99, 99.9 and 99.99, in parts per million. */
  private static final int[] SHOWN = {500_000, 900_000, 990_000, 999_000, 999_900};

  private static final long MILLION = 1_000_000;
  private static final long ABOVE = 10;
  private static final long LEAST_ESTIMATED = 10_000;

  /**
   * @param nanos a histogram of nanoseconds
   */
  public static Percentiles of(Histogram nanos) {
    Map<Integer, Figure<Duration>> values = new LinkedHashMap<>();
    for (int perMillion : SHOWN) {
      values.put(perMillion, at(nanos, perMillion));
    }
    return new Percentiles(nanos.getTotalCount(), values);
  }

  /**
   * One percentile.
   *
   * @param perMillion 999,900 for the 99.99th
   */
  public static Figure<Duration> at(Histogram nanos, int perMillion) {
    long count = nanos.getTotalCount();
    long above = count * (MILLION - perMillion);
    if (above < MILLION || (above < ABOVE * MILLION && count < LEAST_ESTIMATED)) {
      long needed = ABOVE * MILLION / (MILLION - perMillion);
      return Figure.unknown("needs %,d values, has %,d".formatted(needed, count));
    }
    Duration value = Duration.ofNanos(nanos.getValueAtPercentile(perMillion / 10_000.0));
    return above >= ABOVE * MILLION
        ? Figure.measured(value)
        : Figure.estimated(value, "from fewer than ten values above it");
  }
}
