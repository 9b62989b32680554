/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.capacity.DatabaseRate.Saturated;
import io.forebay.capacity.series.RingLengths;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RateJudgementTest {

  private static final Instant DAY = Instant.parse("2026-11-20T08:00:00Z");

  private final List<Saturated> recorded = new ArrayList<>();

  /** A backlog: its saturated minutes, one after the other. */
  private void backlog(Instant begin, double... rates) {
    for (int i = 0; i < rates.length; i++) {
      recorded.add(new Saturated(begin.plus(Duration.ofMinutes(i + 1)), rates[i]));
    }
  }

  private static double[] minutes(int count, double rate) {
    return IntStream.range(0, count).mapToDouble(_ -> rate).toArray();
  }

  private Figure<RateJudgement> judged() {
    List<Saturated> latestFirst = new ArrayList<>(recorded);
    Collections.reverse(latestFirst);
    return RateJudgement.of(latestFirst, _ -> Double.NaN);
  }

  private RateJudgement known() {
    return judged().known().orElseThrow();
  }

  @Test
  void anEstimateThatWasRightHasABandOfOne() {
    for (int day = 0; day < 4; day++) {
      backlog(DAY.plus(Duration.ofDays(day)), minutes(10, 160));
    }
    assertThat(known())
        .as("the first backlog has nothing to be compared with")
        .isEqualTo(new RateJudgement(1, 1, 30, Duration.ofDays(2).plus(Duration.ofMinutes(10))));
  }

  @Test
  void anEstimateIsComparedOnlyWithWhatFollowed() {
    for (int day = 0; day < 4; day++) {
      backlog(DAY.plus(Duration.ofDays(day)), minutes(10, 100 << day));
    }
    RateJudgement judgement = known();
    assertThat(judgement.low()).as("what it could do doubles every day").isEqualTo(2);
    assertThat(judgement.high()).isEqualTo(2);
    assertThat(judgement.share()).as("nothing better is promised").isEqualTo(1);
  }

  @Test
  void aDatabaseThatIsOftenSlowLowersTheBand() {
    backlog(DAY, minutes(10, 200));
    for (int day = 1; day < 4; day++) {
      double[] rates = minutes(20, 200);
      for (int i = 0; i < 5; i++) {
        rates[4 * i] = 120;
      }
      backlog(DAY.plus(Duration.ofDays(day)), rates);
    }
    RateJudgement judgement = known();
    assertThat(judgement.low()).isCloseTo(0.6, within(1e-9));
    assertThat(judgement.high()).isEqualTo(1);
    assertThat(judgement.comparisons()).isEqualTo(60);
    assertThat(judgement.share()).isCloseTo(0.6, within(1e-9));
  }

  @Test
  void aLongBacklogIsEstimatedAgainEveryHour() {
    backlog(DAY, minutes(10, 200));
    Instant later = DAY.plus(Duration.ofDays(2));
    backlog(later, minutes(180, 100));
    RateJudgement judgement = known();
    assertThat(judgement.low()).as("the first hour").isEqualTo(0.5);
    assertThat(judgement.high()).as("the others, which know the first").isEqualTo(1);
    assertThat(judgement.comparisons()).isEqualTo(180);
  }

  @Test
  void ofBacklogsOlderThanTheEstimatorLooksItSaysNothing() {
    backlog(DAY, minutes(10, 200));
    backlog(DAY.plus(Duration.ofDays(8)), minutes(10, 100));
    assertThat(judged()).isEqualTo(Figure.unknown("needs 10 minutes with a backlog, has 0"));
  }

  @Test
  void aFewMinutesJudgeNothing() {
    backlog(DAY, minutes(5, 160));
    backlog(DAY.plus(Duration.ofHours(2)), minutes(9, 160));
    assertThat(judged()).isEqualTo(Figure.unknown("needs 10 minutes with a backlog, has 9"));
  }

  @Test
  void theBurstHeadroomReckonsWithTheLowEndOfTheBand() {
    SimulatedService service = new SimulatedService(RingLengths.DEFAULT);
    ServiceHistory history = service.history;
    service.run(Duration.ofMinutes(3), 100, 200);
    assertThat(history.judgement()).isInstanceOf(Figure.Unknown.class);
    Duration limit = Duration.ofMinutes(5);
    for (int i = 0; i < 3; i++) {
      service.run(Duration.ofMinutes(5), 400, 200).run(Duration.ofMinutes(15), 100, 200);
    }
    service.run(Duration.ofMinutes(10), 400, 120).run(Duration.ofMinutes(60), 10, 200);
    RateJudgement judgement = history.judgement().known().orElseThrow();
    assertThat(judgement.low()).isCloseTo(0.6, within(0.02));
    assertThat(judgement.high()).isCloseTo(1, within(0.02));
    double can = history.databaseRate().perSecond().known().orElseThrow();
    assertThat(can).isCloseTo(200, within(2.0));
    assertThat(history.beforeBurst(limit).databaseRate().known().orElseThrow())
        .isCloseTo(can * judgement.low(), within(0.01));
  }
}
