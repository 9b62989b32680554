/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import java.util.Arrays;

/**
 * How much later or earlier than forecast past events came. The same forecast is repeated for up to
 * 300 moments of the last 7 days, each time with only the data known at that moment.
 *
 * @param low factor on the forecast, at most 1 / floor
 * @param high factor on the forecast, at least the floor
 */
record Band(double low, double high) {

  private static final int MOMENTS = 300;
  private static final long PAST = 7 * 1440L;

  /** The minutes of history that a repeated forecast needs. */
  private static final long LEAST_PAST = 1440;

  /** The least width of the band, in both directions. */
  static final double FLOOR = 1.25;

  /** The least width while too few past forecasts could be repeated. */
  static final double THIN_FLOOR = 1.6;

  /** The least width before whole days are known: it grows with the length of the forecast. */
  static double roughFloor(double minutes) {
    return Math.clamp(2 * Math.sqrt(minutes / 120), 2, 4);
  }

  static Band atLeast(double floor, double low, double high) {
    return new Band(Math.min(low, 1 / floor), Math.max(high, floor));
  }

  /** The band for a forecast of that many minutes, from the data known before {@code now}. */
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
   * Actual divided by forecast minutes until the growth forecast for the horizon is reached. Growth
   * that has not been reached yet counts as reached now, although it will be later. NaN if unknown.
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
