/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.Host;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How long a service withstands bursts of any size. Takes some tens of milliseconds. */
final class BurstPlan {

  private static final int POINTS = 40;
  private static final double LEAST = 0.1;
  private static final double MOST = 1000;

  private final @Nullable Host host;

  BurstPlan(@Nullable Host host) {
    this.host = host;
  }

  /**
   * @param rate the requested messages per second, otherwise the reference rate
   * @param late until a message of the burst waits longer than the limit
   * @param slow until appends slow down because of memory
   * @param full until the disk is full
   * @param now messages per second that are accepted now
   * @param can messages per second that the database can perform
   * @param typical how long bursts usually last
   */
  record Document(
      Figure<Double> rate,
      Figure<Until> late,
      Figure<Until> slow,
      Figure<Until> full,
      Figure<Until> recovery,
      Figure<Double> now,
      Figure<Double> can,
      Figure<Double> reference,
      Figure<Duration> typical,
      List<Point> envelope) {}

  /** Seconds at one rate; null for unlimited or unknown. */
  record Point(double rate, @Nullable Double late, @Nullable Double slow, @Nullable Double full) {}

  Document of(ServiceWatch watch, @Nullable Double rate, double others) {
    BurstHeadroom.Service before = watch.past().beforeBurst(watch.limit());
    Figure<Double> reference = watch.past().referenceBurst();
    Figure<Double> asked = rate == null ? reference : Figure.measured(rate);
    Figure<BurstHeadroom> burst = asked.map(it -> burst(watch, before, it, others));
    return new Document(
        asked,
        burst.then(BurstHeadroom::late),
        burst.then(BurstHeadroom::slow),
        burst.then(BurstHeadroom::full),
        burst.then(BurstHeadroom::recovery),
        before.accepted(),
        before.databaseRate(),
        reference,
        watch.past().typicalBurst(),
        envelope(watch, before, others));
  }

  private BurstHeadroom burst(
      ServiceWatch watch, BurstHeadroom.Service before, double rate, double others) {
    return BurstHeadroom.of(
        rate,
        before,
        ServiceReports.memory(host),
        others,
        ServiceReports.full(host, watch.name(), before.extraBytesPerSecond(rate)));
  }

  /**
   * Points at rates in equal ratios around the capacity of the database; none if that is unknown.
   */
  private List<Point> envelope(ServiceWatch watch, BurstHeadroom.Service before, double others) {
    List<Point> points = new ArrayList<>();
    before
        .databaseRate()
        .known()
        .ifPresent(can -> {
          for (int i = 0; i < POINTS; i++) {
            double rate = can * LEAST * Math.pow(MOST / LEAST, i / (POINTS - 1.0));
            BurstHeadroom at = burst(watch, before, rate, others);
            points.add(new Point(rate, seconds(at.late()), seconds(at.slow()), seconds(at.full())));
          }
        });
    return points;
  }

  private static @Nullable Double seconds(Figure<Until> until) {
    return until.known().flatMap(Until::left).map(left -> left.toNanos() / 1e9).orElse(null);
  }
}
