/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class ConfidenceTest {

  /** Calculated by hand: the deviation of 1, 2, 3 is 1, and 9.925 / √3 is 5.730. */
  @Test
  void theIntervalFollowsStudentsDistribution() {
    Confidence confidence = Confidence.of(List.of(1.0, 2.0, 3.0));
    assertThat(confidence.mean()).isEqualTo(2);
    assertThat(confidence.from()).isEqualTo(-3.730, within(0.001));
    assertThat(confidence.to()).isEqualTo(7.730, within(0.001));
  }

  @Test
  void oneValueHasNoInterval() {
    assertThat(Confidence.of(List.of(5.0)).half()).isNaN();
  }
}
