/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** What a run at one rate counts. */
class PacedLoadTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private static Measurement run(SimulatedServer server, long perSecond) {
    try {
      return server.run(perSecond, SECOND);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void countsTheMessagesAfterTheWarmupWithTheirLatencies() {
    Measurement measured = run(SimulatedServer.of(_ -> 20_000), 10_000);
    assertThat(measured.nanos().getTotalCount()).isEqualTo(10_000);
    assertThat(measured.nanos().getMaxValue()).isCloseTo(20_000L, within(20L));
    assertThat(measured.completedPerSecond()).isCloseTo(10_000, within(10.0));
    assertThat(measured.keepsUp()).isTrue();
  }

  /** One message stalls for 100 ms, and 1,000 others are due meanwhile. */
  @Test
  void messagesThatAreDueDuringAStallAreLateToo() {
    LongUnaryOperator stalling = n -> n == 5_000 ? 100_000_000 : 1_000;
    for (SimulatedServer server :
        List.of(SimulatedServer.of(stalling), SimulatedServer.blocking(stalling))) {
      Measurement measured = run(server, 10_000);
      assertThat(measured.nanos().getMaxValue()).isCloseTo(100_000_000L, within(100_000L));
      assertThat(measured.nanos().getValueAtPercentile(95)).isBetween(45_000_000L, 56_000_000L);
      assertThat(measured.nanos().getValueAtPercentile(50)).isLessThan(2_000);
      assertThat(measured.nanos().getTotalCount()).isEqualTo(10_000);
      assertThat(measured.keepsUp()).isTrue();
    }
  }

  @Test
  void givesUpWhenSendingTakesTwiceAsLongAsPlanned() {
    Measurement measured = run(SimulatedServer.blocking(_ -> 1_000_000), 10_000);
    assertThat(measured.givenUp()).isTrue();
    assertThat(measured.completedPerSecond()).isCloseTo(1_000, within(1.0));
  }

  @Test
  void aServerThatIsTwoPercentTooSlowDoesNotKeepUp() {
    assertThat(run(SimulatedServer.of(_ -> 102_000), 10_000).keepsUp()).isFalse();
    assertThat(run(SimulatedServer.of(_ -> 99_000), 10_000).keepsUp()).isTrue();
  }

  @Test
  void givesUpWhenHalfOfTheMessagesWait() {
    Measurement measured = run(SimulatedServer.of(_ -> 1_000_000), 10_000);
    assertThat(measured.givenUp()).isTrue();
    assertThat(measured.keepsUp()).isFalse();
    assertThat(measured.completedPerSecond()).isCloseTo(1_000, within(1.0));
  }

  @Test
  void aRunThatEndedEarlyLeavesNothingToTheNextOne() {
    SimulatedServer server = SimulatedServer.of(n -> n < 5_000 ? 1_000_000 : 1_000);
    assertThat(run(server, 10_000).givenUp()).isTrue();
    assertThat(run(server, 10_000).nanos().getMaxValue()).isLessThan(1_010);
  }

  @Test
  void failsIfMessagesAreNotCompletedInTime() {
    assertThatThrownBy(() -> run(SimulatedServer.of(n -> n == 100 ? 20_000_000_000L : 1), 1_000))
        .hasMessageStartingWith("messages were not completed at 1,000 per second (100 of ");
  }

  @Test
  void aFailureOfTheSystemEndsTheRun() {
    PacedLoad failing =
        new PacedLoad(SECOND) {
          @Override
          protected void send(long due) {
            failed(new IllegalArgumentException("no more"));
          }
        };
    assertThatThrownBy(() -> failing.run(1_000, SECOND))
        .hasMessage("the load failed at 1000 per second")
        .hasRootCauseMessage("no more");
  }
}
