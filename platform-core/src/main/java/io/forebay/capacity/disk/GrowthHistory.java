/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.series.Points;
import java.util.Arrays;

/**
 * The growth of a volume in each minute, in bytes per second; read-only. Minutes are counted from
 * the epoch. Gaps of up to 15 minutes are interpolated; longer ones stay unknown.
 */
final class GrowthHistory {

  private static final int BRIDGED = 15;

  private final long first;
  private final double[] bytes;
  private final int[] known;
  private final int sampled;

  /**
   * @param first the first minute
   * @param rates bytes per second of each minute, NaN for a gap
   */
  GrowthHistory(long first, float[] rates) {
    this.first = first;
    int sampled = 0;
    for (float rate : rates) {
      if (!Float.isNaN(rate)) {
        sampled++;
      }
    }
    this.sampled = sampled;
    float[] bridged = bridge(rates);
    bytes = new double[rates.length + 1];
    known = new int[rates.length + 1];
    for (int i = 0; i < rates.length; i++) {
      boolean gap = Float.isNaN(bridged[i]);
      bytes[i + 1] = bytes[i] + (gap ? 0 : 60.0 * bridged[i]);
      known[i + 1] = known[i] + (gap ? 0 : 1);
    }
  }

  private static float[] bridge(float[] rates) {
    float[] bridged = rates.clone();
    int lastKnown = -1;
    for (int i = 0; i < rates.length; i++) {
      if (Float.isNaN(rates[i])) {
        continue;
      }
      int gap = i - lastKnown - 1;
      if (lastKnown >= 0 && gap > 0 && gap <= BRIDGED) {
        Arrays.fill(bridged, lastKnown + 1, i, (rates[lastKnown] + rates[i]) / 2);
      }
      lastKnown = i;
    }
    return bridged;
  }

  static GrowthHistory of(Points minutes) {
    float[] rates = new float[minutes.size()];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = minutes.raw(i);
    }
    return new GrowthHistory(minutes.firstStep(), rates);
  }

  long first() {
    return first;
  }

  /** The minute after the last. */
  long end() {
    return first + known.length - 1;
  }

  /** How many minutes were sampled. */
  int sampledMinutes() {
    return sampled;
  }

  /** The mean of the known minutes in [from, to), bytes per second; NaN if there are none. */
  double mean(long from, long to) {
    int a = index(from);
    int b = index(to);
    int minutes = known[b] - known[a];
    return minutes == 0 ? Double.NaN : (bytes[b] - bytes[a]) / (60.0 * minutes);
  }

  /** Whether every minute in [from, to) is known. */
  boolean complete(long from, long to) {
    return from >= first && to <= end() && known[index(to)] - known[index(from)] == to - from;
  }

  /** The first known minute at or after this one, or the end. */
  long known(long minute) {
    for (int i = index(minute); i < known.length - 1; i++) {
      if (known[i + 1] > known[i]) {
        return first + i;
      }
    }
    return end();
  }

  /**
   * Minutes from a known minute until the wanted bytes were appended; infinite if a gap or the end
   * comes first.
   */
  double minutesToGrow(long from, double wanted, long until) {
    int a = index(from);
    int b = index(until);
    double target = bytes[a] + wanted;
    if (!(bytes[b] >= target)) { // also true for NaN: unknown
      return Double.POSITIVE_INFINITY;
    }
    int found = Arrays.binarySearch(bytes, a, b + 1, target);
    int after = found >= 0 ? found : -found - 1;
    if (after <= a) {
      return 0;
    }
    double step = bytes[after] - bytes[after - 1];
    double part = step > 0 ? (target - bytes[after - 1]) / step : 1;
    return after - 1 - a + part;
  }

  private int index(long minute) {
    return Math.clamp(minute - first, 0, known.length - 1);
  }
}
