/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class StepRatesTest {

  private static final Instant BEGUN = Instant.parse("2026-11-19T02:00:00Z");

  private final StepRates rates = new StepRates();

  private Double at(int second, long read) {
    return rates.rate(1, BEGUN, read, BEGUN.plusSeconds(second));
  }

  @Test
  void aStepThatBeganWithinTheMinuteIsMeasuredFromItsBeginning() {
    assertThat(at(0, 0)).isNull();
    assertThat(at(10, 500)).isEqualTo(50.0);
  }

  @Test
  void onlyTheLastMinuteCounts() {
    for (int second = 1; second <= 100; second++) {
      at(second, second * 10L);
    }
    for (int second = 101; second < 220; second++) {
      at(second, 1_000);
    }
    assertThat(at(220, 1_000)).isZero();
  }

  @Test
  void thereIsNoRateForAnOldStepThatWasSeenOnce() {
    assertThat(at(4_000, 80_000)).isNull();
    assertThat(at(4_010, 80_400)).isEqualTo(40.0);
  }
}
