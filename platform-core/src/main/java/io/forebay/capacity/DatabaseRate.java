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
import java.util.OptionalDouble;

/**
 * The rate at which the database can perform messages of a service. A service that keeps up
 * performs what comes in; only a backlog shows the rate of the database.
 *
 * @param perSecond messages per second: measured under backlog, otherwise estimated
 * @param headroom how many times the present intake the database could perform for ever
 * @param sure whether it was measured under backlog, and not much more is performed at present
 */
public record DatabaseRate(Figure<Double> perSecond, Figure<Double> headroom, boolean sure) {

  private static final Figure<Double> NOT_SLOWER =
      Figure.unknown("it is not slower than usual, or has no backlog");

  static final double SATURATED = 0.9;
  private static final double LEAST_BUSY = 0.05;

  /**
   * The share of the extrapolated rate that counts as attainable, because latency rises near
   * saturation.
   */
  private static final double ATTAINABLE = 0.8;

  private static final Duration RECENT = Duration.ofHours(24);
  private static final int LEAST_RECENT = 5;
  private static final double HIGH = 0.9;

  /** A measurement without its age is taken for a present one. */
  private static final Duration OLD = Duration.ofMinutes(10);

  /** Under a backlog, less than this share of the rate is a slow database. */
  private static final double SLOW = 0.7;

  /** What was performed may exceed the 90th percentile of the backlogs by so much. */
  private static final double MORE = 1.1;

  /**
   * The present.
   *
   * @param performed messages per second over the last minute
   * @param now messages per second as they are shown
   * @param busy the share of the last minute in which the workers were busy
   * @param backlog whether messages have waited at the last commits
   */
  record Lately(
      Figure<Double> performed, Figure<Double> now, Figure<Double> busy, boolean backlog) {

    /** The database can do this at least. */
    double most() {
      return Math.max(performed.known().orElse(0.0), now.known().orElse(0.0));
    }
  }

  /**
   * The rate measured under backlog, or what is performed at present if that is more. Without a
   * backlog, 0.8 P / busy share if the busy share is from 0.05 to 0.9: the utilisation law, U = X ·
   * S, with a margin.
   */
  static DatabaseRate of(
      Optional<Saturated> seen, Instant at, Figure<Double> accepted, Lately lately) {
    Figure<Double> rate =
        seen.map(it -> measured(it, at, lately.most())).orElseGet(() -> estimate(lately));
    Figure<Double> headroom =
        rate.then(can ->
            accepted.then(comes ->
                comes > 0
                    ? Figure.measured(can / comes)
                    : Figure.unknown("no messages arrive now")));
    boolean sure = seen.filter(it -> lately.most() <= MORE * it.perSecond()).isPresent();
    return new DatabaseRate(rate, headroom, sure);
  }

  private static Figure<Double> measured(Saturated seen, Instant at, double now) {
    if (now > MORE * seen.perSecond()) {
      return Figure.estimated(now, "at least: performed at present, more than in any backlog");
    }
    Duration age = Duration.between(seen.at(), at);
    double most = Math.max(seen.perSecond(), now);
    return age.compareTo(OLD) < 0
        ? Figure.measured(most)
        : Figure.estimated(
            most, "measured under a backlog that ended %s ago".formatted(words(age)));
  }

  private static String words(Duration age) {
    return age.toDays() > 1
        ? age.toDays() + " days"
        : age.toHours() > 1 ? age.toHours() + " hours" : age.toMinutes() + " minutes";
  }

  /**
   * What the database does at present, if that is much less than it can do.
   *
   * @param saturated the rate of the present backlog; empty if there is none
   * @param now messages performed per second
   */
  Figure<Double> slower(OptionalDouble saturated, Figure<Double> now) {
    double slow = SLOW * perSecond.known().orElse(0.0);
    return saturated.isPresent() && saturated.getAsDouble() < slow
        ? now.then(rate -> rate < slow ? now : NOT_SLOWER)
        : NOT_SLOWER;
  }

  private static Figure<Double> estimate(Lately lately) {
    return lately
        .performed()
        .then(done -> lately.busy().then(share -> estimate(done, share, lately)));
  }

  private static Figure<Double> estimate(double performed, double busy, Lately lately) {
    if (busy < LEAST_BUSY || performed <= 0) {
      return Figure.unknown(
          "no backlog in 7 days, and the workers are too idle for an estimate (busy %.0f %%, minimum %.0f %%)"
              .formatted(100 * busy, 100 * LEAST_BUSY));
    }
    if (busy >= SATURATED) {
      return lately.backlog()
          ? Figure.estimated(lately.most(), "at least: performed under a backlog that began lately")
          : Figure.unknown(
              "no backlog in 7 days; the workers are busy but keep up, and may perform more in larger batches");
    }
    return Figure.estimated(
        Math.max(lately.most(), ATTAINABLE * performed / busy),
        "estimated from the busy share of the workers; no backlog in 7 days");
  }

  /**
   * A minute or more in which messages waited throughout and the workers were at least 90 % busy.
   *
   * @param at when it ended, to the minute
   * @param perSecond messages performed
   */
  record Saturated(Instant at, double perSecond) {}

  /**
   * Those of a series of {@link io.forebay.capacity.series.Measure#SATURATED}, the latest first.
   */
  static List<Saturated> saturated(Points rates) {
    List<Saturated> minutes = new ArrayList<>();
    for (int i = rates.size() - 1; i >= 0; i--) {
      if (!Float.isNaN(rates.raw(i))) {
        minutes.add(new Saturated(rates.time(i).plus(rates.step()), rates.raw(i)));
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
