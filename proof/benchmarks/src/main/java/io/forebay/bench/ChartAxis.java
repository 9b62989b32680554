/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * An axis of a chart.
 *
 * @param from the value at its beginning
 * @param to the value at its end; values beyond are drawn there
 * @param log whether it is logarithmic
 * @param ticks the labels of some values
 */
record ChartAxis(double from, double to, boolean log, Map<Double, String> ticks) {

  private static final int MOST_TICKS = 6;
  private static final double LOWEST = 1e-6;

  /** A linear axis from 0 to a value or a little more. */
  static ChartAxis upTo(double value) {
    double most = Math.max(value, 1e-9);
    double step = Math.pow(10, Math.floor(Math.log10(most)));
    for (double factor : new double[] {0.2, 0.5, 1, 2}) {
      if (most / (step * factor) <= MOST_TICKS) {
        step *= factor;
        break;
      }
    }
    int steps = (int) Math.ceil(most / step - 1e-9);
    Map<Double, String> ticks = new LinkedHashMap<>();
    for (int i = 0; i <= steps; i++) {
      ticks.put(i * step, number(i * step));
    }
    return new ChartAxis(0, steps * step, false, ticks);
  }

  /** A logarithmic axis between two powers of ten. */
  static ChartAxis powers(int from, int to, IntFunction<String> label) {
    Map<Double, String> ticks = new LinkedHashMap<>();
    for (int power = from; power <= to; power++) {
      ticks.put(Math.pow(10, power), label.apply(power));
    }
    return new ChartAxis(Math.pow(10, from), Math.pow(10, to), true, ticks);
  }

  /** A logarithmic axis that begins below the least value, but not too far below the greatest. */
  static ChartAxis powersAround(double least, double most) {
    double to = Math.max(most, Double.MIN_NORMAL);
    return powers(
        (int) Math.floor(Math.log10(Math.max(least, to * LOWEST)) - 0.3),
        (int) Math.ceil(Math.log10(to)),
        power -> number(Math.pow(10, power)));
  }

  /** Names at the values 0, 1, 2 and so on. */
  static ChartAxis names(List<String> names) {
    Map<Double, String> ticks = new LinkedHashMap<>();
    for (String name : new ArrayList<>(names)) {
      ticks.put((double) ticks.size(), name);
    }
    return new ChartAxis(0, Math.max(1, names.size() - 1), false, ticks);
  }

  /** Where a value is: from 0 at the beginning to 1 at the end. */
  double share(double value) {
    double share =
        log
            ? Math.log(Math.max(value, from) / from) / Math.log(to / from)
            : (value - from) / (to - from);
    return Math.clamp(share, 0, 1);
  }

  /** A number with as many digits as it needs. */
  private static String number(double value) {
    if (value >= 10 || value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%,d", Math.round(value));
    }
    return String.format(Locale.ROOT, "%.4f", value).replaceAll("0+$", "");
  }
}
