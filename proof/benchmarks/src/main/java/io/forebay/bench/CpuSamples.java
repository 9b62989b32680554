/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The CPU time of processes at certain times; values between samples are interpolated. */
final class CpuSamples {

  /** CPU seconds; NaN if the system does not report them. */
  record Sample(double sink, double database, double broker) {

    private double[] values() {
      return new double[] {sink, database, broker};
    }
  }

  private final NavigableMap<Long, Sample> samples = new TreeMap<>();

  void add(long atMicros, Sample sample) {
    samples.put(atMicros, sample);
  }

  /** The CPU time between two times. */
  Sample between(long fromMicros, long toMicros) {
    double[] from = at(fromMicros);
    double[] to = at(toMicros);
    return new Sample(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  }

  private double[] at(long micros) {
    Map.Entry<Long, Sample> before = samples.floorEntry(micros);
    Map.Entry<Long, Sample> after = samples.ceilingEntry(micros);
    if (before == null || after == null) {
      double[] unknown = new double[3];
      Arrays.fill(unknown, Double.NaN);
      return unknown;
    }
    double[] low = before.getValue().values();
    double[] high = after.getValue().values();
    long span = after.getKey() - before.getKey();
    double share = span == 0 ? 0 : (double) (micros - before.getKey()) / span;
    double[] between = new double[low.length];
    for (int i = 0; i < between.length; i++) {
      between[i] = low[i] + share * (high[i] - low[i]);
    }
    return between;
  }
}
