/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A piece of a series: equal steps from {@link #first}, each with a value or a gap. Immutable. */
public final class Points {

  private final long firstStep;
  private final int stepSeconds;
  private final float[] values;

  public Points(long firstStep, int stepSeconds, float[] values) {
    this.firstStep = firstStep;
    this.stepSeconds = stepSeconds;
    this.values = values;
  }

  /** The beginning of the first step. */
  public Instant first() {
    return time(0);
  }

  public Duration step() {
    return Duration.ofSeconds(stepSeconds);
  }

  public int size() {
    return values.length;
  }

  /** The beginning of a step, counted from 0. */
  public Instant time(int index) {
    return Instant.ofEpochSecond((firstStep + index) * stepSeconds);
  }

  /** The values of the steps, with seven significant digits; null where nothing was sampled. */
  public List<@Nullable Double> all() {
    List<@Nullable Double> all = new ArrayList<>();
    for (float value : values) {
      all.add(Float.isNaN(value) ? null : Double.valueOf(value));
    }
    return all;
  }

  /** The value or NaN for a gap, for computations in this package. */
  public float raw(int index) {
    return values[index];
  }

  /** The mean of the known values; NaN if there are none. */
  public double mean() {
    double sum = 0;
    int count = 0;
    for (float value : values) {
      if (!Float.isNaN(value)) {
        sum += value;
        count++;
      }
    }
    return count == 0 ? Double.NaN : sum / count;
  }
}
