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
  void writesTheSummaryAsJson() {
    Rounds rounds = new Rounds();
    rounds.add("writeMicros", 0.12345678);

    assertThat(Json.write(Map.of("say \"x\"\n", rounds.summary())))
        .isEqualTo(
            """
            {
              "say \\"x\\"\\u000a": {
                "writeMicros": {
                  "median": 0.1235,
                  "min": 0.1235,
                  "max": 0.1235
                }
              }
            }
            """);
  }
}
