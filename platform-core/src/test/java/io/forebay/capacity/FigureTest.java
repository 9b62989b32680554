/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FigureTest {

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void isNeverADoubleThatIsNotFinite(double number) {
    assertThatThrownBy(() -> Figure.measured(number))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("finite or unknown");
    assertThatThrownBy(() -> Figure.estimated(number, "guess"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Figure.measured(1.0).map(it -> it * number))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void isAsReliableAsItsLeastReliableInput() {
    Figure<Double> measured = Figure.measured(6.0);
    Figure<Double> estimated = Figure.estimated(2.0, "from the trend");
    Figure<Double> unknown = Figure.unknown("not sampled");
    assertThat(measured.with(Figure.measured(2.0), (a, b) -> a / b))
        .isEqualTo(Figure.measured(3.0));
    assertThat(measured.with(estimated, (a, b) -> a / b))
        .isEqualTo(Figure.estimated(3.0, "from the trend"));
    assertThat(estimated.with(measured, (a, b) -> b / a))
        .isEqualTo(Figure.estimated(3.0, "from the trend"));
    assertThat(measured.with(unknown, Double::sum)).isEqualTo(unknown);
    assertThat(unknown.with(measured, Double::sum)).isEqualTo(unknown);
    assertThat(estimated.with(Figure.estimated(1.0, "half"), Double::sum))
        .isEqualTo(Figure.estimated(3.0, "from the trend; half"));
  }

  @Test
  void hasNoValueWhereItIsUnknown() {
    assertThat(Figure.unknown("not sampled").known()).isEmpty();
    assertThat(Figure.<Double>unknown("not sampled").or(Figure.measured(1.0)))
        .isEqualTo(Figure.measured(1.0));
  }

  @Test
  void timesAreInOrderWithPassedFirstAndNeverLast() {
    Until passed = new Until.Passed();
    Until soon = new Until.In(Duration.ofSeconds(1));
    Until never = new Until.Never("it holds");
    assertThat(never.sooner(soon).sooner(passed)).isEqualTo(passed);
    assertThat(passed.later(soon).later(never)).isEqualTo(never);
    assertThat(Until.ofSeconds(0, "-")).isEqualTo(passed);
    assertThat(Until.ofSeconds(1, "-")).isEqualTo(soon);
    assertThat(Until.ofSeconds(1e12, "it holds")).isEqualTo(never);
    assertThat(Until.ofSeconds(Double.POSITIVE_INFINITY, "it holds")).isEqualTo(never);
    assertThat(Until.ofSeconds(Double.NaN, "it holds")).isEqualTo(never);
  }
}
