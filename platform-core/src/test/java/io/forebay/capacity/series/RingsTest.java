/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
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
  private static final RingLengths SHORT =
      new RingLengths(Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(30));
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TEN = Duration.ofSeconds(10);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Rings rings = rings();

  private static Rings rings() {
    return new Rings(EnumSet.of(Measure.ACCEPTED, Measure.BEHIND, Measure.USED), SHORT);
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
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      values.add(points.value(i).isPresent() ? points.value(i).getAsDouble() : "gap");
    }
    return values;
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
  void continuesInTheMiddleOfAMinuteAfterARestart() throws IOException {
    Rings whole = rings();
    for (int second = 0; second < 200; second++) {
      add(whole, second, second);
    }
    Rings before = rings();
    for (int second = 0; second < 95; second++) {
      add(before, second, second);
    }
    Rings after = rings();
    after.restore(before.toBytes());
    for (int second = 95; second < 200; second++) {
      add(after, second, second);
    }
    for (Measure measure : List.of(Measure.ACCEPTED, Measure.BEHIND, Measure.USED)) {
      for (Duration step : List.of(SECOND, TEN, MINUTE)) {
        assertThat(read(after, measure, 0, 200, step))
            .isEqualTo(read(whole, measure, 0, 200, step));
      }
    }
  }

  @Test
  void changesAfterTheHistoryWasTakenAreAppliedToIt() throws IOException {
    for (int second = 0; second < 95; second++) {
      add(rings, second, second);
    }
    byte[] history = rings.toBytes();
    List<byte[]> changes = new ArrayList<>();
    for (int second = 95; second < 200; second++) {
      if (second % 20 == 0) {
        add(rings, second, Double.NaN);
      } else if (second != 150) {
        add(rings, second, second);
      }
      if (second % 10 == 7) {
        changes.add(rings.changes());
      }
    }
    Rings after = rings();
    after.restore(history);
    for (byte[] one : changes) {
      after.apply(one);
    }
    for (Measure measure : List.of(Measure.ACCEPTED, Measure.BEHIND, Measure.USED)) {
      for (Duration step : List.of(SECOND, TEN, MINUTE)) {
        assertThat(read(after, measure, 100, 180, step))
            .isEqualTo(read(rings, measure, 100, 180, step));
      }
    }
    assertThat(rings.changes().length).as("two seconds").isLessThan(90);
    assertThat(rings.changes()).isEmpty();
    byte[] wrong = changes.getFirst().clone();
    wrong[0] = 9;
    assertThatThrownBy(() -> after.apply(wrong)).isInstanceOf(IOException.class);
  }

  @Test
  void discardedChangesLeaveAllOtherSecondsAsTheyAre() throws IOException {
    rings.begin(START);
    for (int value = 0; value < 220_000; value++) { // more than 1 MiB
      rings.add(Measure.USED, 7);
    }
    byte[] changes = rings.changes();
    Rings empty = rings();
    empty.apply(changes);
    assertThat(read(empty, Measure.USED, 0, 1, SECOND)).containsExactly(7.0);
    Rings restored = rings();
    add(restored, -20, 1);
    restored.apply(changes);
    assertThat(read(restored, Measure.USED, -20, -18, SECOND)).containsExactly(1.0, "gap");
    assertThat(read(restored, Measure.USED, 0, 1, SECOND)).containsExactly(7.0);
  }

  @Test
  void aValueIsRecordedAgainInItsSecondEvenIfTheChangesBeforeAreLost() throws IOException {
    rings.begin(START);
    rings.changes(); // lost
    rings.add(Measure.ACCEPTED, 7);
    Rings after = rings();
    after.apply(rings.changes());
    assertThat(read(after, Measure.ACCEPTED, 0, 1, SECOND)).containsExactly(7.0);
  }

  @Test
  void aValueWithoutASecondIsSkipped() throws IOException {
    rings.begin(START);
    rings.add(Measure.ACCEPTED, 7);
    byte[] changes = rings.changes();
    int second = Byte.BYTES + Long.BYTES;
    int value = Byte.BYTES + Float.BYTES;
    ByteBuffer without = ByteBuffer.allocate(changes.length - second);
    without.put(changes, 0, changes.length - second - value);
    without.put(changes, changes.length - value, value);
    Rings after = rings();
    after.apply(without.array());
    assertThat(after.toBytes()).isEqualTo(rings().toBytes());
  }

  @Test
  void theTimeOfARestartIsAGap() throws IOException {
    add(rings, 0, 1);
    add(rings, 1, 2);
    Rings after = rings();
    after.restore(rings.toBytes());
    add(after, 5, 3);
    assertThat(read(after, Measure.ACCEPTED, 0, 6, SECOND))
        .containsExactly(1.0, 2.0, "gap", "gap", "gap", 3.0);
  }

  @Test
  void isRestoredWithOtherLengthsAndOtherSeries() throws IOException {
    for (int second = 0; second < 100; second++) {
      add(rings, second, second);
    }
    Rings longer =
        new Rings(
            EnumSet.of(Measure.BUSY, Measure.USED),
            new RingLengths(Duration.ofMinutes(2), Duration.ofMinutes(5), Duration.ofHours(1)));
    longer.restore(rings.toBytes());
    longer.begin(START.plusSeconds(100));
    longer.add(Measure.USED, 7);
    longer.add(Measure.BUSY, Double.NaN);
    assertThat(read(longer, Measure.USED, 98, 101, SECOND)).containsExactly(98.0, 99.0, 7.0);
    assertThat(read(longer, Measure.USED, 38, 42, SECOND))
        .containsExactly("gap", "gap", 40.0, 41.0);
    assertThat(read(longer, Measure.BUSY, 98, 101, SECOND)).containsOnly("gap");
  }

  @Test
  void refusesASeriesThatIsNotRecorded() {
    assertThatThrownBy(() -> rings.read(Measure.DIRTY, START, START, SECOND))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("DIRTY is not recorded here");
  }
}
