/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.capacity.BurstCourse;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a burst that begins now does to a service. Rates are messages per second.
 *
 * @param rate that of the burst: the requested one, otherwise the reference rate
 * @param now the present intake, which is also that after the burst
 * @param can what the database can perform
 * @param cautious what the plan reckons with; see {@link
 *     io.forebay.capacity.ServiceHistory#cautiousRate}
 * @param reference ten times the usual rate
 * @param typical how long bursts usually last
 * @param length how long this burst lasts
 * @param course what it does; null if its rate is unknown
 */
public record BurstPlan(
    Figure<Double> rate,
    Figure<Double> now,
    Figure<Double> can,
    Figure<Double> cautious,
    Figure<Double> reference,
    Figure<Duration> typical,
    Duration length,
    @Nullable BurstCourse course) {

  private static final Duration USUAL = Duration.ofMinutes(5);

  /**
   * @param asked the rate of the burst; null for the reference rate
   * @param length null for the usual length
   */
  public static BurstPlan of(
      ServiceWatch watch, @Nullable Double asked, @Nullable Duration length) {
    BurstHeadroom.Service before = watch.past().beforeBurst(watch.limit());
    Figure<Double> reference = watch.past().referenceBurst();
    Figure<Duration> typical = watch.past().typicalBurst();
    Figure<Double> rate = asked == null ? reference : Figure.measured(asked);
    Duration lasts = length == null ? typical.known().orElse(USUAL) : length;
    return new BurstPlan(
        rate,
        before.accepted(),
        watch.past().databaseRate().perSecond(),
        before.databaseRate(),
        reference,
        typical,
        lasts,
        rate.known().map(it -> BurstCourse.of(it, lasts, before)).orElse(null));
  }
}
