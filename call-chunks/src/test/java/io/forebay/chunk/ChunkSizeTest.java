/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** The times of chunks are computed; so each test ends with the same size each time. */
class ChunkSizeTest {

  private static final int MEASUREMENTS = 200;

  private final ChunkSize size = size(10, 10_000);

  private static ChunkSize size(int min, int max) {
    return new ChunkSize(ChunkOptions.defaults().withItems(min, max));
  }

  /**
   * Answers full chunks for as long as one measurement, each after the time that its size takes.
   */
  private static void measure(ChunkSize size, IntToLongFunction nanos) {
    int then = size.get();
    long elapsed = Math.max(nanos.applyAsLong(then), ChunkSize.NANOS / ChunkSize.CHUNKS);
    for (int i = 0; i < ChunkSize.CHUNKS && size.get() == then; i++) {
      size.answered(then, then, elapsed);
    }
  }

  /** A request takes a millisecond, and each of its calls as long as given. */
  private static IntToLongFunction perCall(double micros) {
    return items -> (long) (100_000_000 + micros * 100_000 * items);
  }

  private static void climb(ChunkSize size, IntToLongFunction nanos) {
    for (int i = 0; i < MEASUREMENTS; i++) {
      measure(size, nanos);
    }
  }

  @Test
  void itStartsAtAHundredOrAtTheNearerBound() {
    assertThat(size.get()).isEqualTo(100);
    assertThat(size(200, 1_000).get()).isEqualTo(200);
    assertThat(size(5, 20).get()).isEqualTo(20);
  }

  @Test
  void itGrowsWhileALargerSizeSavesTime() {
    // per call 10 + 1,000 / size µs: 20 at 100, 15 at 200, 12.5 at 400, 11.25 at 800, 10.6 at 1,600
    climb(size, perCall(10));
    assertThat(size.get()).isEqualTo(1_600);
  }

  @Test
  void itShrinksIfLargeChunksAreSlow() {
    IntToLongFunction quadratic = items -> 100_000_000L + 100_000L * items * items;
    climb(size, quadratic); // per call 1,000 / size + size µs, the least at 32
    assertThat(size.get()).isBetween(25, 50);
  }

  @Test
  void itStaysWithinItsBounds() {
    ChunkSize narrow = size(80, 150);
    climb(narrow, perCall(1));
    assertThat(narrow.get()).isEqualTo(150);
    ChunkSize fixed = size(30, 30);
    climb(fixed, perCall(1));
    assertThat(fixed.get()).isEqualTo(30);
  }

  @Test
  void noiseDoesNotDriveItAway() {
    Random random = new Random(17);
    IntToLongFunction noisy =
        items -> (long) (perCall(10).applyAsLong(items) * (0.9 + 0.2 * random.nextDouble()));
    climb(size, noisy);
    assertThat(size.get()).isBetween(200, 6_400);
  }

  @Test
  void aServiceThatBecomesFasterMeanwhileIsNoReasonToChangeTheSize() {
    long[] nanos = {100_000_000_000L};
    for (int i = 0; i < 60; i++) {
      measure(size, items -> nanos[0] * items / 100);
      nanos[0] = nanos[0] * 90 / 100;
      assertThat(size.get()).as("a trial of 200, or less").isLessThanOrEqualTo(200);
    }
  }

  @Test
  void itFollowsAServiceThatChanges() {
    climb(size, perCall(10));
    climb(size, perCall(1_000));
    climb(size, perCall(1_000));
    assertThat(size.get()).isLessThan(400);
    climb(size, perCall(10));
    climb(size, perCall(10));
    assertThat(size.get()).isEqualTo(1_600);
  }

  @Test
  void aSizeThatIsNeverFilledIsNotKept() {
    for (int i = 0; i < MEASUREMENTS * ChunkSize.CHUNKS; i++) {
      int then = size.get();
      int calls = Math.min(then, 300); // no more callers
      size.answered(then, calls, perCall(10).applyAsLong(calls));
    }
    assertThat(size.get()).isEqualTo(200);
  }

  @Test
  void afterTwoFailedTrialsItRests() {
    climb(size, perCall(10));
    int trials = 0;
    for (int i = 0; i < MEASUREMENTS; i++) {
      measure(size, perCall(10));
      trials += size.get() == 1_600 ? 0 : 1;
    }
    assertThat(trials).isPositive().isLessThan(MEASUREMENTS / 10);
  }

  @Test
  void aSizeAtWhichAChunkFailsIsNotKept() {
    measure(size, perCall(10));
    assertThat(size.get()).isEqualTo(200);
    size.failed(200, false);
    assertThat(size.get()).isEqualTo(100);
    size.failed(100, false);
    assertThat(size.get()).isEqualTo(100);
  }

  @Test
  void aChunkThatTimesOutHalvesTheSizeOnceForAllChunksOfThisSize() {
    size.failed(100, true);
    size.failed(100, true);
    assertThat(size.get()).isEqualTo(50);
  }
}
