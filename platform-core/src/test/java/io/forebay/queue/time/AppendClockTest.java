/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AppendClockTest {

  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 3 * SECOND);
  private final AtomicInteger looks = new AtomicInteger();
  private Instant wall = Instant.parse("2025-01-01T00:00:00.000001Z");
  private final long start = AppendClock.nanos(wall);

  private final AppendClock clock =
      new AppendClock(
          () -> {
            looks.incrementAndGet();
            return wall;
          },
          nanos::get);

  @Test
  void itAddsNanoTimeToTheWallClockAndReadsItAgainAfterASecond() {
    assertThat(clock.nanos()).isEqualTo(start);
    nanos.addAndGet(999_999_999);
    assertThat(clock.nanos()).isEqualTo(start + 999_999_999);
    assertThat(looks).hasValue(1);

    wall = wall.plusSeconds(100);
    nanos.addAndGet(1);
    assertThat(clock.nanos()).isEqualTo(start + 100_000_000_000L);
    assertThat(looks).hasValue(2);
  }

  @Test
  void itContinuesWhenNanoTimeOverflows() {
    for (long i = 1; i <= 10; i++) {
      nanos.addAndGet(SECOND / 2);
      wall = wall.plusMillis(500);
      assertThat(clock.nanos()).isEqualTo(start + i * 500_000_000);
    }
  }

  @Test
  void itFollowsAStepOfTheWallClockBack() {
    wall = wall.minusSeconds(3_600);
    nanos.addAndGet(SECOND);
    assertThat(clock.nanos()).isEqualTo(start - 3_600_000_000_000L);
  }

  @Test
  void theSystemsClockTellsTheTime() {
    long before = AppendClock.nanos(Instant.now());
    long time = AppendClock.system().nanos();
    assertThat(time).isBetween(before - 1_000_000, AppendClock.nanos(Instant.now()) + 1_000_000);
  }

  @Test
  void itKeepsTheDifferenceWhileTheClocksAgreeToAMicrosecond() {
    wall = wall.plusNanos(SECOND + 900);
    nanos.addAndGet(SECOND);
    assertThat(clock.nanos()).isEqualTo(start + SECOND);
    wall = wall.plusNanos(SECOND + 900);
    nanos.addAndGet(SECOND);
    assertThat(clock.nanos()).isEqualTo(start + 2 * SECOND + 1_800);
  }

  @Test
  void itMeasuresAgainIfTheThreadWasInterruptedBetweenTheClocks() {
    AtomicInteger interruptions = new AtomicInteger();
    AppendClock interrupted =
        new AppendClock(
            () -> {
              if (interruptions.getAndIncrement() < 2) {
                nanos.addAndGet(SECOND / 10);
                return wall;
              }
              return wall.plusNanos(SECOND / 5);
            },
            nanos::get);
    assertThat(interrupted.nanos()).isEqualTo(start + SECOND / 5);
    assertThat(interruptions).hasValue(3);
  }
}
