/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class DrainRateTest {

  private Instant now = Instant.parse("2026-01-14T12:00:00Z");
  private final DrainRate rate = new DrainRate(() -> now);

  private void freed(long bytes, Duration then) {
    rate.freed(bytes);
    now = now.plus(then);
  }

  @Test
  void isUnknownUntilAWindowHasPassed() {
    assertThat(rate.timeFor(1)).isEqualTo(DrainRate.UNKNOWN);
    freed(1000, Duration.ofMillis(999));
    assertThat(rate.timeFor(1)).isEqualTo(DrainRate.UNKNOWN);
  }

  @Test
  void predictsFreeSpaceFromTheRateOfTheLastWindow() {
    freed(1_000_000, Duration.ofMillis(500));
    freed(1_000_000, Duration.ofMillis(1500));
    assertThat(rate.timeFor(250_000)).isEqualTo(Duration.ofMillis(250));
    freed(4_000_000, Duration.ofSeconds(1));
    assertThat(rate.timeFor(1_000_000)).isEqualTo(Duration.ofMillis(250));
  }

  @Test
  void staysBetweenItsLimits() {
    freed(1_000_000, Duration.ofSeconds(1));
    assertThat(rate.timeFor(1)).isEqualTo(DrainRate.LEAST);
    assertThat(rate.timeFor(Long.MAX_VALUE)).isEqualTo(DrainRate.MOST);
  }

  @Test
  void discardsTheRateAfterAPauseOrAnEmptyWindow() {
    freed(1_000_000, Duration.ofSeconds(1));
    assertThat(rate.timeFor(100_000)).isEqualTo(Duration.ofMillis(100));
    now = now.plusSeconds(1);
    assertThat(rate.timeFor(100_000)).isEqualTo(DrainRate.UNKNOWN);
    freed(1_000_000, Duration.ofHours(1));
    assertThat(rate.timeFor(100_000)).isEqualTo(DrainRate.UNKNOWN);
  }

  @Test
  void startsOverWhenTheClockIsSetBack() {
    freed(1_000_000, Duration.ofHours(-1));
    freed(500_000, Duration.ofSeconds(1));
    assertThat(rate.timeFor(50_000)).isEqualTo(Duration.ofMillis(100));
  }
}
