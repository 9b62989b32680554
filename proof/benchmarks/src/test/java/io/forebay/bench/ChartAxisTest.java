/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChartAxisTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0.2   | 0, 0.05, 0.1, 0.15, 0.2
          3     | 0, 0.5, 1, 1.5, 2, 2.5, 3
          27.8  | 0, 5, 10, 15, 20, 25, 30
          12000 | 0, 2,000, 4,000, 6,000, 8,000, 10,000, 12,000
          0     | 0
          """)
  void hasRoundTicksUpToTheGreatestValue(double most, String ticks) {
    assertThat(String.join(", ", ChartAxis.upTo(most).ticks().values())).startsWith(ticks);
  }

  @ParameterizedTest
  @CsvSource({"0.3,90,0.1,100", "1,10,0.1,10", "0,5,0.000001,10", "0,0,0,0"})
  void spansTheValuesOnALogarithmicAxis(double least, double most, double from, double to) {
    ChartAxis axis = ChartAxis.powersAround(least, most);

    assertThat(axis.ticks()).hasSizeLessThan(10);
    if (most > 0) {
      assertThat(axis.from()).isBetween(from * 0.999, from * 1.001);
      assertThat(axis.to()).isEqualTo(to);
    }
  }

  @Test
  void drawsValuesBeyondItsEndsAtThem() {
    ChartAxis axis = ChartAxis.powers(0, 2, Integer::toString);

    assertThat(axis.share(10)).isEqualTo(0.5);
    assertThat(axis.share(0)).isZero();
    assertThat(axis.share(1e9)).isOne();
  }
}
