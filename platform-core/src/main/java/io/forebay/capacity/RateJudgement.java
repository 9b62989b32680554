/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.DatabaseRate.Saturated;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * How well the estimate of what the database can perform was right: measured divided by estimated,
 * of past backlogs. 1 is exact; less means that the database performed less than was estimated.
 *
 * <p>The recorded minutes are replayed through the estimator. When a backlog begins, and every hour
 * while it lasts, the estimator says what the database can perform, from nothing but the minutes
 * before; each saturated minute of the next hour is compared with that. So an estimate is never
 * judged by what it was made of. This is the evaluation with a rolling origin of L. J. Tashman,
 * "Out-of-sample tests of forecasting accuracy", International Journal of Forecasting 16 (2000),
 * pages 437 to 450; the band between two quantiles of the ratios claims nothing about their
 * distribution.
 *
 * @param low the 10th percentile of measured / estimated
 * @param high the 90th percentile
 * @param comparisons how many saturated minutes were compared; at least {@link #LEAST}
 * @param span from the first to the last of them
 */
public record RateJudgement(double low, double high, int comparisons, Duration span) {

  static final int LEAST = 10;

  /** How long an estimate is compared with what follows. */
  private static final Duration HORIZON = Duration.ofHours(1);

  /** A shorter break does not end a backlog. */
  private static final Duration BREAK = Duration.ofMinutes(10);

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration PAST = Duration.ofDays(7);
  private static final double LOW = 0.1;
  private static final double HIGH = 0.9;

  /** The share of the estimate to plan with: the low end of the band, but at most all of it. */
  double share() {
    return Math.min(1, low);
  }

  /**
   * Judges the estimates of the time in which these minutes were recorded.
   *
   * @param minutes saturated minutes, the latest first
   * @param performed the messages performed per second in the minute before a time; NaN if unknown
   */
  static Figure<RateJudgement> of(List<Saturated> minutes, ToDoubleFunction<Instant> performed) {
    DoubleStream.Builder ratios = DoubleStream.builder();
    Instant origin = Instant.MIN;
    Instant before = Instant.MIN;
    Instant first = Instant.MAX;
    OptionalDouble said = OptionalDouble.empty();
    for (int i = minutes.size() - 1; i >= 0; i--) {
      Saturated minute = minutes.get(i);
      Instant begin = minute.at().minus(MINUTE);
      if (before == Instant.MIN
          || begin.isAfter(before.plus(BREAK))
          || !begin.isBefore(origin.plus(HORIZON))) {
        origin = begin;
        said = said(minutes.subList(i + 1, minutes.size()), origin, performed);
      }
      before = minute.at();
      if (said.isPresent()) {
        first = first == Instant.MAX ? begin : first;
        ratios.add(minute.perSecond() / said.getAsDouble());
      }
    }
    double[] sorted = ratios.build().sorted().toArray();
    if (sorted.length < LEAST) {
      return Figure.unknown(
          "needs %d minutes with a backlog, has %d".formatted(LEAST, sorted.length));
    }
    return Figure.measured(
        new RateJudgement(
            quantile(sorted, LOW),
            quantile(sorted, HIGH),
            sorted.length,
            Duration.between(first, before)));
  }

  /** What the estimator said at a time; empty if it had no saturated minute. */
  private static OptionalDouble said(
      List<Saturated> known, Instant at, ToDoubleFunction<Instant> performed) {
    int size = 0;
    while (size < known.size() && known.get(size).at().plus(PAST).isAfter(at)) {
      size++;
    }
    double now = performed.applyAsDouble(at);
    return DatabaseRate.best(known.subList(0, size), at)
        .map(it ->
            OptionalDouble.of(Double.isNaN(now) ? it.perSecond() : Math.max(it.perSecond(), now)))
        .orElseGet(OptionalDouble::empty);
  }

  private static double quantile(double[] sorted, double share) {
    return sorted[(int) Math.ceil(share * sorted.length) - 1];
  }
}
