/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The CPU time of processes at certain times; values between samples are interpolated. */
final class CpuSamples {

  private final NavigableMap<Long, double[]> samples = new TreeMap<>();

  /**
   * @param seconds the CPU seconds of each process; NaN if the system does not report them
   */
  void add(long atMicros, double... seconds) {
    samples.put(atMicros, seconds);
  }

  /** The CPU seconds of each process between two times; NaN outside of the samples. */
  double[] between(long fromMicros, long toMicros) {
    double[] used = at(toMicros);
    double[] before = at(fromMicros);
    for (int i = 0; i < used.length; i++) {
      used[i] -= before[i];
    }
    return used;
  }

  private double[] at(long micros) {
    Map.Entry<Long, double[]> low = samples.floorEntry(micros);
    Map.Entry<Long, double[]> high = samples.ceilingEntry(micros);
    double[] between = samples.firstEntry().getValue().clone();
    double share =
        low == null || high == null
            ? Double.NaN
            : (double) (micros - low.getKey()) / Math.max(1, high.getKey() - low.getKey());
    for (int i = 0; i < between.length; i++) {
      between[i] =
          Double.isNaN(share)
              ? Double.NaN
              : low.getValue()[i] + share * (high.getValue()[i] - low.getValue()[i]);
    }
    return between;
  }
}
