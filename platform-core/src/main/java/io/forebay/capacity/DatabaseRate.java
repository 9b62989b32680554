/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.series.Points;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which the database can perform messages of a service: measured only while its workers
 * were busy from commit to commit. What a service that keeps up performs is a lower bound.
 *
 * @param perSecond messages per second; unknown if it was not measured, or much more is performed
 *     at present
 * @param atLeast what it can do at least, if {@code perSecond} is unknown and that was seen
 */
public record DatabaseRate(Figure<Double> perSecond, OptionalDouble atLeast) {

  static final Figure<Slower> NOT_SLOWER =
      Figure.unknown("it is not slower than usual, or has no backlog");

  /** A message that takes so many times as long as usual for 10 s shows a slow database. */
  static final double SLOWER = 1.5;

  /** For 5 s. */
  static final double CLEARLY_SLOWER = 3;

  static final double SATURATED = 0.9;

  private static final double HIGH = 0.9;
  private static final String NEVER_BUSY = "unknown until the first busy second";
  private static final String NO_BACKLOG = "not measured: no backlog lasted for 10 s";

  /** A measurement without its age is taken for a present one. */
  private static final Duration OLD = Duration.ofMinutes(10);

  /** Under a backlog, less than this share of the rate is a slow database. */
  private static final double SLOW = 0.7;

  /** What was performed may exceed the 90th percentile of the backlogs by so much. */
  private static final double MORE = 1.2;

  /**
   * @param now messages per second at present: the database can do this at least
   * @param most the most that was performed, of {@link Pace#seen}; empty if the workers were never
   *     busy
   */
  static DatabaseRate of(Optional<Saturated> seen, Instant at, double now, OptionalDouble most) {
    if (seen.isEmpty()) {
      return new DatabaseRate(Figure.unknown(most.isPresent() ? NO_BACKLOG : NEVER_BUSY), most);
    }
    return now > MORE * seen.get().perSecond()
        ? new DatabaseRate(
            Figure.unknown("not measured: more is performed at present than in any backlog"),
            OptionalDouble.of(now))
        : new DatabaseRate(measured(seen.get(), at, now), OptionalDouble.empty());
  }

  private static Figure<Double> measured(Saturated seen, Instant at, double now) {
    Duration age = Duration.between(seen.at(), at);
    double most = Math.max(seen.perSecond(), now);
    return age.compareTo(OLD) < 0
        ? Figure.measured(most)
        : Figure.estimated(
            most, "measured under a backlog that ended %s ago".formatted(Formats.duration(age)));
  }

  /**
   * A database that performs much less than it can, or takes much longer for a message than usual.
   *
   * @param perSecond the messages that it performs at most at present; null if that is unknown
   * @param times how many times as long as usual a message takes; null if that is unknown
   * @param lost the share of time lost to statements that fail, if that is why: a batch with one of
   *     them is performed again in pieces; else null
   */
  public record Slower(@Nullable Double perSecond, @Nullable Double times, @Nullable Double lost) {

    /** Why, shown to the reader. */
    String cause() {
      return lost == null
          ? "the database is slower than usual"
          : "statements fail and are tried again one by one";
    }
  }

  /** What to plan with: at least this much, if it was not measured. */
  Figure<Double> orAtLeast() {
    return perSecond.known().isEmpty() && atLeast.isPresent()
        ? Figure.estimated(atLeast.getAsDouble(), "the most that was seen; it may do more")
        : perSecond;
  }

  /** Whether it was measured or seen, and what the database does at present is much less. */
  boolean isMuchMoreThan(double now) {
    return now < SLOW * orAtLeast().known().orElse(0.0);
  }

  /**
   * At least 10 s, and three batches, in which messages waited from commit to commit and the
   * workers were at least 90 % busy. It does not begin before the first commit after a start, a
   * pause or an outage of the database.
   *
   * @param at when it ended, to the minute
   * @param perSecond messages performed / its length
   */
  record Saturated(Instant at, double perSecond) {}

  /**
   * Those of a series of {@link io.forebay.capacity.series.Measure#SATURATED}, the latest first.
   */
  static List<Saturated> saturated(Points rates) {
    return IntStream.range(0, rates.size())
        .filter(i -> !Float.isNaN(rates.raw(i)))
        .mapToObj(i -> new Saturated(rates.time(i).plus(rates.step()), rates.raw(i)))
        .toList()
        .reversed();
  }

  /**
   * What the database can do by its saturated minutes: their 90th percentile, because a lock or a
   * backup makes some of them slow.
   *
   * @param minutes the latest first
   */
  static Optional<Saturated> best(List<Saturated> minutes) {
    double[] rates = minutes.stream().mapToDouble(Saturated::perSecond).sorted().toArray();
    return rates.length == 0
        ? Optional.empty()
        : Optional.of(
            new Saturated(
                minutes.getFirst().at(), rates[(int) Math.ceil(HIGH * rates.length) - 1]));
  }
}
