/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** What a sweep finds out about servers whose capacity is known. */
class SweepTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private static Verdict sweep(Load load, Plan plan) {
    try {
      return new Sweep(load, plan, _ -> {}).run();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Its latency is the same at all rates up to 50,000 per second. */
  @Test
  void aServerWithoutJitterSustainsWhatItReaches() {
    Verdict verdict = sweep(SimulatedServer.of(_ -> 20_000), Plan.search(SECOND));
    assertThat(verdict.typicalNanos()).isBetween(20_000L, 20_020L);
    assertThat(verdict.highestPerSecond()).isBetween(49_000L, 50_100L);
    assertThat(verdict.kneePerSecond()).isBetween(48_000L, 50_500L);
    assertThat(verdict.sustainablePerSecond()).isBetween(46_000L, 50_000L);
    assertThat(verdict.points())
        .isSortedAccordingTo((a, b) -> Long.compare(a.perSecond(), b.perSecond()));
    assertThat(verdict.points().getLast().keepsUp()).isFalse();
  }

  /**
   * One message in 500 takes 170 instead of 20 µs, within 10 times the typical latency. With gaps
   * of 38 µs between messages, each of the following ones waits 18 µs less, so that five in 500
   * exceed 80 µs: 99 % take at most 4 times the typical latency up to 26,300 per second.
   */
  @Test
  void aServerWithJitterSustainsLessThanItReaches() {
    Verdict verdict =
        sweep(SimulatedServer.of(n -> n % 500 == 0 ? 170_000 : 20_000), Plan.search(SECOND));
    assertThat(verdict.highestPerSecond()).isBetween(48_000L, 50_000L);
    assertThat(verdict.kneePerSecond()).isBetween(47_000L, 50_000L);
    long sustainable = verdict.sustainablePerSecond();
    assertThat(sustainable).isBetween(24_500L, 26_300L);
    assertThat(verdict.points())
        .allSatisfy(point ->
            assertThat(point.isStable(verdict.typicalNanos()))
                .isEqualTo(point.perSecond() <= sustainable));
    assertThat(verdict.points()).filteredOn(it -> it.perSecond() == sustainable).hasSize(2);
  }

  @Test
  void findsARateBelowTheFirstOneThatItTries() {
    Verdict verdict = sweep(SimulatedServer.of(_ -> 20_000_000), Plan.search(SECOND));
    assertThat(verdict.highestPerSecond()).isBetween(48L, 50L);
    assertThat(verdict.sustainablePerSecond()).isBetween(44L, 50L);
  }

  @Test
  void aRateThatWasStableByChanceIsNotReported() {
    Load load = disturbed((rate, isFirst) -> !isFirst && rate > 30_000);
    assertThat(sweep(load, Plan.search(SECOND)).sustainablePerSecond()).isBetween(20_000L, 30_000L);
  }

  @Test
  void aRateThatIsDisturbedOnceIsMeasuredAgain() {
    Load load = disturbed((_, isFirst) -> isFirst);
    assertThat(sweep(load, Plan.search(SECOND)).sustainablePerSecond()).isBetween(46_000L, 50_000L);
  }

  /**
   * In some runs, one message in 50 takes 1 ms instead of 20 µs.
   *
   * @param when gets the rate of a run, and whether it is the first at this rate
   */
  private static Load disturbed(BiPredicate<Long, Boolean> when) {
    Set<Long> measured = new HashSet<>();
    SimulatedServer server = SimulatedServer.of(_ -> 20_000);
    return (perSecond, length) -> {
      Measurement run = server.run(perSecond, length);
      if (length.equals(SECOND) && when.test(perSecond, measured.add(perSecond))) {
        run.nanos().recordValueWithCount(1_000_000, run.nanos().getTotalCount() / 50);
      }
      return run;
    };
  }

  @Test
  void reportsThatNoRateIsSustainable() {
    Verdict verdict =
        sweep(SimulatedServer.of(n -> n % 50 == 0 ? 400_000 : 20_000), Plan.search(SECOND));
    assertThat(verdict.kneePerSecond()).isGreaterThan(30_000);
    assertThat(verdict.sustainablePerSecond()).isZero();
  }
}
