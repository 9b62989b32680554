/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.simulation.History.Outcome;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories become so small that a person can read them. */
class ShrinkerTest {

  private static final String VIOLATION = "a tail was cut off that was performed";

  private final SimulatedDatabase database = new SimulatedDatabase("shrunk");

  ShrinkerTest() throws SQLException {}

  @Test
  void fewLinesShowThatATailWasCut() throws Exception {
    Replay small = Shrinker.shrink(first(), this::run);
    Outcome outcome = run(small, true);
    assertThat(outcome.violations()).contains(VIOLATION);
    assertThat(outcome.trace()).hasSizeLessThanOrEqualTo(60);
    assertThat(run(small, true)).isEqualTo(outcome);
  }

  private Replay first() throws SQLException {
    for (long seed = 1; ; seed++) {
      Replay replay = Replay.of(seed);
      if (run(replay, false).violations().contains(VIOLATION)) {
        return replay;
      }
    }
  }

  /** Regards it as a violation if the gateway notices the accident. */
  private Outcome run(Replay replay, boolean traced) throws SQLException {
    Outcome outcome = GatewayHistory.run(replay, database, true);
    boolean isNoticed =
        replay.plan().accident() == Accident.TAIL_CUT
            && outcome.trace().stream().anyMatch(it -> it.contains("waits for an operator"));
    return new Outcome(
        outcome.seed(),
        isNoticed ? List.of(VIOLATION) : outcome.violations(),
        outcome.trace(),
        outcome.hash(),
        outcome.steps());
  }
}
