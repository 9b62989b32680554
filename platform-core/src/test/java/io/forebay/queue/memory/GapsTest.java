/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class GapsTest {

  @Test
  void skipsEachGapAndKeepsAllOtherPositions() {
    Gaps gaps = Gaps.NONE.and(5, 10).and(20, 22);
    long[] expected = new long[25];
    for (int i = 0; i < 25; i++) {
      expected[i] = i >= 5 && i < 10 ? 10 : i >= 20 && i < 22 ? 22 : i;
      assertThat(gaps.over(i)).isEqualTo(expected[i]);
      assertThat(Gaps.NONE.over(i)).isEqualTo(i);
    }
    assertThat(gaps.over(-1)).isEqualTo(-1);
  }

  @Test
  void joinsAGapToTheOneBeforeIt() {
    Gaps gaps = Gaps.NONE.and(5, 10).and(10, 12);
    assertThat(gaps.over(5)).isEqualTo(12);
    assertThat(gaps.over(11)).isEqualTo(12);
  }
}
