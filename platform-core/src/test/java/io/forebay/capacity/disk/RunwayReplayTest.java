/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Traffic;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The estimator against simulated traffic (design §5.3): a random moment is chosen, the disk gets
 * exactly the room that the simulated future fills within the horizon, and the band contains the
 * actual time or not.
 */
final class RunwayReplayTest {

  private static final int RUNS = 120;
  private static final long EPOCH = 20_000L * 1440;

  /** The result of a set of runs. */
  private record Outcome(double hits, double medianFactor, double medianWidth) {}

  private static Outcome replay(Traffic traffic, double historyDays, int hours, int runs) {
    int hits = 0;
    int known = 0;
    double[] factors = new double[runs];
    double[] widths = new double[runs];
    RandomGenerator random = new SplittableRandom(hours * 1000L + (long) (10 * historyDays));
    for (int run = 0; run < runs; run++) {
      int start = random.nextInt(7 * 1440);
      int now = start + (int) (historyDays * 1440);
      float[] all = traffic.minutes(now + hours * 60, run);
      GrowthHistory history = new GrowthHistory(EPOCH + start, Arrays.copyOfRange(all, start, now));
      long room = (long) Traffic.bytes(all, now, now + hours * 60);
      Figure<Runway> answer =
          new RunwayEstimator(history, 0)
              .runway(
                  new Outlook(new Volume(room, 0, 0), List.of(), Optional.empty(), Map.of()),
                  Instant.ofEpochSecond((EPOCH + now) * 60));
      if (answer instanceof Figure.Unknown) {
        continue; // beyond its reach
      }
      Runway runway = answer.known().orElseThrow();
      double low = hours(runway.low());
      double high = hours(runway.high());
      double middle = hours(runway.middle());
      if (low <= hours && hours <= high) {
        hits++;
      }
      factors[known] = Math.max(middle / hours, hours / middle);
      widths[known] = high / low;
      known++;
    }
    assertThat(known).isGreaterThan(runs / 2);
    Arrays.sort(factors, 0, known);
    Arrays.sort(widths, 0, known);
    return new Outcome((double) hits / known, factors[known / 2], widths[known / 2]);
  }

  private static double hours(Until until) {
    return until.left().map(it -> Lag.seconds(it) / 3600).orElse(720.0);
  }

  private static Outcome printed(Traffic traffic, double historyDays, int hours) {
    Outcome outcome = replay(traffic, historyDays, hours, RUNS);
    System.out.printf(
        "runway of %2d h, %-10s %4.1f days of history: band right in %3.0f %%, middle off by x%.2f, band x%.1f wide%n",
        hours,
        traffic,
        historyDays,
        100 * outcome.hits(),
        outcome.medianFactor(),
        outcome.medianWidth());
    return outcome;
  }

  private static final Set<Traffic> PROMISED =
      EnumSet.of(Traffic.FLAT, Traffic.DAILY_WAVE, Traffic.BURSTS);

  static Stream<Arguments> upTo12Hours() {
    return PROMISED.stream()
        .flatMap(traffic -> Stream.of(1, 2, 6, 12).map(hours -> Arguments.of(traffic, hours)));
  }

  @ParameterizedTest
  @MethodSource("upTo12Hours")
  void bandIsRightFourTimesOfFiveWith48HoursOfHistory(Traffic traffic, int hours) {
    for (double days : new double[] {2.1, 3, 14}) {
      assertThat(printed(traffic, days, hours).hits()).isGreaterThanOrEqualTo(0.8);
    }
  }

  @ParameterizedTest
  @MethodSource("upTo12Hours")
  void roughBandIsRightFourTimesOfFiveBefore48HoursOfHistory(Traffic traffic, int hours) {
    for (double days : new double[] {hours < 3 ? 0.02 : 0.12, 1.9}) { // within its reach
      assertThat(printed(traffic, days, hours).hits()).isGreaterThanOrEqualTo(0.8);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DAILY_WAVE", "BURSTS"})
  void middleIsNearerByTheDayThanByAStraightLine(Traffic traffic) {
    assertThat(replay(traffic, 7, 12, RUNS).medianFactor()).isLessThan(1.25);
    assertThat(replay(traffic, 1.9, 12, RUNS).medianFactor()).isGreaterThan(1.4);
  }

  @Test
  void bandIsAsWideAsThePastWasUncertain() {
    assertThat(replay(Traffic.BURSTS, 7, 2, RUNS).medianWidth())
        .isGreaterThan(2 * replay(Traffic.FLAT, 7, 2, RUNS).medianWidth());
  }

  /** Beyond the guarantees: two days ahead, and weekends, which a mean day does not contain. */
  @ParameterizedTest
  @EnumSource(Traffic.class)
  void printsTheHitRateBeyondTheGuarantees(Traffic traffic) {
    assertThat(printed(traffic, 14, 48).hits()).isPositive();
    if (!PROMISED.contains(traffic)) {
      assertThat(printed(traffic, 7, 12).hits()).isPositive();
      assertThat(printed(traffic, 14, 12).hits()).isPositive();
    }
  }

  @ParameterizedTest
  @MethodSource("upTo12Hours")
  void itsOwnHitRateAgreesWithTheMeasuredOne(Traffic traffic, int hours) {
    int right = 0;
    int of = 0;
    for (int run = 0; run < 3; run++) {
      float[] rates = traffic.minutes(14 * 1440, 100 + run);
      Runway.HitRate own =
          new RunwayEstimator(new GrowthHistory(EPOCH, rates), 0)
              .hitRate(Duration.ofHours(hours), Instant.ofEpochSecond((EPOCH + rates.length) * 60))
              .known()
              .orElseThrow();
      right += own.right();
      of += own.of();
    }
    System.out.printf(
        "runway of %2d h, %-10s says of itself: %d of %d%n", hours, traffic, right, of);
    assertThat((double) right / of).isCloseTo(replay(traffic, 7, hours, RUNS).hits(), within(0.12));
  }
}
