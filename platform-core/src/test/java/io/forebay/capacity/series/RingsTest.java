/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RingsTest {

  private static final Instant START = Instant.parse("2026-11-20T02:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TEN = Duration.ofSeconds(10);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Rings rings = rings();

  private static Rings rings() {
    return new Rings(
        EnumSet.of(Measure.ACCEPTED, Measure.BEHIND, Measure.USED),
        MINUTE,
        Duration.ofMinutes(5),
        Duration.ofMinutes(30));
  }

  private static void add(Rings to, int second, double value) {
    if (to.begin(START.plusSeconds(second))) {
      to.add(Measure.ACCEPTED, value);
      to.add(Measure.BEHIND, value);
      to.add(Measure.USED, value);
    }
  }

  private static List<Object> read(Rings from, Measure measure, int start, int end, Duration step) {
    Points points = from.read(measure, START.plusSeconds(start), START.plusSeconds(end), step);
    return points.all().stream().map(it -> it == null ? (Object) "gap" : it).toList();
  }

  @Test
  void aLongerStepIsTheMeanTheWorstOrTheLastOfItsSeconds() {
    for (int second = 0; second < 20; second++) {
      add(rings, second, second == 3 ? 100 : second);
    }
    assertThat(read(rings, Measure.ACCEPTED, 0, 20, TEN))
        .containsExactly((45 - 3 + 100) / 10.0f + 0.0, 14.5);
    assertThat(read(rings, Measure.BEHIND, 0, 20, TEN)).containsExactly(100.0, 19.0);
    assertThat(read(rings, Measure.USED, 0, 20, TEN)).containsExactly(9.0, 19.0);
  }

  @Test
  void gapsStayGapsInEveryStep() {
    for (int second = 0; second < 180; second++) {
      if (second < 5 || second >= 150) {
        add(rings, second, 1);
      }
    }
    add(rings, 180, Double.NaN);
    assertThat(read(rings, Measure.ACCEPTED, 0, 180, MINUTE)).containsExactly(1.0, "gap", 1.0);
    assertThat(read(rings, Measure.ACCEPTED, 130, 170, TEN))
        .containsExactly("gap", "gap", 1.0, 1.0);
    assertThat(read(rings, Measure.ACCEPTED, 147, 152, SECOND))
        .containsExactly("gap", "gap", "gap", 1.0, 1.0);
    assertThat(read(rings, Measure.ACCEPTED, 180, 181, SECOND)).containsExactly("gap");
    assertThat(rings.mean(Measure.ACCEPTED, START.plusSeconds(180), MINUTE)).isEqualTo(1);
  }

  @Test
  void olderDataIsReadInTheNextLongerSteps() {
    for (int second = 0; second < 1200; second++) {
      add(rings, second, 7);
    }
    Instant now = START.plusSeconds(1200);
    assertThat(rings.read(Measure.USED, now.minusSeconds(30), now, SECOND).step())
        .isEqualTo(SECOND);
    assertThat(rings.read(Measure.USED, now.minusSeconds(90), now, SECOND).step()).isEqualTo(TEN);
    Points minutes = rings.read(Measure.USED, now.minusSeconds(600), now, SECOND);
    assertThat(minutes.step()).isEqualTo(MINUTE);
    assertThat(minutes.size()).isEqualTo(10);
    assertThat(minutes.first()).isEqualTo(now.minusSeconds(600));
  }

  @Test
  void aLateSecondIsDroppedAndAClockSetBackDiscardsLaterSamples() {
    for (int second = 0; second < 100; second++) {
      add(rings, second, second);
    }
    add(rings, 95, -1);
    assertThat(read(rings, Measure.ACCEPTED, 95, 96, SECOND)).containsExactly(95.0);
    add(rings, 70, -2);
    assertThat(read(rings, Measure.ACCEPTED, 68, 100, SECOND)).containsExactly(68.0, 69.0, -2.0);
    add(rings, 72, -3);
    assertThat(read(rings, Measure.ACCEPTED, 68, 100, SECOND))
        .containsExactly(68.0, 69.0, -2.0, "gap", -3.0);
  }

  @ParameterizedTest
  @EnumSource(names = {"ACCEPTED", "BEHIND", "USED"})
  void isTheSameAsKeepingAllSamplesAtRandom(Measure measure) {
    RandomGenerator random = new SplittableRandom(20261120);
    TreeMap<Integer, Double> all = new TreeMap<>();
    int second = 0;
    for (int i = 0; i < 2000; i++) {
      second += random.nextInt(20) == 0 ? random.nextInt(1, 200) : 1;
      double value = random.nextInt(1000);
      all.put(second, value);
      add(rings, second, value);
    }
    int last = second;
    for (Duration step : List.of(SECOND, TEN, MINUTE)) {
      int length = (int) step.toSeconds();
      int reach = length == 1 ? 59 : length == 10 ? 280 : 1700;
      int from = (last - reach) / length * length;
      List<Object> expected = new ArrayList<>();
      for (int at = from; at <= last; at += length) {
        expected.add(merged(measure, new ArrayList<>(all.subMap(at, at + length).values())));
      }
      assertThat(read(rings, measure, from, last + 1, step)).isEqualTo(expected);
    }
  }

  private static Object merged(Measure measure, List<Double> values) {
    if (values.isEmpty()) {
      return "gap";
    }
    return (double)
        (float)
            switch (measure.merge) {
              case MEAN -> values.stream().mapToDouble(it -> it).sum() / values.size();
              case MAX -> values.stream().mapToDouble(it -> it).max().orElseThrow();
              case LAST -> values.getLast();
            };
  }

  @Test
  void refusesASeriesThatIsNotRecorded() {
    assertThatThrownBy(() -> rings.read(Measure.DELETED, START, START, SECOND))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("DELETED is not recorded here");
  }
}
