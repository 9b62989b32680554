/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Figure;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;

/**
 * Computes the disk runway from the growth per minute. Deterministic. With at least 48 hours of
 * history it uses the mean day ({@link GrowthForecast}) and a band from repeated past forecasts
 * ({@link Band}). With less, it uses the mean over a period as long as the runway itself, and a
 * band from the slowest to the fastest look-back; it reaches ten times as far as the history, and a
 * later end is unknown. With under 15 minutes the runway is unknown.
 */
final class RunwayEstimator {

  private static final int LEAST_MINUTES = 15;
  private static final int DAY_MINUTES = 48 * 60;
  private static final int[] LOOK_BACKS = {5, 15, 60, 360, 1440};
  private static final int FORECASTS = 100;

  /** How far a rough forecast reaches, as a multiple of its history. */
  private static final int REACH = 10;

  /** A shorter look-back is a burst's, and says nothing once the burst has ended. */
  private static final int BURST_MINUTES = 60;

  private final GrowthHistory history;
  private final double othersPerSecond;
  private final double othersAtMost;
  private final boolean isSlowing;

  /**
   * @param othersPerSecond bytes per second by which others fill the volume
   */
  RunwayEstimator(GrowthHistory history, double othersPerSecond) {
    this(history, othersPerSecond, othersPerSecond, false);
  }

  /**
   * @param othersAtMost the same at the early edge of a rough forecast
   * @param isSlowing whether a burst has just ended: {@link RecentGrowth#isSlowing}
   */
  RunwayEstimator(
      GrowthHistory history, double othersPerSecond, double othersAtMost, boolean isSlowing) {
    this.history = history;
    this.othersPerSecond = othersPerSecond;
    this.othersAtMost = isSlowing ? othersPerSecond : othersAtMost;
    this.isSlowing = isSlowing;
  }

  /**
   * @param now the end of the history, or a moment in it; later data is ignored
   */
  Figure<Runway> runway(Outlook outlook, Instant now) {
    return forecast(outlook, now).map(it -> it.runway(outlook.volume(), now));
  }

  /** See {@link VolumeHistory#curve}. */
  Figure<Runway.Curve> curve(Outlook outlook, Instant now, Duration atLeast, int points) {
    return forecast(outlook, now).map(it -> it.curve(outlook.volume(), now, atLeast, points));
  }

  private Figure<FillForecast> forecast(Outlook outlook, Instant now) {
    long minute = Math.floorDiv(now.getEpochSecond(), 60);
    if (history.sampledMinutes() < LEAST_MINUTES) {
      return Figure.unknown(
          "needs %d minutes of history, has %d".formatted(LEAST_MINUTES, history.sampledMinutes()));
    }
    return isRough(history)
        ? rough(outlook, now, minute)
        : Figure.estimated(byDay(outlook, now, minute), "from previous days");
  }

  /** Whether there is too little history for a mean day. */
  static boolean isRough(GrowthHistory history) {
    return history.sampledMinutes() < DAY_MINUTES;
  }

  private FillForecast byDay(Outlook outlook, Instant now, long minute) {
    GrowthForecast forecast = GrowthForecast.byDay(history, minute);
    FillWalk walk = new FillWalk(outlook, forecast, othersPerSecond, now);
    FillWalk.End middle = walk.walk(1);
    double minutes = minutes(middle);
    Band band = Band.replay(history, minute, minutes);
    double grown = forecast.bytes(minutes);
    FillWalk.End early = walk.walk(times(grown, forecast.bytes(minutes * band.low())));
    FillWalk.End late = walk.walk(times(grown, forecast.bytes(minutes * band.high())));
    return new FillForecast(middle, early, late, Band.FLOOR, false);
  }

  /** The factor on growth that makes {@code whole} bytes grow in the time of {@code part}. */
  private static double times(double whole, double part) {
    return part > 0 ? whole / part : 1;
  }

  /**
   * The minutes for which to repeat past forecasts: the length of the runway, or a day if the disk
   * does not fill.
   */
  private static double minutes(FillWalk.End middle) {
    return Double.isNaN(middle.seconds())
        ? 1440
        : Math.max(GrowthForecast.QUARTER, middle.seconds() / 60);
  }

  private Figure<FillForecast> rough(Outlook outlook, Instant now, long minute) {
    double lookBack = 60;
    FillWalk.End middle = walk(outlook, now, history.mean(minute - 60, minute));
    for (int round = 0; round < 8; round++) {
      double next = Math.clamp(minutes(middle), 15, 1440);
      if (Math.abs(next - lookBack) < 1) {
        break;
      }
      lookBack = next;
      middle = walk(outlook, now, history.mean(minute - (long) lookBack, minute));
    }
    double reach = 60.0 * REACH * history.sampledMinutes();
    if (middle.seconds() > reach) {
      return Figure.unknown(
          "not full within %s; a longer forecast needs more history"
              .formatted(Formats.forecast(Duration.ofSeconds((long) reach))));
    }
    double rate = history.mean(minute - (long) lookBack, minute);
    double floor = Band.roughFloor(minutes(middle));
    double slowest = rate / floor;
    double fastest = rate * floor;
    for (int back : LOOK_BACKS) {
      double mean = history.mean(minute - back, minute);
      if (!Double.isNaN(mean)) {
        slowest = Math.min(slowest, mean);
        fastest = isSlowing && back < BURST_MINUTES ? fastest : Math.max(fastest, mean);
      }
    }
    FillWalk.End early = walk(outlook, now, fastest, othersAtMost);
    return Figure.estimated(
        new FillForecast(
            middle, early.seconds() > reach ? middle : early, walk(outlook, now, slowest), 1, true),
        "rough: needs 48 hours of history, has %.1f".formatted(history.sampledMinutes() / 60.0));
  }

  private FillWalk.End walk(Outlook outlook, Instant now, double rate) {
    return walk(outlook, now, rate, othersPerSecond);
  }

  private FillWalk.End walk(Outlook outlook, Instant now, double rate, double others) {
    long minute = Math.floorDiv(now.getEpochSecond(), 60);
    double known = Double.isNaN(rate) ? history.mean(history.first(), history.end()) : rate;
    return new FillWalk(outlook, GrowthForecast.steady(minute, known), others, now).walk(1);
  }

  /**
   * The share of bands of this horizon that contained the actual value. It repeats the forecasts of
   * up to 100 moments of the last 7 days that have 48 hours of history before them and whose actual
   * value is known.
   */
  Figure<Runway.HitRate> hitRate(Duration horizon, Instant now) {
    long minute = Math.floorDiv(now.getEpochSecond(), 60);
    double minutes = Math.max(GrowthForecast.QUARTER, horizon.toMinutes());
    long from = Math.max(history.known(history.first()) + DAY_MINUTES, minute - 7 * 1440L);
    long to = minute - (long) (2 * minutes);
    int right = 0;
    int of = 0;
    for (long moment = from; moment < to; moment += Math.max(1, (to - from) / FORECASTS)) {
      double actual =
          history.minutesToGrow(
              moment, GrowthForecast.byDay(history, moment).bytes(minutes), minute);
      long seen = Math.min(minute, moment + (long) Math.min(actual, 30 * 1440) + 1);
      if (!history.complete(moment, seen)) {
        continue;
      }
      Band band = Band.replay(history, moment, minutes);
      if (actual == Double.POSITIVE_INFINITY && (minute - moment) <= band.high() * minutes) {
        continue;
      }
      of++;
      if (actual >= band.low() * minutes && actual <= band.high() * minutes) {
        right++;
      }
    }
    return of == 0
        ? Figure.unknown(
            "no forecast of %d h can be checked yet: a forecast is checked only after its end, and only if 48 hours of history precede it"
                .formatted(horizon.toHours()))
        : Figure.measured(new Runway.HitRate(right, of));
  }
}
