/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LatencyHistoryTest {

  private static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final LatencyHistory history = new LatencyHistory();

  private static Histogram of(long micros, long count) {
    Histogram histogram = new Histogram(24L * 3600 * 1_000_000_000, 3);
    histogram.recordValueWithCount(1_000 * micros, count);
    return histogram;
  }

  private static long median(Percentiles percentiles) {
    return percentiles.values().get(500_000).known().orElseThrow().toMillis();
  }

  @Test
  void theValuesOfAMinuteAreThoseOfItsSeconds() {
    for (int second = 0; second < 180; second++) {
      history.add(START.plusSeconds(second), of(second < 60 ? 1000 : 5000, 2));
    }
    List<LatencyHistory.Step> steps = history.steps(START, START.plusSeconds(180), MINUTE);
    assertThat(steps).hasSize(3);
    assertThat(steps.get(0).from()).isEqualTo(START);
    assertThat(steps).allMatch(step -> step.percentiles().count() == 120);
    assertThat(median(steps.get(0).percentiles())).isEqualTo(1);
    assertThat(median(steps.get(1).percentiles())).isEqualTo(5);
    assertThat(history.percentiles(START, START.plusSeconds(180)).count()).isEqualTo(360);
  }

  @Test
  void aMinuteWithoutValuesIsReturnedEmpty() {
    history.add(START, of(1000, 100));
    history.add(START.plusSeconds(120), of(1000, 100));
    List<LatencyHistory.Step> steps = history.steps(START, START.plusSeconds(180), MINUTE);
    assertThat(steps.get(1).percentiles().count()).isZero();
    assertThat(steps.get(1).percentiles().values().get(500_000)).isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void longerStepsHaveTheValuesForHigherPercentiles() {
    for (int minute = 0; minute < 60; minute++) {
      history.add(START.plus(MINUTE.multipliedBy(minute)), of(1000, 2000));
    }
    Percentiles minute = history.percentiles(START, START.plus(MINUTE));
    Percentiles hour = history.percentiles(START, START.plus(HOUR));
    assertThat(minute.values().get(999_900)).isInstanceOf(Figure.Unknown.class);
    assertThat(hour.values().get(999_900)).isInstanceOf(Figure.Measured.class);
  }

  @Test
  void aDayIsReadByTheHour() {
    for (int minute = 0; minute < 3 * 1440; minute++) {
      history.add(START.plus(MINUTE.multipliedBy(minute)), of(1000 + minute, 1));
    }
    Instant end = START.plus(Duration.ofDays(3));
    Instant from = end.minus(Duration.ofDays(1));
    assertThat(history.percentiles(from, end).count()).isEqualTo(1440);
    assertThat(history.steps(from, end, MINUTE)).hasSize(24);
    assertThat(history.steps(end.minus(HOUR.multipliedBy(5)), end, MINUTE)).hasSize(300);
  }

  @Test
  void aClockSetBackDiscardsOnlyLaterSamples() {
    for (int minute = 0; minute < 200; minute++) {
      history.add(START.plus(MINUTE.multipliedBy(minute)), of(1000, 1));
    }
    Instant back = START.plus(MINUTE.multipliedBy(100));
    history.add(back, of(1000, 1));
    assertThat(history.percentiles(START, back).count()).isEqualTo(100);
    assertThat(history.percentiles(back, START.plus(HOUR.multipliedBy(5))).count()).isEqualTo(2);
  }
}
