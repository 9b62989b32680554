/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.sql.SQLException;
import java.util.List;

/**
 * A promise that the product is known to break: what shows it in a history, and what the checker
 * then says. It is mended by a change of the protocols; then its kinds become usual ones.
 */
enum Hole {
  TWO_OWNERS(
      "two instances perform a partition in turn while a revocation waits for a call",
      "two owners");

  private final String what;
  private final List<Kind> kinds;
  private final String violation;
  private final boolean ofServices;

  /**
   * @param kinds the statements that show it
   * @param violation how the violation begins that the checker then finds
   */
  Hole(String what, List<Kind> kinds, String violation) {
    this(what, kinds, violation, false);
  }

  /** A hole that a {@link ServiceHistory} shows. */
  Hole(String what, String violation) {
    this(what, List.of(), violation, true);
  }

  Hole(String what, List<Kind> kinds, String violation, boolean ofServices) {
    this.what = what;
    this.kinds = kinds;
    this.violation = violation;
    this.ofServices = ofServices;
  }

  /** Runs the history of a seed with what shows this hole. */
  GatewayHistory.Outcome run(long seed, SimulatedDatabase database, boolean traced)
      throws SQLException {
    return ofServices
        ? ServiceHistory.run(seed, database, traced, this)
        : GatewayHistory.run(Replay.of(seed, this), database, traced);
  }

  boolean ofServices() {
    return ofServices;
  }

  String what() {
    return what;
  }

  List<Kind> kinds() {
    return kinds;
  }

  /** Whether a violation is what this hole shows. */
  boolean shows(String text) {
    return text.startsWith(violation);
  }
}
