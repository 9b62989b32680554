/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.Arrays;

/**
 * How much later or earlier than forecast things came in the past: the same forecast, made again at
 * up to 300 moments of the last 7 days from nothing but what was known then.
 *
 * @param low times the forecast, at most 1 / floor
 * @param high times the forecast, at least the floor
 */
record Band(double low, double high) {

  private static final int MOMENTS = 300;
  private static final long PAST = 7 * 1440L;

  /** A forecast of the past needs so much history of its own. */
  private static final long LEAST_PAST = 1440;

  /** Never narrower than this, up and down. */
  static final double FLOOR = 1.25;

  /** While too little of the past could be forecast again to tell. */
  static final double THIN_FLOOR = 1.6;

  /** Before there are days to go by: what the day does is not known, the more the farther away. */
  static double roughFloor(double minutes) {
    return Math.clamp(2 * Math.sqrt(minutes / 120), 2, 4);
  }

  static Band atLeast(double floor, double low, double high) {
    return new Band(Math.min(low, 1 / floor), Math.max(high, floor));
  }

  /** For a forecast of so many minutes, by what was known before this minute. */
  static Band replay(GrowthHistory history, long now, double minutes) {
    long from = Math.max(history.known(history.first()) + LEAST_PAST, now - PAST);
    double horizon = Math.min(minutes, Math.max(GrowthForecast.QUARTER, (now - from) / 2.0));
    long to = now - (long) Math.ceil(horizon);
    long step = Math.max(1, (to - from) / MOMENTS);
    double[] ratios = new double[MOMENTS + 2];
    int count = 0;
    for (long moment = from; moment < to && count < ratios.length; moment += step) {
      double ratio = ratio(history, moment, horizon, now);
      if (!Double.isNaN(ratio)) {
        ratios[count++] = ratio;
      }
    }
    boolean thin = count < MOMENTS / 10 || to - from < Math.max(1440, 2 * minutes);
    if (count == 0) {
      return atLeast(THIN_FLOOR, 1, 1);
    }
    Arrays.sort(ratios, 0, count);
    return atLeast(
        thin ? THIN_FLOOR : FLOOR,
        ratios[(int) (0.05 * (count - 1))],
        ratios[(int) Math.ceil(0.95 * (count - 1))]);
  }

  /**
   * Actual over forecast minutes to grow by what was forecast for the horizon. What had not grown
   * by now counts as coming now: the actual is later. NaN where it is not known.
   */
  private static double ratio(GrowthHistory history, long moment, double horizon, long now) {
    long until = Math.min(now, moment + (long) Math.ceil(4 * horizon));
    double forecast = GrowthForecast.byDay(history, moment).bytes(horizon);
    if (forecast <= 0) {
      return Double.NaN;
    }
    double actual = history.minutesToGrow(moment, forecast, until);
    long seen = actual == Double.POSITIVE_INFINITY ? until : moment + (long) Math.ceil(actual);
    if (!history.complete(moment, seen)) {
      return Double.NaN;
    }
    return Math.min(actual, until - moment) / horizon;
  }
}
