/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PositionCountsTest {

  private final PositionCounts counts = new PositionCounts();

  @Test
  void forgetsWhatIsPerformedWhateverTheOrderInWhichItCame() {
    counts.add(7, 1);
    counts.add(5, 2);
    counts.add(9, 3);
    assertThat(counts.sum()).isEqualTo(6);
    assertThat(counts.removeBefore(5)).isZero();
    assertThat(counts.removeBefore(8)).isEqualTo(3);
    assertThat(counts.removeBefore(10)).isEqualTo(3);
    assertThat(counts.sum()).isZero();
  }

  @Test
  void takesBoundedMemoryAndNeverCountsTooFew() {
    Random random = new Random(1);
    int most = 100_000;
    for (int i = 0; i < most; i++) {
      counts.add(i, 1);
      assertThat(counts.entries()).isLessThanOrEqualTo(PositionCounts.MOST);
    }
    assertThat(counts.sum()).isEqualTo(most);
    long end = 0;
    while (end < most) {
      end += random.nextInt(2_000);
      counts.removeBefore(Math.min(end, most));
      assertThat(counts.sum() - (most - Math.min(end, most)))
          .as("counted although they are performed")
          .isBetween(0L, most / 32L);
    }
    assertThat(counts.sum()).isZero();
  }

  @Test
  void isExactAgainOnceNothingWaited() {
    for (int i = 0; i < 10_000; i++) {
      counts.add(i, 1);
    }
    counts.removeBefore(10_000);
    counts.add(10_000, 1);
    counts.add(10_001, 1);
    assertThat(counts.removeBefore(10_001)).isEqualTo(1);
  }
}
