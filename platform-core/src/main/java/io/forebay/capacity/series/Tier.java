/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.util.Arrays;

/**
 * One series at one resolution. The newest step is open: it accepts samples until the next step
 * begins.
 */
final class Tier {

  private static final long EMPTY = Long.MIN_VALUE;

  final int stepSeconds;
  private final Measure.Merge merge;
  private final float[] values;
  private long newest = EMPTY;
  private double sum;
  private int count;

  Tier(int stepSeconds, int length, Measure.Merge merge) {
    this.stepSeconds = stepSeconds;
    this.merge = merge;
    values = new float[length];
    Arrays.fill(values, Float.NaN);
  }

  /** Adds a sample of a second that is not before the newest step; NaN leaves a gap. */
  void add(long epochSecond, double value) {
    long step = Math.floorDiv(epochSecond, stepSeconds);
    if (newest == EMPTY || step > newest) {
      open(step);
    }
    if (Double.isNaN(value)) {
      return;
    }
    int slot = slot(step);
    sum += value;
    count++;
    values[slot] =
        (float)
            switch (merge) {
              case MEAN -> sum / count;
              case MAX -> count == 1 ? value : Math.max(values[slot], value);
              case LAST -> value;
            };
  }

  private void open(long step) {
    if (newest == EMPTY || step - newest >= values.length) {
      Arrays.fill(values, Float.NaN);
    } else {
      for (long skipped = newest + 1; skipped <= step; skipped++) {
        values[slot(skipped)] = Float.NaN;
      }
    }
    newest = step;
    sum = 0;
    count = 0;
  }

  /** Discards all steps after a second, because the clock was set back. */
  void forgetAfter(long epochSecond) {
    long step = Math.floorDiv(epochSecond, stepSeconds);
    if (newest == EMPTY || step >= newest) {
      return;
    }
    long from = Math.max(step, newest - values.length + 1);
    for (long future = from; future <= newest; future++) {
      values[slot(future)] = Float.NaN;
    }
    newest = step;
    sum = 0;
    count = 0;
  }

  /** Whether it reaches back to this second. */
  boolean reaches(long epochSecond) {
    return newest != EMPTY && Math.floorDiv(epochSecond, stepSeconds) > newest - values.length;
  }

  /** The steps that begin in [from, to). */
  Points read(long fromSecond, long toSecond) {
    long first = Math.ceilDiv(fromSecond, stepSeconds);
    long end = Math.ceilDiv(toSecond, stepSeconds);
    if (newest == EMPTY) {
      return new Points(first, stepSeconds, new float[0]);
    }
    first = Math.max(first, newest - values.length + 1);
    end = Math.min(end, newest + 1);
    float[] read = new float[(int) Math.max(0, end - first)];
    for (int i = 0; i < read.length; i++) {
      read[i] = values[slot(first + i)];
    }
    return new Points(first, stepSeconds, read);
  }

  private int slot(long step) {
    return (int) Math.floorMod(step, (long) values.length);
  }
}
