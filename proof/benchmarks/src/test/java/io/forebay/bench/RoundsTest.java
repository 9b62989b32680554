/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {

  @Test
  void knowsMedianLeastAndGreatest() {
    Rounds rounds = new Rounds();
    for (double value : new double[] {9, 1, 4, 2}) {
      rounds.add("x", value);
    }
    assertThat(rounds.median("x")).isEqualTo(3);
    rounds.add("x", 100);
    assertThat(rounds.median("x")).isEqualTo(4);
    assertThat(rounds.summary())
        .isEqualTo(Map.of("x", Map.of("median", 4.0, "min", 1.0, "max", 100.0)));
  }

  @Test
  void theLastRoundSurvivesTheRoundTripAsALine() {
    Rounds rounds = new Rounds().add("write µs", 0.5).add("write µs", 0.25).add("burst/s", 4e6);

    assertThat(Rounds.parse(rounds.line()))
        .hasValueSatisfying(it ->
            assertThat(it.summary())
                .isEqualTo(new Rounds().add("write µs", 0.25).add("burst/s", 4e6).summary()));
    assertThat(Rounds.parse("another line")).isEmpty();
  }

  @Test
  void leavesOutWhatIsUnknown() {
    Rounds rounds = new Rounds().add("x", Double.NaN);

    assertThat(rounds.has("x")).isFalse();
    assertThat(rounds.text("x", true)).isEqualTo("-");
  }

  @Test
  void showsTheRangeOfTheRounds() {
    Rounds rounds = new Rounds().add("x", 0.5).add("x", 2).add("x", 1_234);

    assertThat(rounds.text("x", false)).isEqualTo("2.00");
    assertThat(rounds.text("x", true)).isEqualTo("2.00 [0.50–1,234]");
    assertThat(new Rounds().add("x", 2).text("x", true)).isEqualTo("2.00");
  }
}
