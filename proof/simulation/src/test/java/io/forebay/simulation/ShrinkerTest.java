/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.simulation.GatewayHistory.Outcome;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Histories of known holes become so small that a person can read them. */
class ShrinkerTest {

  @Test
  void fewLinesShowThatATailWasCut() throws Exception {
    shrinks(Hole.TAIL_CUT_WHILE_IDLE, 60);
  }

  private static void shrinks(Hole hole, int mostLines) throws Exception {
    SimulatedDatabase database = new SimulatedDatabase("shrunk_" + hole);
    Replay small = Shrinker.shrink(first(hole, database), database);
    Outcome outcome = Histories.print(small.toString());
    assertThat(outcome.violations()).anyMatch(hole::shows);
    assertThat(outcome.trace()).hasSizeLessThanOrEqualTo(mostLines);
    assertThat(GatewayHistory.run(small, database, true)).isEqualTo(outcome);
  }

  private static Replay first(Hole hole, SimulatedDatabase database) throws SQLException {
    for (long seed = 1; ; seed++) {
      Replay replay = Replay.of(seed, hole);
      if (GatewayHistory.run(replay, database, false).violations().stream().anyMatch(hole::shows)) {
        return replay;
      }
    }
  }
}
