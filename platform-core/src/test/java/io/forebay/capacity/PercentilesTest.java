/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PercentilesTest {

  private static Histogram of(long micros, long count) {
    Histogram histogram = new Histogram(3);
    histogram.setAutoResize(true);
    histogram.recordValueWithCount(1_000 * micros, count);
    return histogram;
  }

  /** Design §5.4: n (1 - q) of at least 10. */
  @ParameterizedTest
  @CsvSource({
    "500000, 19, Unknown", "500000, 20, Measured",
    "900000, 99, Unknown", "900000, 100, Measured",
    "990000, 999, Unknown", "990000, 1000, Measured",
    "999000, 9999, Unknown", "999000, 10000, Measured",
    "999900, 9999, Unknown", "999900, 10000, Estimated",
    "999900, 99999, Estimated", "999900, 100000, Measured",
  })
  void areShownOnlyWithEnoughValues(int perMillion, long count, String shown) {
    assertThat(Percentiles.at(of(1000, count), perMillion).getClass().getSimpleName())
        .isEqualTo(shown);
  }

  @Test
  void reportHowManyValuesAreMissing() {
    assertThat(Percentiles.at(of(1000, 412), 990_000))
        .isEqualTo(Figure.unknown("needs 1,000 values, has 412"));
  }

  @Test
  void withoutValuesAreUnknown() {
    Percentiles none = Percentiles.of(new Histogram(3));
    assertThat(none.count()).isZero();
    assertThat(none.values().values()).allMatch(it -> it instanceof Figure.Unknown);
  }
}
