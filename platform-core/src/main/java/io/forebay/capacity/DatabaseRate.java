/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.series.Points;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rate at which the database can perform messages of a service. A service that keeps up
 * performs what comes in; only a backlog shows the rate of the database.
 *
 * @param perSecond messages per second: measured under backlog, otherwise estimated
 * @param headroom how many times the present intake the database could perform for ever
 */
public record DatabaseRate(Figure<Double> perSecond, Figure<Double> headroom) {

  static final double SATURATED = 0.9;
  private static final double LEAST_BUSY = 0.05;

  /**
   * The share of the extrapolated rate that counts as attainable, because latency rises near
   * saturation.
   */
  private static final double ATTAINABLE = 0.8;

  private static final int LEAST_SECONDS = 60;
  private static final Duration RECENT = Duration.ofHours(24);
  private static final int LEAST_RECENT = 5;
  private static final double HIGH = 0.9;

  /** A measurement without its age is taken for a present one. */
  private static final Duration OLD = Duration.ofMinutes(10);

  /** Under a backlog, less than this share of the rate is a slow database. */
  private static final double SLOW = 0.7;

  /** The backlog may have ended since the last minute that was measured. */
  private static final Duration STILL = Duration.ofSeconds(90);

  /**
   * The rate measured under backlog, or the rate of the last minute if that is higher. Without a
   * backlog, 0.8 P / busy share if the busy share is at least 0.05: the utilisation law, U = X · S,
   * with a margin.
   */
  static DatabaseRate of(
      Optional<Saturated> seen,
      Instant at,
      Figure<Double> accepted,
      Figure<Double> performed,
      Figure<Double> busy) {
    double now = performed.known().orElse(0.0);
    Figure<Double> rate =
        seen.map(it -> measured(it, at, now))
            .orElseGet(() -> performed.then(done -> busy.then(share -> estimate(done, share))));
    Figure<Double> headroom =
        rate.then(can ->
            accepted.then(comes ->
                comes > 0
                    ? Figure.measured(can / comes)
                    : Figure.unknown("no messages arrive now")));
    return new DatabaseRate(rate, headroom);
  }

  private static Figure<Double> measured(Saturated seen, Instant at, double now) {
    Duration age = Duration.between(seen.at(), at);
    return now >= seen.perSecond() || age.compareTo(OLD) < 0
        ? Figure.measured(Math.max(seen.perSecond(), now))
        : Figure.estimated(
            seen.perSecond(), "measured under a backlog that ended %s ago".formatted(words(age)));
  }

  private static String words(Duration age) {
    return age.toDays() > 1
        ? age.toDays() + " days"
        : age.toHours() > 1 ? age.toHours() + " hours" : age.toMinutes() + " minutes";
  }

  /**
   * What the database does at present, if that is much less than it can do.
   *
   * @param latest the last saturated minute
   */
  Figure<Double> slower(Optional<Saturated> latest, Instant at) {
    return latest
        .filter(it -> it.at().plus(STILL).isAfter(at))
        .filter(it -> perSecond.known().filter(can -> it.perSecond() < SLOW * can).isPresent())
        .map(it -> Figure.measured(it.perSecond()))
        .orElseGet(() -> Figure.unknown("it is not slower than usual, or has no backlog"));
  }

  private static Figure<Double> estimate(double performed, double busy) {
    if (busy < LEAST_BUSY || performed <= 0) {
      return Figure.unknown(
          "no backlog in 7 days, and the workers are too idle for an estimate (busy %.0f %%, minimum %.0f %%)"
              .formatted(100 * busy, 100 * LEAST_BUSY));
    }
    return Figure.estimated(
        Math.max(performed, ATTAINABLE * performed / busy),
        "estimated from the busy share of the workers; no backlog in 7 days");
  }

  /**
   * A minute in which messages waited and the workers were at least 90 % busy.
   *
   * @param at when it ended
   * @param perSecond messages performed
   */
  record Saturated(Instant at, double perSecond) {}

  /**
   * The saturated minutes of a series, without overlap, the latest first; all series must have the
   * same steps.
   */
  static List<Saturated> saturated(Points performed, Points unperformed, Points busy) {
    int minute = Math.max(1, LEAST_SECONDS / (int) performed.step().toSeconds());
    int end = Math.min(performed.size(), Math.min(unperformed.size(), busy.size()));
    List<Saturated> minutes = new ArrayList<>();
    int length = 0;
    double sum = 0;
    for (int i = end - 1; i >= 0; i--) {
      boolean saturated =
          !Float.isNaN(performed.raw(i)) && unperformed.raw(i) > 0 && busy.raw(i) >= SATURATED;
      length = saturated ? length + 1 : 0;
      sum = saturated ? sum + performed.raw(i) : 0;
      if (length == minute) {
        if (sum > 0) {
          minutes.add(
              new Saturated(performed.time(i + minute - 1).plus(performed.step()), sum / minute));
        }
        length = 0;
        sum = 0;
      }
    }
    return minutes;
  }

  /**
   * What the database can do by its saturated minutes: their 90th percentile, because a lock or a
   * backup makes some of them slow. Of the last 24 hours if there are at least five, else of all.
   *
   * @param minutes the latest first
   */
  static Optional<Saturated> best(List<Saturated> minutes, Instant now) {
    List<Saturated> recent =
        minutes.stream().filter(it -> it.at().plus(RECENT).isAfter(now)).toList();
    List<Saturated> counted = recent.size() >= LEAST_RECENT ? recent : minutes;
    double[] rates = counted.stream().mapToDouble(Saturated::perSecond).sorted().toArray();
    return rates.length == 0
        ? Optional.empty()
        : Optional.of(
            new Saturated(
                counted.getFirst().at(), rates[(int) Math.ceil(HIGH * rates.length) - 1]));
  }
}
