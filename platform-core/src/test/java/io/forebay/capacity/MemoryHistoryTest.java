/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Design §5.2, memory that slows appends. */
final class MemoryHistoryTest {

  private static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
  private static final String VMSTAT =
      """
      nr_free_pages 812345
      nr_dirty 1000
      nr_writeback 500
      nr_written 123456
      nr_dirty_threshold 200000
      nr_dirty_background_threshold 100000
      """;

  private static MemoryHistory history() {
    return new MemoryHistory(OptionalDouble.empty(), OptionalLong.empty());
  }

  private static MemorySample sample(int second, long dirty, long written) {
    return new MemorySample(
        START.plusSeconds(second),
        OptionalLong.of(dirty),
        OptionalLong.of(1000),
        OptionalLong.of(3000),
        OptionalLong.of(written));
  }

  @Test
  void readsTheKernelsFigures() {
    MemoryHistory history = history();
    history.add(MemorySample.ofVmstat(START, VMSTAT, 4096));
    DirtyMemory memory = history.now();
    assertThat(memory.dirtyBytes()).isEqualTo(Figure.measured(1500 * 4096L));
    assertThat(memory.slowsAtBytes()).isEqualTo(Figure.measured(150_000 * 4096L));
    assertThat(memory.share()).isEqualTo(Figure.measured(0.01));
  }

  @Test
  void reportsThatTheLimitOfTheHostIsNotVisible() {
    MemoryHistory history = history();
    history.add(MemorySample.ofVmstat(START, "nr_dirty 1000\n", 4096));
    assertThat(history.now().slowsAtBytes()).isEqualTo(Figure.unknown("host limit not visible"));
    assertThat(history.now().share()).isInstanceOf(Figure.Unknown.class);
    assertThat(history.now().slowAt(1e9)).isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void theLimitOfAContainerCountsWhereItIsLower() {
    MemoryHistory history = new MemoryHistory(OptionalDouble.empty(), OptionalLong.of(1500));
    history.add(sample(0, 500, 0));
    assertThat(history.now().slowsAtBytes()).isEqualTo(Figure.measured(1500L));
  }

  @Test
  void theFastestWriteBackUnderPressureCounts() {
    MemoryHistory history = history();
    for (int second = 0; second < 60; second++) {
      history.add(sample(second, 500, second * 9000L));
    }
    assertThat(history.now().writtenBackPerSecond()).isInstanceOf(Figure.Unknown.class);
    for (int second = 60; second < 120; second++) {
      history.add(
          sample(
              second,
              2000,
              540_000 + (second < 90 ? (second - 60) * 300L : 9000 + (second - 90) * 400L)));
    }
    history.add(sample(130, 500, 1_000_000));
    assertThat(history.now().writtenBackPerSecond()).isEqualTo(Figure.measured(400.0));
  }

  @Test
  void isDiscardedAfterADay() {
    MemoryHistory history = history();
    for (int second = 0; second < 30; second++) {
      history.add(sample(second, 2000, second * 300L));
    }
    assertThat(history.now().writtenBackPerSecond()).isInstanceOf(Figure.Measured.class);
    history.add(sample((int) Duration.ofHours(25).toSeconds(), 500, 10_000));
    assertThat(history.now().writtenBackPerSecond()).isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void halfOfTheTrialCountsUntilARateWasSeen() {
    MemoryHistory history = new MemoryHistory(OptionalDouble.of(800), OptionalLong.empty());
    history.add(sample(0, 500, 0));
    assertThat(history.now().writtenBackPerSecond())
        .isEqualTo(
            Figure.estimated(
                400.0,
                "half of the rate measured in the trial; memory was not under pressure in 24 hours"));
  }
}
