/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The simulation finds the holes that are known. Whoever mends one sees its test fail: then its
 * statements belong to {@link Kind#usual}, and the hole goes.
 */
class KnownHolesTest {

  private static final long MOST_HISTORIES = 1_000;

  @ParameterizedTest
  @EnumSource
  void isFound(Hole hole) throws Exception {
    SimulatedDatabase database = new SimulatedDatabase(hole.name());
    for (long seed = 1; seed <= MOST_HISTORIES; seed++) {
      GatewayHistory.Outcome outcome = hole.run(seed, database, false);
      if (outcome.violations().stream().anyMatch(hole::shows)) {
        System.out.printf("%s: seed %d%n", hole.what(), seed);
        return;
      }
    }
    assertThat(hole).as("is mended: make its statements usual, and delete it").isNull();
  }
}
