/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A point of the tail of a distribution: one value in so many is at least this long. A tail has
 * points at equal distances on a logarithmic scale, as the percentile plots of HdrHistogram do, so
 * that the rare values take as much room as the usual ones.
 *
 * @param oneIn from 1 on; 1,000 is the 99.9th percentile
 * @param value that percentile
 */
public record Tail(double oneIn, Duration value) {

  private static final int POINTS_PER_DECADE = 8;

  /**
   * The tail of a histogram of nanoseconds, up to its maximum, which is the value of the last
   * point; empty if the histogram is.
   */
  static List<Tail> of(Histogram nanos) {
    long count = nanos.getTotalCount();
    List<Tail> tail = new ArrayList<>();
    double oneIn = 0;
    for (int i = 0; count > 0 && oneIn <= count; i++) {
      oneIn = Math.pow(10, (double) i / POINTS_PER_DECADE);
      tail.add(new Tail(oneIn, Duration.ofNanos(nanos.getValueAtPercentile(100 - 100 / oneIn))));
    }
    return List.copyOf(tail);
  }
}
