/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

final class ServiceHistoryTest {

  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Offset<Double> CLOSE = within(1e-3);

  private final SimulatedService service = new SimulatedService();
  private final ServiceHistory history = service.history;

  private static double value(Figure<Double> figure) {
    return figure.known().orElseThrow();
  }

  private static double seconds(Figure<Until> figure) {
    return Lag.seconds(figure.known().orElseThrow().left().orElseThrow());
  }

  private Lag lag() {
    return history.lag(LIMIT);
  }

  /** Else the forecast of the disk would change with each message that waits for a moment. */
  @Test
  void aServiceThatKeepsUpHoldsNothingBackWhateverItsRatesAre() {
    Figure<Until> never = Figure.measured(new Until.Never("not at this rate"));
    Lag lag =
        new Lag(
            Figure.measured(Duration.ofMillis(20)),
            Figure.measured(1L),
            Lag.State.KEEPING_UP,
            Figure.measured(0.0),
            never,
            never,
            null);
    assertThat(lag.performed()).isEqualTo(Figure.measured(new Until.Passed()));
    Lag grows =
        new Lag(
            lag.behind(), lag.unperformed(), Lag.State.GROWING, lag.growth(), never, never, null);
    assertThat(grows.performed()).isEqualTo(never);
  }

  @Test
  void knowsNothingBeforeItsFirstSample() {
    assertThat(lag().state()).isEqualTo(Lag.State.UNKNOWN);
    assertThat(lag().behind()).isInstanceOf(Figure.Unknown.class);
    assertThat(lag().clear()).isInstanceOf(Figure.Unknown.class);
    assertThat(lag().late()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.accepted()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.bytesPerMessage()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.databaseRate().perSecond()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.referenceBurst()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.typicalBurst()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.at()).isEmpty();
  }

  @Test
  void ratesAreThoseOfTheLastTenSeconds() {
    service.run(Duration.ofSeconds(60), 100, 1000).run(Duration.ofSeconds(5), 300, 1000);
    assertThat(value(history.accepted())).isCloseTo(200, CLOSE);
    assertThat(value(history.performed())).isCloseTo(200, CLOSE);
    assertThat(value(history.bytesPerMessage())).isCloseTo(SimulatedService.BYTES, CLOSE);
  }

  @Test
  void aServiceThatKeepsUpIsZeroSecondsBehind() {
    service.run(Duration.ofMinutes(2), 1240, 3260);
    assertThat(lag().state()).isEqualTo(Lag.State.KEEPING_UP);
    assertThat(lag().behind()).isEqualTo(Figure.measured(Duration.ZERO));
    assertThat(lag().clear()).isEqualTo(Figure.measured(new Until.Passed()));
    assertThat(lag().late()).isEqualTo(Figure.measured(new Until.Never("it does not fall behind")));
  }

  @Test
  void forecastsWhenTheLimitIsPassedAndItIsPassedThen() {
    service.run(Duration.ofMinutes(5), 1000, 2000).run(Duration.ofMinutes(4), 2000, 1650);
    assertThat(lag().state()).isEqualTo(Lag.State.GROWING);
    assertThat(value(lag().growth())).isCloseTo(0.175, CLOSE);
    double late = seconds(lag().late());
    service.run(Duration.ofSeconds((long) late - 10), 2000, 1650);
    assertThat(lag().late()).isNotEqualTo(Figure.measured(new Until.Passed()));
    service.run(Duration.ofSeconds(20), 2000, 1650);
    assertThat(lag().late()).isEqualTo(Figure.measured(new Until.Passed()));
  }

  @Test
  void predictsNoTimeUntilLateFromASmallExcessBeforeLagHasGrownForAMinute() {
    service.run(Duration.ofMinutes(5), 1000, 2000).run(Duration.ofSeconds(50), 2000, 1700);
    assertThat(lag().state()).isEqualTo(Lag.State.GROWING);
    assertThat(lag().late().known().orElseThrow()).isInstanceOf(Until.Never.class);
    service.run(Duration.ofSeconds(40), 2000, 1700);
    assertThat(lag().late().known().orElseThrow()).isInstanceOf(Until.In.class);
  }

  @Test
  void aBurstThatMakesItLateIsKnownWithinFiveSeconds() {
    Duration limit = Duration.ofSeconds(45);
    service.run(Duration.ofMinutes(5), 1000, 2000).run(Duration.ofSeconds(5), 20_000, 2000);
    assertThat(seconds(history.lag(limit).late())).isBetween(30.0, 55.0);
    assertThat(history.lag(Duration.ofHours(1)).late().known().orElseThrow())
        .as("bursts end before")
        .isInstanceOf(Until.Never.class);
  }

  @Test
  void theEndOfABurstShowsWithinSixSecondsAndTheServiceCatchesUp() {
    service.run(Duration.ofMinutes(5), 1000, 2000).run(Duration.ofSeconds(30), 20_000, 2000);
    assertThat(value(history.accepted())).isCloseTo(20_000, CLOSE);
    assertThat(lag().clear().known().orElseThrow()).isInstanceOf(Until.Never.class);
    service.run(Duration.ofSeconds(6), 100, 2000);
    assertThat(value(history.accepted())).as("not 60 % of the burst").isCloseTo(100, CLOSE);
    assertThat(lag().clear().known().orElseThrow()).isInstanceOf(Until.In.class);
    service.run(Duration.ofSeconds(20), 100, 2000);
    assertThat(value(history.accepted())).isCloseTo(100, CLOSE);
  }

  /** Its intake is the mean of its pulses, also in the pauses between them. */
  @Test
  void aSenderThatSendsEveryFewSecondsHasNoBursts() {
    service.run(Duration.ofMinutes(1), 100, 150);
    for (int pulse = 0; pulse < 20; pulse++) {
      service.run(Duration.ofSeconds(1), 1000, 150);
      for (int second = 0; second < 4; second++) {
        service.run(Duration.ofSeconds(1), 0, 150);
        if (pulse > 2) {
          assertThat(value(history.accepted())).isBetween(150.0, 250.0);
        }
      }
    }
  }

  /** No backlog was ever seen, so the capacity is not known. */
  @Test
  void aBurstIsKnownWithinFiveSecondsWithoutACapacity() {
    Duration limit = Duration.ofMinutes(1);
    service.run(Duration.ofSeconds(30), 25, 116).run(Duration.ofSeconds(4), 228, 119);
    assertThat(history.lag(limit).state()).isEqualTo(Lag.State.GROWING);
    assertThat(seconds(history.lag(limit).late())).isBetween(100.0, 140.0);
    assertThat(history.lag(limit).clear().known().orElseThrow()).isInstanceOf(Until.Never.class);
  }

  /** Batches of 10 s, of 150 messages: 15/s of 25/s. */
  @Test
  void theForecastOfABurstStaysAfterEachLongBatch() {
    service.run(Duration.ofMinutes(3), 25, 106).batches(Duration.ofSeconds(50), 25, 150, 10);
    for (int second = 50; second < 90; second++) {
      service.batches(Duration.ofSeconds(1), 25, 150, 10);
      double late = (300 - Lag.seconds(lag().behind().known().orElseThrow())) / (1 - 15.0 / 25);
      assertThat(seconds(lag().late())).as("second %d", second).isCloseTo(late, within(0.2 * late));
    }
  }

  /** Batches of two to five seconds; 25/s of 21/s, then of 25/s. */
  @Test
  void aSmallExcessIsNotCalledKeepingUpInTurn() {
    service.run(Duration.ofMinutes(10), 25, 100);
    List<Lag.State> seen = new ArrayList<>();
    int[] lengths = {2, 5, 3, 4, 2, 3, 5, 2, 4};
    for (int second = 0, batch = 0; second < 90; batch++) {
      int length = lengths[batch % lengths.length];
      int can = second < 35 ? 21 : 25;
      for (int i = 0; i < length; i++, second++) {
        service.batches(Duration.ofSeconds(1), 25, can * length, length);
        Lag.State state = lag().state();
        if (seen.isEmpty() || seen.getLast() != state) {
          seen.add(state);
        }
      }
    }
    assertThat(seen.removeFirst()).isEqualTo(Lag.State.KEEPING_UP);
    assertThat(seen).contains(Lag.State.GROWING).doesNotContain(Lag.State.KEEPING_UP);
  }

  /** One commit takes two seconds while few messages come in. */
  @Test
  void chanceAtASmallRateIsNoTrend() {
    Duration limit = Duration.ofMinutes(1);
    service.run(Duration.ofMinutes(1), 20, 100);
    for (int i = 0; i < 10; i++) {
      for (int second = 0; second < 4; second++) {
        service.run(Duration.ofSeconds(1), 20, second < 2 ? 0 : 100);
        assertThat(history.lag(limit).state()).isEqualTo(Lag.State.KEEPING_UP);
        assertThat(history.lag(limit).late().known().orElseThrow()).isInstanceOf(Until.Never.class);
      }
    }
  }

  /** The last message of the burst waits 45 s, whatever comes in later. */
  @Test
  void afterABurstTheForecastFollowsTheMessagesThatWait() {
    service.run(Duration.ofMinutes(5), 1000, 2000).run(Duration.ofSeconds(5), 20_000, 2000);
    service.run(Duration.ofSeconds(10), 100, 2000);
    Lag ok = history.lag(Duration.ofSeconds(60));
    assertThat(ok.growth().known().orElseThrow()).isPositive();
    assertThat(ok.clear().known().orElseThrow()).isInstanceOf(Until.In.class);
    assertThat(ok.late()).isEqualTo(Figure.measured(new Until.Never("it catches up before that")));
    double left = seconds(history.lag(Duration.ofSeconds(30)).late());
    service.run(Duration.ofSeconds((long) left - 2), 100, 2000);
    assertThat(history.lag(Duration.ofSeconds(30)).late().known().orElseThrow())
        .isInstanceOf(Until.In.class);
    service.run(Duration.ofSeconds(4), 100, 2000);
    assertThat(history.lag(Duration.ofSeconds(30)).late().known().orElseThrow())
        .isInstanceOf(Until.Passed.class);
  }

  @Test
  void forecastsWhenItIsClearAndItIsClearThen() {
    service
        .run(Duration.ofMinutes(1), 220, 530)
        .run(Duration.ofMinutes(2), 800, 530)
        .run(Duration.ofSeconds(80), 220, 530);
    assertThat(lag().state()).isEqualTo(Lag.State.DRAINING);
    double clear = seconds(lag().clear());
    service.run(Duration.ofSeconds((long) clear - 2), 220, 530);
    assertThat(lag().unperformed().known().orElseThrow()).isPositive();
    service.run(Duration.ofSeconds(4), 220, 530);
    assertThat(lag().unperformed()).isEqualTo(Figure.measured(0L));
  }

  @Test
  void aPausedServiceFallsBehindOneSecondPerSecond() {
    service.run(Duration.ofMinutes(1), 100, 500);
    service.paused = true;
    service.run(Duration.ofMinutes(2), 100, 500);
    assertThat(lag().state()).isEqualTo(Lag.State.PAUSED);
    assertThat(lag().behind()).isEqualTo(Figure.measured(Duration.ofSeconds(120)));
    assertThat(seconds(lag().late())).isCloseTo(180, within(0.1));
  }

  /** The wait grows by a second per second, so that no rate has to be known for it. */
  @Test
  void theTimeAtWhichAPausedServiceIsLateIsKnownAtOnce() {
    service.run(Duration.ofMinutes(1), 100, 500);
    service.paused = true;
    service.run(Duration.ofSeconds(2), 100, 500);
    assertThat(seconds(lag().late())).isCloseTo(298, within(1.0));
  }

  @Test
  void aPausedServiceWithoutMessagesIsNotLate() {
    service.run(Duration.ofMinutes(1), 100, 500);
    service.paused = true;
    service.run(Duration.ofSeconds(2), 0, 500);
    assertThat(lag().late()).isEqualTo(Figure.measured(new Until.Never("no message waits")));
  }

  @Test
  void measuresWhatTheDatabaseCanDoUnderBacklogAndKeepsItForDays() {
    service.run(Duration.ofMinutes(2), 1000, 3260);
    assertThat(history.databaseRate().perSecond()).isInstanceOf(Figure.Unknown.class);
    service.run(Duration.ofMinutes(2), 5000, 3260).run(Duration.ofMinutes(3), 1000, 3260);
    assertThat(history.databaseRate().perSecond())
        .isInstanceOfSatisfying(
            Figure.Measured.class,
            it -> assertThat((double) it.value()).isCloseTo(3260, within(1.0)));
    service.run(Duration.ofHours(7), 10, 3260);
    DatabaseRate later = history.databaseRate();
    assertThat(later.perSecond())
        .isInstanceOfSatisfying(
            Figure.Estimated.class, it -> assertThat(it.how()).contains("that ended 7 h 1 m ago"));
    assertThat(value(later.perSecond())).isCloseTo(3260, within(1.0));
  }

  /** A lock or a backup makes the database slow for some minutes. */
  @Test
  void databaseRateIsThatOfTheBestMinutesOfBacklogs() {
    service.run(Duration.ofMinutes(4), 5000, 1000).run(Duration.ofMinutes(2), 5000, 2000);
    assertThat(value(history.databaseRate().perSecond())).isCloseTo(2000, within(20.0));
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    service.run(Duration.ofMinutes(30), 10, 2000).run(Duration.ofMinutes(2), 5000, 260);
    assertThat(value(history.databaseRate().perSecond())).isCloseTo(2000, within(20.0));
    assertThat(history.slowerNow().known().orElseThrow().perSecond()).isCloseTo(260, within(20.0));
    service.run(Duration.ofMinutes(5), 10, 50_000);
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
  }

  /** The workers are busy, but keep up, so nothing waits. */
  @Test
  void aDatabaseIsSlowerThanUsualIfEachMessageTakesLonger() {
    service
        .run(Duration.ofMinutes(4), 20, 128)
        .run(Duration.ofMinutes(3), 220, 128)
        .run(Duration.ofMinutes(10), 20, 128);
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    assertThat(value(history.beforeBurst(LIMIT).databaseRate())).isCloseTo(128, within(1.0));
    service.run(Duration.ofSeconds(10), 20, 21);
    DatabaseRate.Slower slower = history.slowerNow().known().orElseThrow();
    assertThat(slower.perSecond()).isCloseTo(21, within(0.5));
    assertThat(slower.times()).isCloseTo(6.1, within(0.2));
    assertThat(value(history.beforeBurst(LIMIT).databaseRate())).isCloseTo(21, within(0.5));
    service.run(Duration.ofSeconds(5), 20, 128);
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    assertThat(value(history.databaseRate().perSecond())).isCloseTo(128, within(1.0));
  }

  @Test
  void aBurstOfTheFirstMinutesIsNotUsual() {
    service
        .run(Duration.ofSeconds(70), 20, 1000)
        .run(Duration.ofSeconds(40), 400, 1000)
        .run(Duration.ofSeconds(40), 20, 1000);
    assertThat(value(history.referenceBurst())).isCloseTo(200, within(1.0));
  }

  /** Without a backlog batches are small, and busy workers could perform more in larger ones. */
  @Test
  void whatASlowDatabasePerformsWithoutABacklogIsNoLimit() {
    service
        .run(Duration.ofMinutes(4), 24, 80)
        .run(Duration.ofMinutes(2), 200, 160)
        .run(Duration.ofMinutes(10), 24, 80)
        .run(Duration.ofSeconds(10), 24, 25);
    DatabaseRate.Slower slower = history.slowerNow().known().orElseThrow();
    assertThat(slower.times()).isCloseTo(3.2, within(0.1));
    assertThat(slower.perSecond()).isCloseTo(50, within(1.0));
    assertThat(value(history.cautiousRate())).isCloseTo(50, within(1.0));
  }

  /** A batch with a statement that fails is performed again in pieces. */
  @Test
  void statementsThatFailAreTheReasonWhyLessIsPerformed() {
    service.run(Duration.ofMinutes(2), 120, 100).run(Duration.ofMinutes(10), 25, 100);
    service.lost = 0.7;
    service.run(Duration.ofSeconds(40), 25, 20);
    DatabaseRate.Slower slower = history.slowerNow().known().orElseThrow();
    assertThat(slower.perSecond()).isCloseTo(20, within(0.5));
    assertThat(slower.lost()).isCloseTo(0.7, within(0.01));
    assertThat(history.cautiousRate())
        .isEqualTo(
            Figure.estimated(slower.perSecond(), "statements fail and are tried again one by one"));
    service.lost = 0.5;
    service.run(Duration.ofSeconds(12), 25, 20);
    assertThat(history.slowerNow().known().orElseThrow().lost())
        .as("the database itself is 2.5 times as slow, the failures make it 2 times")
        .isNull();
  }

  /** One of a hundred fails: half of a batch is lost, and its other half is performed again. */
  @Test
  void fewStatementsThatFailMayTakeMostOfTheTime() {
    service.run(Duration.ofMinutes(2), 120, 100).run(Duration.ofMinutes(10), 25, 100);
    service.lost = 0.4;
    service.run(Duration.ofSeconds(40), 80, 60);
    DatabaseRate.Slower slower = history.slowerNow().known().orElseThrow();
    assertThat(slower.lost()).isCloseTo(0.4, within(0.01));
    service.lost = 0.1;
    service.run(Duration.ofSeconds(12), 80, 60);
    assertThat(history.slowerNow().known().orElseThrow().lost()).as("too little").isNull();
  }

  /** What it can do is unknown, so it is not said how much that is at present. */
  @Test
  void aDatabaseIsSlowerThanUsualAlsoIfItsCapacityWasNeverMeasured() {
    service.run(Duration.ofMinutes(10), 20, 128).run(Duration.ofSeconds(4), 20, 21);
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    service.run(Duration.ofSeconds(1), 20, 21);
    DatabaseRate.Slower slower = history.slowerNow().known().orElseThrow();
    assertThat(slower.perSecond()).isNull();
    assertThat(slower.times()).isCloseTo(6.1, within(0.2));
    assertThat(value(history.beforeBurst(LIMIT).databaseRate())).as("seen").isCloseTo(20, CLOSE);
    service.run(Duration.ofMinutes(3), 22, 21);
    assertThat(value(history.databaseRate().perSecond()))
        .as("of this backlog")
        .isCloseTo(21, CLOSE);
    assertThat(history.slowerNow().known().orElseThrow().times()).isCloseTo(6.1, within(0.2));
    service.run(Duration.ofSeconds(15), 20, 128);
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    assertThat(value(history.busy())).as("not of the minute before").isLessThan(0.9);
  }

  /** What it performs at present is no measure of the minutes to compare with. */
  @Test
  void aDatabaseThatPerformsAFractionOfTheUsualIntakeIsSlower() {
    service.run(Duration.ofMinutes(10), 20, 128).run(Duration.ofSeconds(5), 20, 4);
    assertThat(history.slowerNow().known().orElseThrow().times()).isGreaterThan(20);
  }

  @Test
  void aDatabaseIsSlowerThanUsualAlsoThreeMinutesAfterTheFirstMessage() {
    service.run(Duration.ofSeconds(190), 20, 128).run(Duration.ofSeconds(5), 20, 21);
    assertThat(history.slowerNow().known().orElseThrow().times()).isCloseTo(6.1, within(0.2));
  }

  /** Few messages make small batches, in which each takes longer. */
  @Test
  void fewMessagesAreNotComparedWithMinutesOfMany() {
    service.run(Duration.ofMinutes(10), 1_000, 4_000).run(Duration.ofSeconds(20), 5, 5);
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void aMessageThatTakesTwiceAsLongForFiveSecondsIsNoSlowDatabaseYet() {
    service.run(Duration.ofMinutes(10), 20, 44).run(Duration.ofSeconds(6), 20, 21);
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    service.run(Duration.ofSeconds(4), 20, 21);
    assertThat(history.slowerNow().known().orElseThrow().times()).isCloseTo(2.1, within(0.1));
  }

  /** The minutes to compare with are those of the present rate, not of the seconds before. */
  @Test
  void aSlowDatabaseIsSeenAfterSecondsWithoutACommit() {
    service.run(Duration.ofMinutes(10), 20, 128);
    service.batches(Duration.ofSeconds(6), 20, 20, 20);
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    service.run(Duration.ofSeconds(5), 20, 21);
    assertThat(history.slowerNow().known().orElseThrow().times()).isGreaterThan(3);
  }

  /** Nothing was performed while it was away, which says nothing of the time of a message. */
  @Test
  void aDatabaseThatWasAwayIsNotCalledSlower() {
    service.batches(Duration.ofMinutes(10), 100, 500, 1);
    service.away = true;
    service.batches(Duration.ofMinutes(1), 100, 500, 1);
    service.away = false;
    for (int second = 0; second < 20; second++) {
      service.batches(Duration.ofSeconds(1), 100, 100, 1);
      assertThat(history.slowerNow()).as("second %d", second).isInstanceOf(Figure.Unknown.class);
    }
  }

  /** It was measured while something else slowed the database. */
  @Test
  void aCapacityThatIsClearlyExceededWithoutABacklogIsOnlyALowerBound() {
    service.run(Duration.ofMinutes(2), 1200, 1000).run(Duration.ofMinutes(30), 10, 8000);
    assertThat(value(history.databaseRate().perSecond())).isCloseTo(1000, within(1.0));
    service.run(Duration.ofMinutes(2), 3000, 8000);
    DatabaseRate rate = history.databaseRate();
    assertThat(rate.perSecond()).isInstanceOf(Figure.Unknown.class);
    assertThat(rate.atLeast().orElseThrow()).isCloseTo(3000, within(1.0));
    assertThat(history.typicalBurst()).isInstanceOf(Figure.Unknown.class);
  }

  /** Such as one of the first minute, in which code was compiled. */
  @Test
  void whatIsPerformedWhileNothingWaitsIsNeverMoreThanTheCapacity() {
    service.run(Duration.ofSeconds(30), 20, 16).run(Duration.ofSeconds(20), 0, 100);
    assertThat(value(history.databaseRate().perSecond())).isCloseTo(16, within(1.0));
    service.run(Duration.ofSeconds(12), 25, 100);
    assertThat(history.databaseRate().perSecond()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.databaseRate().atLeast().orElseThrow()).isCloseTo(25, within(1.0));
  }

  /** The drill: 200 messages per second can be performed, in batches of up to 25 s. */
  @Test
  void inABurstTheCapacityIsUnknownOrAtLeastThatMuchUntilItIsMeasured() {
    service.batches(Duration.ofMinutes(2), 20, 5000, 1);
    List<Double> measured = new ArrayList<>();
    for (int second = 0; second < 600; second++) {
      service.batches(Duration.ofSeconds(1), second < 180 ? 400 : 20, 5000, 25);
      DatabaseRate rate = history.databaseRate();
      rate.perSecond().known().ifPresent(measured::add);
      if (rate.atLeast().isPresent()) {
        assertThat(rate.atLeast().getAsDouble()).as("second %d", second).isLessThan(201.0);
      }
    }
    assertThat(measured)
        .hasSizeGreaterThan(400)
        .allSatisfy(it -> assertThat(it).isBetween(199.0, 201.0));
  }

  @Test
  void anOutageOfTheDatabaseIsNoPartOfACapacity() {
    service.batches(Duration.ofMinutes(3), 400, 1000, 5);
    service.away = true;
    service.batches(Duration.ofSeconds(5), 400, 1000, 5);
    service.away = false;
    service.batches(Duration.ofMinutes(3), 400, 1000, 5);
    Points saturated =
        history.read(
            Measure.SATURATED,
            SimulatedService.START,
            service.now.plusSeconds(1),
            Duration.ofSeconds(1));
    List<Double> minutes = saturated.all().stream().filter(Objects::nonNull).toList();
    assertThat(minutes).hasSizeGreaterThan(3).allMatch(it -> Math.abs(it - 200) < 1);
  }

  @Test
  void theRateIsUnknownInTheFirstBatchAfterAnOutage() {
    service.batches(Duration.ofMinutes(3), 100, 1000, 5);
    service.away = true;
    service.batches(Duration.ofMinutes(2), 100, 1000, 5);
    assertThat(history.performed()).isEqualTo(Figure.measured(0.0));
    assertThat(history.busy()).as("no time in which it could be busy").isNotEqualTo(0.0);
    service.away = false;
    service.batches(Duration.ofSeconds(8), 100, 5000, 25);
    assertThat(history.performed())
        .isInstanceOfSatisfying(
            Figure.Unknown.class,
            it -> assertThat(it.reason()).matches("the first batch has run for \\d s"));
    assertThat(lag().clear()).isInstanceOf(Figure.Unknown.class);
    assertThat(value(history.busy())).isCloseTo(1, CLOSE);
    service.batches(Duration.ofSeconds(18), 100, 5000, 25);
    assertThat(value(history.performed())).isCloseTo(200, within(10.0));
    assertThat(lag().state()).isEqualTo(Lag.State.DRAINING);
  }

  /** The batch that the outage interrupted is performed again, and may be small. */
  @Test
  void aSmallBatchAtTheReturnOfTheDatabaseIsNoRate() {
    service.partitions = 1;
    service.run(Duration.ofMinutes(2), 20, 25);
    service.away = true;
    service.batches(Duration.ofSeconds(137), 20, 20, 1);
    service.away = false;
    service.batches(Duration.ofSeconds(1), 20, 1, 1);
    for (int second = 1; second < 25; second++) {
      service.batches(Duration.ofSeconds(1), 20, 5000, 25);
      assertThat(history.performed()).as("second %d", second).isInstanceOf(Figure.Unknown.class);
      assertThat(history.isReturning()).as("second %d", second).isTrue();
      assertThat(lag().state()).as("second %d", second).isEqualTo(Lag.State.STEADY);
    }
    service.batches(Duration.ofSeconds(2), 20, 5000, 25);
    assertThat(history.isReturning()).isFalse();
    assertThat(value(history.performed())).isGreaterThan(100);
    assertThat(lag().state()).isIn(Lag.State.DRAINING, Lag.State.KEEPING_UP);
  }

  @Test
  void aFirstBatchThatTakesLongerThanTheOutageIsNoReturn() {
    service.partitions = 1;
    service.run(Duration.ofMinutes(2), 20, 25);
    service.away = true;
    service.batches(Duration.ofSeconds(137), 20, 20, 1);
    service.away = false;
    service.batches(Duration.ofSeconds(136), 20, 5000, 3600);
    assertThat(history.isReturning()).isTrue();
    service.batches(Duration.ofSeconds(6), 20, 5000, 3600);
    assertThat(history.isReturning()).isFalse();
    assertThat(history.performed()).isEqualTo(Figure.measured(0.0));
    assertThat(lag().state()).isEqualTo(Lag.State.GROWING);
  }

  /** The first seconds after an outage are slow: connections are opened, and caches are cold. */
  @Test
  void noEndOfABacklogIsForeseenFromTheFirstSecondsAfterAnOutage() {
    service.batches(Duration.ofMinutes(2), 20, 5000, 1);
    service.away = true;
    service.batches(Duration.ofMinutes(1), 20, 5000, 1);
    service.away = false;
    int known = 0;
    for (int most : new int[] {20, 60, 100, 100, 100, 100, 100, 100}) {
      service.batches(Duration.ofSeconds(1), 20, most, 1);
      double truth = (service.accepted - service.performed) / 80.0;
      double foreseen = Until.seconds(lag().clear());
      if (!Double.isNaN(foreseen)) {
        known++;
        assertThat(foreseen).isCloseTo(truth, within(0.2 * truth));
      }
    }
    assertThat(known).isGreaterThanOrEqualTo(3);
  }

  /** The first transactions after an outage are small: the last one before it failed. */
  @Test
  void theFirstBatchAfterAnOutageSaysNothingOfTheRate() {
    service.batches(Duration.ofMinutes(2), 20, 5000, 1);
    service.away = true;
    service.batches(Duration.ofMinutes(2), 20, 5000, 1);
    service.away = false;
    service.batches(Duration.ofSeconds(1), 20, 10, 2);
    assertThat(history.performed()).isEqualTo(Figure.unknown("the first batch has run for 1 s"));
    service.batches(Duration.ofSeconds(1), 20, 10, 2);
    assertThat(history.performed()).isEqualTo(Figure.unknown("it has just begun to perform again"));
    assertThat(lag().state()).isEqualTo(Lag.State.STEADY);
    service.batches(Duration.ofSeconds(2), 20, 100, 1);
    assertThat(value(history.performed())).isCloseTo(100, CLOSE);
  }

  /** Batches of 8 to 11 s; the intake varies by a third. */
  private List<Lag.State> states(int seconds, double come, RandomGenerator random) {
    List<Lag.State> states = new ArrayList<>();
    for (int second = 0; second < seconds; second++) {
      int now = (int) (come * (0.67 + 0.66 * random.nextDouble()));
      service.batches(Duration.ofSeconds(1), now, 2000, random.nextInt(8, 12));
      states.add(history.lag(Duration.ofHours(2)).state());
    }
    return states;
  }

  @Test
  void theStateDoesNotFlipWithEachLongBatch() {
    service.partitions = 1;
    service.run(Duration.ofMinutes(1), 20, 1000);
    RandomGenerator random = new SplittableRandom(7);
    List<Lag.State> burst = states(300, 290, random);
    assertThat(burst.subList(10, 300)).containsOnly(Lag.State.GROWING);
    List<Lag.State> after = states(200, 140, random);
    assertThat(after.subList(20, 200)).containsOnly(Lag.State.DRAINING);
  }

  /** The intake is nearly what is performed, so that chance decides about each batch. */
  @Test
  void theStateDoesNotFlipIfAboutAsMuchComesAsIsPerformed() {
    service.partitions = 1;
    service.run(Duration.ofMinutes(1), 20, 1000);
    RandomGenerator random = new SplittableRandom(7);
    states(120, 400, random);
    List<Lag.State> states = states(600, 211, random);
    assertThat(changes(states)).isLessThanOrEqualTo(2);
  }

  @Test
  void aBurstThatIsOverIsNotCalledGrowing() {
    service.run(Duration.ofMinutes(1), 20, 100);
    service.run(Duration.ofSeconds(30), 500, 100);
    int compared = 0;
    for (int second = 0; second < 30; second++) {
      service.run(Duration.ofSeconds(1), 20, 100);
      if (value(history.performed()) > 1.6 * value(history.accepted())) {
        compared++;
        assertThat(lag().state()).as("second %d", second).isEqualTo(Lag.State.DRAINING);
        assertThat(lag().clear().known().orElseThrow().left()).as("second %d", second).isPresent();
      }
    }
    assertThat(compared).isGreaterThan(10);
  }

  private static long changes(List<Lag.State> states) {
    return IntStream.range(1, states.size())
        .filter(i -> states.get(i) != states.get(i - 1))
        .count();
  }

  /** Each of 6,000 senders waits for its result before it sends the next message. */
  @Test
  void theStateDoesNotFlipIfMessagesComeWhenABatchIsCommitted() {
    service.batches(Duration.ofSeconds(32), 400, 2000, 16);
    List<Lag.State> states = new ArrayList<>();
    for (int second = 0; second < 300; second++) {
      int come = second % 16 < 4 ? 500 : 0;
      service.batches(Duration.ofSeconds(1), come, 2000, 16);
      states.add(history.lag(Duration.ofHours(2)).state());
    }
    assertThat(changes(states.subList(60, 300))).isZero();
  }

  @Test
  void moreAndMoreMessagesWaitAlthoughTheOldestOnesCameSlowly() {
    service.batches(Duration.ofMinutes(1), 200, 1000, 10);
    service.batches(Duration.ofSeconds(150), 70, 1000, 10);
    assertThat(history.lag(Duration.ofHours(2)).state()).isEqualTo(Lag.State.DRAINING);
    service.batches(Duration.ofSeconds(20), 150, 1000, 10);
    assertThat(history.lag(Duration.ofHours(2)).state()).isEqualTo(Lag.State.GROWING);
  }

  @Test
  void longBatchesThatCatchUpAreNotTakenForAnOutageBetweenTwoCommits() {
    service.run(Duration.ofMinutes(1), 20, 1000);
    service
        .batches(Duration.ofMinutes(2), 130, 2000, 25)
        .batches(Duration.ofSeconds(30), 20, 2000, 25);
    for (int second = 0; second < 90; second++) {
      service.batches(Duration.ofSeconds(1), 20, 2000, 25);
      assertThat(value(history.performed())).as("second %d", second).isCloseTo(80, within(1.0));
      assertThat(lag().clear().known().orElseThrow())
          .as("second %d", second)
          .isInstanceOf(Until.In.class);
      assertThat(lag().state()).isIn(Lag.State.DRAINING, Lag.State.GROWING);
    }
  }

  @Test
  void aBatchThatRunsMuchLongerThanThoseBeforeMakesTheRateUnknownThenZero() {
    service.batches(Duration.ofMinutes(5), 30, 100, 5);
    assertThat(value(history.performed())).isCloseTo(20, within(0.5));
    service.batches(Duration.ofSeconds(16), 30, 100, 3600);
    assertThat(history.performed())
        .isInstanceOfSatisfying(
            Figure.Unknown.class,
            it -> assertThat(it.reason()).matches("the current batch has run for 1\\d s"));
    assertThat(lag().clear()).isInstanceOf(Figure.Unknown.class);
    service.batches(Duration.ofSeconds(60), 30, 100, 3600);
    assertThat(history.performed()).isEqualTo(Figure.measured(0.0));
    assertThat(lag().clear().known().orElseThrow()).isInstanceOf(Until.Never.class);
  }

  /** What waits gets older, so it is late at a known time. */
  @Test
  void aBacklogOfWhichNothingIsPerformedAnyLongerIsNotCatchingUp() {
    service
        .batches(Duration.ofMinutes(2), 100, 150, 1)
        .batches(Duration.ofSeconds(40), 1000, 150, 1)
        .batches(Duration.ofSeconds(30), 0, 150, 1);
    assertThat(lag().state()).isEqualTo(Lag.State.DRAINING);
    service.batches(Duration.ofMinutes(3), 0, 150, 3600);
    assertThat(lag().state()).isEqualTo(Lag.State.GROWING);
    assertThat(lag().clear().known().orElseThrow()).isInstanceOf(Until.Never.class);
    assertThat(history.lag(Duration.ofHours(1)).late().known().orElseThrow())
        .isInstanceOf(Until.In.class);
  }

  /**
   * Each batch takes all that came during the one before: the workers are busy, nothing is left.
   */
  @Test
  void whatArrivesIsNotTakenForTheCapacity() {
    service.batches(Duration.ofMinutes(10), 15, 10_000, 8);
    assertThat(history.databaseRate().perSecond()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.databaseRate().atLeast().orElseThrow()).isCloseTo(15, within(1.0));
    assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    service.batches(Duration.ofMinutes(2), 258, 10_000, 8);
    assertThat(history.databaseRate().perSecond()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.databaseRate().atLeast().orElseThrow()).isCloseTo(258, within(15.0));
  }

  @Test
  void theCapacityIsThatOfBatchesThatLeaveMessagesBehind() {
    service.batches(Duration.ofMinutes(6), 200, 2000, 20);
    DatabaseRate rate = history.databaseRate();
    assertThat(value(rate.perSecond())).isCloseTo(100, within(1.0));
    assertThat(rate.perSecond()).isInstanceOf(Figure.Measured.class);
    assertThat(rate.atLeast()).isEmpty();
    service.batches(Duration.ofMinutes(8), 0, 2000, 20).batches(Duration.ofMinutes(5), 15, 2000, 3);
    assertThat(value(history.databaseRate().perSecond())).isCloseTo(100, within(1.0));
    assertThat(history.slowerNow()).as("nothing was left").isInstanceOf(Figure.Unknown.class);
  }

  /** A commit counts at once what a long time has done. */
  @Test
  void oneLargeCommitIsNoCapacity() {
    service.run(Duration.ofMinutes(1), 15, 60);
    service.paused = true;
    service.batches(Duration.ofMinutes(20), 100, 1, 1);
    service.paused = false;
    service
        .batches(Duration.ofSeconds(40), 100, 400, 20)
        .batches(Duration.ofSeconds(20), 100, 50_000, 20);
    service.batches(Duration.ofSeconds(41), 100, 400, 20);
    assertThat(history.databaseRate().perSecond()).isInstanceOf(Figure.Unknown.class);
  }

  /** After a pause: one batch takes what waited. */
  @Test
  void aBacklogThatIsDrainedInAMomentIsALowerBound() {
    service.batches(Duration.ofMinutes(3), 15, 10_000, 1);
    service.paused = true;
    service.batches(Duration.ofMinutes(2), 15, 10_000, 1);
    service.paused = false;
    for (int second = 0; second < 120; second++) {
      service.batches(Duration.ofSeconds(1), 15, 10_000, 1);
      DatabaseRate rate = history.databaseRate();
      assertThat(rate.perSecond()).as("second %d", second).isInstanceOf(Figure.Unknown.class);
      assertThat(rate.atLeast().orElseThrow())
          .as("second %d", second)
          .isCloseTo(1815 / 2.0, within(10.0));
      assertThat(history.slowerNow()).isInstanceOf(Figure.Unknown.class);
    }
  }

  /** What busy workers perform while they keep up is less than what they could perform. */
  @Test
  void whatBusyWorkersPerformWhileTheyKeepUpIsALowerBound() {
    service.run(Duration.ofMinutes(2), 2000, 3260);
    DatabaseRate rate = history.databaseRate();
    assertThat(rate.perSecond()).isInstanceOf(Figure.Unknown.class);
    assertThat(rate.atLeast().orElseThrow()).isCloseTo(2000, within(1.0));
    assertThat(history.beforeBurst(LIMIT).databaseRate())
        .isEqualTo(Figure.estimated(2000.0, "the most that was seen; it may do more"));
  }

  @Test
  void theCapacityIsUnknownUntilTheFirstBusySecond() {
    service.run(Duration.ofMinutes(20), 100, 3260);
    assertThat(history.databaseRate())
        .isEqualTo(
            new DatabaseRate(
                Figure.unknown("unknown until the first busy second"), OptionalDouble.empty()));
    service.run(Duration.ofSeconds(1), 3000, 3260).run(Duration.ofMinutes(1), 100, 3260);
    assertThat(history.databaseRate().atLeast().orElseThrow())
        .as("over 2 s")
        .isCloseTo(1550, within(1.0));
  }

  /** The mean of the first minutes, in which nothing came, is not usual. */
  @Test
  void whatANewServicePerformsIdlyIsNoLowerBound() {
    service.run(Duration.ofMinutes(1), 0, 3260);
    for (int second = 0; second < 600; second++) {
      service.run(Duration.ofSeconds(1), 100, 3260);
      assertThat(history.databaseRate().atLeast()).as("second %d", second).isEmpty();
    }
    service.run(Duration.ofSeconds(2), 1500, 3260);
    assertThat(history.databaseRate().atLeast()).as("clearly more").isPresent();
  }

  /** Code is compiled then. */
  @Test
  void busyWorkersOfTheFirstMinuteShowNoLowerBound() {
    service.run(Duration.ofSeconds(58), 10, 15);
    assertThat(history.databaseRate().atLeast()).isEmpty();
    service.run(Duration.ofSeconds(10), 10, 15);
    assertThat(history.databaseRate().atLeast().orElseThrow()).isCloseTo(10, within(0.1));
  }

  /** The drill: 8,919 messages waited after a pause. */
  @Test
  void aBacklogThatIsPerformedInTwoSecondsIsALowerBoundAlsoAfterARestart() {
    service.run(Duration.ofMinutes(3), 8, 6000);
    service.paused = true;
    service.run(Duration.ofMinutes(15), 10, 6000);
    service.paused = false;
    service.run(Duration.ofMinutes(1), 8, 4500);
    assertThat(history.databaseRate().atLeast().orElseThrow()).isBetween(4000.0, 4500.0);
    Until late = BurstHeadroom.late(100, history.beforeBurst(LIMIT)).known().orElseThrow();
    assertThat(late).as("a tenfold burst").isInstanceOf(Until.Never.class);

    SimulatedService after = new SimulatedService();
    after.now = service.now.plus(Duration.ofHours(3));
    after.history.remember(history.usual());
    after.run(Duration.ofMinutes(3), 8, 6000);
    assertThat(after.history.databaseRate().atLeast()).isEqualTo(history.databaseRate().atLeast());
  }

  /** They had waited too long during the pause, and were not performed. */
  @Test
  void messagesThatHaveExpiredAreNoPartOfALowerBound() {
    service.run(Duration.ofMinutes(3), 100, 1000);
    service.paused = true;
    service.run(Duration.ofMinutes(2), 100, 1000);
    service.paused = false;
    service.failed += 12_000;
    service.run(Duration.ofSeconds(1), 100, 12_000).run(Duration.ofMinutes(2), 100, 1000);
    assertThat(history.databaseRate().atLeast().orElse(0)).isLessThan(1_000);
  }

  @Test
  void aBacklogOfTenSecondsIsMeasured() {
    service.run(Duration.ofMinutes(20), 100, 1000).run(Duration.ofSeconds(8), 3000, 1000);
    service.run(Duration.ofMinutes(2), 100, 1000);
    assertThat(value(history.databaseRate().perSecond())).isCloseTo(1000, within(10.0));
  }

  /** What was performed before the answer to its commit was lost counts when it is found. */
  @Test
  void aBatchThatAnOutageInterruptedIsNoLowerBound() {
    service.batches(Duration.ofMinutes(3), 100, 1000, 1);
    service.away = true;
    service.batches(Duration.ofSeconds(30), 100, 1000, 1);
    service.away = false;
    double before = history.databaseRate().atLeast().orElseThrow();
    for (int second = 0; second < 9; second++) {
      service.batches(Duration.ofSeconds(1), 100, 3000, 1);
      assertThat(history.databaseRate().atLeast().orElseThrow())
          .as("second %d", second)
          .isEqualTo(before);
    }
  }

  @Test
  void busyWorkersAreOverWithinSecondsAfterTheirBacklog() {
    service.run(Duration.ofMinutes(2), 1100, 1000);
    assertThat(value(history.busy())).isCloseTo(1, within(0.01));
    while (history.lag(LIMIT).unperformed().known().orElseThrow() > 0) {
      service.run(Duration.ofSeconds(1), 100, 1000);
    }
    service.run(Duration.ofSeconds(3), 100, 1000);
    assertThat(value(history.busy())).isLessThan(0.2);
  }

  /** In its first seconds, a process performs slowly. */
  @Test
  void afterARestartTheEndOfABacklogIsForecastFromTheRatesOfTenSeconds() {
    service.run(Duration.ofSeconds(1), 2000, 10).run(Duration.ofSeconds(4), 25, 30);
    for (int second = 5; second < 10; second++) {
      assertThat(lag().clear()).as("second %d", second).isInstanceOf(Figure.Unknown.class);
      service.run(Duration.ofSeconds(1), 25, 100);
    }
    service.run(Duration.ofSeconds(6), 25, 100);
    double truth = lag().unperformed().known().orElseThrow() / 75.0;
    assertThat(seconds(lag().clear())).isCloseTo(truth, within(0.2 * truth));
  }

  /** The messages of a burst come in fast and are performed slowly. */
  @Test
  void whileItCatchesUpThePeakIsForecastAsLongAsBehindRises() {
    service.run(Duration.ofMinutes(5), 100, 1000);
    service.run(Duration.ofSeconds(60), 4000, 1000).run(Duration.ofSeconds(20), 100, 1000);
    Duration peak = history.lag(LIMIT).peak();
    assertThat(peak).isNotNull();
    double highest = 0;
    while (history.lag(LIMIT).unperformed().known().orElseThrow() > 100) {
      service.run(Duration.ofSeconds(1), 100, 1000);
      highest = Math.max(highest, Lag.seconds(lag().behind().known().orElseThrow()));
    }
    assertThat(Lag.seconds(peak)).isCloseTo(highest, within(0.1 * highest));
    assertThat(history.lag(LIMIT).peak()).as("it falls").isNull();
  }

  @Test
  void busyWorkersThatPerformABacklogHaveSpareCapacity() {
    service.run(Duration.ofMinutes(2), 25, 100).run(Duration.ofSeconds(30), 500, 100);
    while (history.lag(LIMIT).unperformed().known().orElseThrow() > 0) {
      service.run(Duration.ofSeconds(1), 25, 100);
    }
    for (int second = 0; second < 30; second++) {
      assertThat(Figure.number(history.busy()) > 0.5).as("second %d", second).isFalse();
      service.run(Duration.ofSeconds(1), 25, 100);
    }
    assertThat(value(history.busy())).isCloseTo(0.25, within(0.01));
  }

  /** A backlog ends with less than a second, and the messages of that are performed, too. */
  @Test
  void theLastSecondsOfABacklogShowNoBusyWorkers() {
    service.run(Duration.ofMinutes(2), 25, 100).run(Duration.ofSeconds(30), 500, 100);
    while (Lag.seconds(lag().behind().known().orElseThrow()) >= 1) {
      service.run(Duration.ofSeconds(1), 25, 100);
    }
    service.run(Duration.ofSeconds(2), 100, 100);
    for (int second = 0; second < 30; second++) {
      assertThat(Figure.number(history.busy()) > 0.5).as("second %d", second).isFalse();
      service.run(Duration.ofSeconds(1), 25, 100);
    }
  }

  /** It was growing until then. */
  @Test
  void busyWorkersAreOverAlsoIfTheirBacklogEndsInASecond() {
    service.run(Duration.ofMinutes(2), 25, 100).run(Duration.ofSeconds(30), 500, 100);
    service.run(Duration.ofSeconds(1), 25, 20_000);
    for (int second = 0; second < 20; second++) {
      assertThat(Figure.number(history.busy()) > 0.5).as("second %d", second).isFalse();
      service.run(Duration.ofSeconds(1), 25, 100);
    }
  }

  @Test
  void theMinuteInWhichMessagesBeginIsNotUsual() {
    service.run(Duration.ofSeconds(44), 0, 100).run(Duration.ofSeconds(130), 25, 100);
    assertThat(value(history.referenceBurst())).isCloseTo(250, within(1.0));
    service.run(Duration.ofSeconds(30), 500, 100);
    assertThat(value(history.referenceBurst())).isCloseTo(250, within(1.0));
  }

  /** A job of the night does not hide what comes by day. */
  @Test
  void minutesWithFewMessagesAreUsualIfTheyAreMost() {
    for (int minute = 0; minute < 120; minute += 5) {
      service.run(Duration.ofSeconds(1), 60, 100).run(Duration.ofSeconds(299), 0, 100);
    }
    service.run(Duration.ofMinutes(10), 90, 100).run(Duration.ofMinutes(2), 0, 100);
    assertThat(value(history.referenceBurst())).isCloseTo(10, within(1.0));
  }

  @Test
  void aSenderOfPulsesHasNoBacklogs() {
    service.run(Duration.ofMinutes(1), 10, 100);
    for (int pulse = 0; pulse < 12; pulse++) {
      service.run(Duration.ofSeconds(1), 400, 100);
      for (int second = 1; second < 5; second++) {
        service.run(Duration.ofSeconds(1), 0, 100);
        assertThat(history.busy()).isInstanceOf(Figure.Measured.class);
      }
    }
  }

  @Test
  void aLongBatchThatEndsABacklogIsNoCapacity() {
    service.batches(Duration.ofMinutes(3), 22, 250, 25);
    for (int second = 0; second < 400; second++) {
      service.batches(Duration.ofSeconds(1), 0, 250, 25);
      DatabaseRate rate = history.databaseRate();
      assertThat(rate.atLeast().orElse(0)).as("second %d", second).isLessThan(12);
      assertThat(rate.perSecond().known().orElse(0.0)).as("second %d", second).isLessThan(12);
    }
  }

  @Test
  void saysHowLongUsualIs() {
    service.run(Duration.ofMinutes(3), 100, 1000);
    assertThat(history.usualOver()).isBetween(Duration.ofSeconds(178), Duration.ofMinutes(3));
    service.run(Duration.ofHours(30), 100, 1000);
    assertThat(history.usualOver()).isEqualTo(Duration.ofDays(1));
  }

  @Test
  void whatIsUsualFromBeforeTheStartHasNoTimeOfItsOwn() {
    UsualRates.Value before = new UsualRates.Value(100, service.now);
    history.remember(new UsualRates(null, before, null, null));
    service.run(Duration.ofMinutes(3), 100, 1000);
    assertThat(history.usualOver()).isNull();
    service.run(Duration.ofHours(25), 100, 1000);
    assertThat(history.usualOver()).isEqualTo(Duration.ofDays(1));
  }

  @Test
  void aTenfoldBurstIsLateWhenTheFormulaSays() {
    service.run(Duration.ofMinutes(2), 5000, 3260).run(Duration.ofMinutes(30), 1240, 3260);
    double late = seconds(BurstHeadroom.late(12_400, history.beforeBurst(LIMIT)));
    assertThat(late).isCloseTo(107, within(0.5));
    service.run(Duration.ofSeconds((long) late), 12_400, 3260);
    double recovery =
        seconds(
            BurstCourse.of(12_400, Duration.ZERO, withUsualIntake(history.beforeBurst(LIMIT)))
                .recovery());
    double worst = 0;
    for (int second = 0; second < 600; second++) {
      service.run(Duration.ofSeconds(1), 1240, 3260);
      worst = Math.max(worst, Lag.seconds(lag().behind().known().orElseThrow()));
      if (second == (int) recovery - 3) {
        assertThat(lag().unperformed().known().orElseThrow()).isPositive();
      }
    }
    assertThat(recovery).isCloseTo(484, within(3.0));
    assertThat(worst).as("the last message of the burst").isCloseTo(300, within(2.0));
    assertThat(lag().unperformed()).isEqualTo(Figure.measured(0L));
  }

  private static BurstHeadroom.Service withUsualIntake(BurstHeadroom.Service now) {
    return new BurstHeadroom.Service(
        now.limit(),
        Figure.measured(1240.0),
        now.databaseRate(),
        now.unperformed(),
        now.bytesPerMessage());
  }

  @Test
  void knowsHowLongBurstsUsuallyLastAfterThree() {
    service.run(Duration.ofMinutes(2), 500, 1100);
    assertThat(history.typicalBurst()).isInstanceOf(Figure.Unknown.class);
    service.run(Duration.ofMinutes(2), 2000, 1100).run(Duration.ofSeconds(10), 0, 1100);
    for (int i = 0; i < 150; i++) {
      service.run(Duration.ofSeconds(1), 0, 1100);
    }
    for (int burst = 0; burst < 3; burst++) {
      service.run(Duration.ofMinutes(10), 4000, 1100).run(Duration.ofMinutes(20), 100, 1100);
      if (burst == 0) {
        assertThat(history.typicalBurst())
            .as("two, one of them short")
            .isInstanceOf(Figure.Estimated.class);
      }
    }
    assertThat(history.typicalBurst()).isInstanceOf(Figure.Measured.class);
    assertThat(history.typicalBurst().known().orElseThrow())
        .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(11));
  }

  /** Today's burst must not change the burst that is planned for. */
  @Test
  void theReferenceBurstIsTenTimesTheMedianWhateverComesNow() {
    service.run(Duration.ofSeconds(20), 100, 4000);
    assertThat(history.referenceBurst()).isInstanceOf(Figure.Estimated.class);
    assertThat(value(history.referenceBurst()))
        .as("before the first minute")
        .isCloseTo(1000, CLOSE);
    service.run(Duration.ofMinutes(90), 100, 4000);
    assertThat(value(history.referenceBurst())).isCloseTo(1000, CLOSE);
    service.run(Duration.ofMinutes(30), 2500, 4000);
    assertThat(value(history.referenceBurst())).as("in a burst").isCloseTo(1000, CLOSE);
    service.run(Duration.ofMinutes(240), 0, 4000);
    assertThat(value(history.referenceBurst()))
        .as("idle minutes do not count")
        .isCloseTo(1000, CLOSE);
  }

  @Test
  void aCounterResetLeavesAGap() {
    service.run(Duration.ofSeconds(30), 100, 500);
    service.accepted = 0;
    service.performed = 0;
    service.run(Duration.ofSeconds(1), 100, 500);
    assertThat(value(history.accepted())).isCloseTo(100, CLOSE);
    Points points =
        history.read(
            Measure.ACCEPTED, service.now, service.now.plusSeconds(1), Duration.ofSeconds(1));
    assertThat(points.all()).first().isNull();
  }

  @Test
  void knowsTheCapacityTheUsualRateAndTheUsualBurstAfterARestart() {
    service.run(Duration.ofMinutes(5), 100, 1100);
    for (int burst = 0; burst < 3; burst++) {
      service.run(Duration.ofMinutes(10), 4000, 1100).run(Duration.ofMinutes(40), 100, 1100);
    }
    double reference = value(history.referenceBurst());
    double capacity = value(history.databaseRate().perSecond());
    Duration burst = history.typicalBurst().known().orElseThrow();

    SimulatedService after = new SimulatedService();
    after.now = service.now.plus(Duration.ofHours(3));
    after.history.remember(history.usual());
    after.run(Duration.ofMinutes(3), 20, 1100);
    assertThat(value(after.history.databaseRate().perSecond())).isCloseTo(capacity, CLOSE);
    assertThat(value(after.history.referenceBurst())).isCloseTo(reference, CLOSE);
    assertThat(after.history.typicalBurst().known()).contains(burst);
    assertThat(after.history.usual())
        .as("the next restart")
        .isEqualTo(
            new UsualRates(
                history.usual().capacity(),
                new UsualRates.Value(reference / 10, after.now),
                history.usual().burstSeconds(),
                history.usual().most()));

    after.run(Duration.ofMinutes(3), 5000, 2000);
    assertThat(value(after.history.databaseRate().perSecond()))
        .as("a better measurement counts at once")
        .isCloseTo(2000, within(20.0));
    after.run(Duration.ofHours(24).plusMinutes(20), 20, 2000);
    assertThat(value(after.history.referenceBurst()))
        .as("a day later its own median counts")
        .isCloseTo(200, CLOSE);
    assertThat(value(after.history.databaseRate().perSecond()))
        .as("after the minutes of the backlog are not recorded any more")
        .isCloseTo(2000, within(20.0));
  }

  @Test
  void whatWasMeasuredLongerThanAWeekAgoIsUnknown() {
    Instant before = SimulatedService.START.minus(Duration.ofDays(8));
    UsualRates.Value value = new UsualRates.Value(77, before);
    history.remember(new UsualRates(value, value, value, value));
    service.run(Duration.ofMinutes(3), 100, 1100);
    assertThat(history.databaseRate().perSecond()).isInstanceOf(Figure.Unknown.class);
    assertThat(value(history.referenceBurst())).isCloseTo(1000, CLOSE);
    assertThat(history.usual().burstSeconds()).isNull();
  }

  private static ServiceSample sample(
      Optional<Instant> oldest, int unread, OptionalLong performed) {
    return new ServiceSample(
        SimulatedService.START,
        OptionalLong.of(100),
        performed,
        0,
        0,
        OptionalLong.empty(),
        oldest,
        12,
        unread,
        OptionalDouble.empty(),
        false);
  }

  private Lag lagOf(ServiceSample sample) {
    history.add(sample);
    return lag();
  }

  @Test
  void isAtLeastThatFarBehindIfPartitionsCouldNotBeRead() {
    Instant oldest = SimulatedService.START.minusSeconds(40);
    assertThat(lagOf(sample(Optional.of(oldest), 3, OptionalLong.of(10))).behind())
        .isEqualTo(
            Figure.estimated(
                Duration.ofSeconds(40), "lower bound: 3 of 12 partitions could not be read"));
  }

  @Test
  void isUnknownWhereThePartitionsWithMessagesCouldNotBeRead() {
    Lag lag = lagOf(sample(Optional.empty(), 3, OptionalLong.of(10)));
    assertThat(lag.behind()).isInstanceOf(Figure.Unknown.class);
    assertThat(lag.state()).isEqualTo(Lag.State.UNKNOWN);
    assertThat(lag.late()).isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void isNotBehindWhereAllWasReadAndNothingWaits() {
    Lag lag = lagOf(sample(Optional.empty(), 0, OptionalLong.empty()));
    assertThat(lag.behind()).isEqualTo(Figure.measured(Duration.ZERO));
    assertThat(lag.unperformed()).isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void showsZeroForAMessageFromTheFuture() {
    Instant future = SimulatedService.START.plusMillis(40);
    Lag lag = lagOf(sample(Optional.of(future), 0, OptionalLong.of(99)));
    assertThat(lag.behind()).isEqualTo(Figure.measured(Duration.ZERO));
  }

  @Test
  void usesThePresentIntakeIfThatOfTheOldestMessageIsNotKnown() {
    long second = 0;
    for (; second < 70; second++) {
      Instant now = SimulatedService.START.plusSeconds(second);
      history.add(
          new ServiceSample(
              now,
              OptionalLong.of(1_000_000 + 100 * second),
              OptionalLong.of(50 * second),
              0,
              0,
              OptionalLong.empty(),
              Optional.of(now.minusMillis(86_400_000 + 500 * second)),
              1,
              0,
              OptionalDouble.of(1),
              false));
    }
    assertThat(lag().growth()).isInstanceOf(Figure.Estimated.class);
    assertThat(value(lag().growth())).isCloseTo(0.5, CLOSE);
  }
}
