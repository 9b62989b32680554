/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.List;

/**
 * A promise that the product is known to break: what shows it in a history, and what the checker
 * then says. It is mended by a change of the protocols; then its kinds become usual ones.
 */
enum Hole {
  HASH_THROWS(
      "a keyed statement whose argument is nested deeply fails its partition for good",
      List.of(Kind.KEYED_NESTED),
      "not settled"),
  POISON_OF_ANOTHER(
      "a statement fails as POISON although another partition ended the process",
      List.of(Kind.DEADLY),
      "wrong result: failed POISON of statement"),
  STANDSTILL(
      "a statement fails because the database stood still, now and when it was tried again",
      List.of(),
      "wrong result: failed TIMEOUT"),
  TWO_RESULTS(
      "a key has two results after a crash, if its query returns more than the ledger keeps",
      List.of(Kind.KEYED_QUERY),
      "two results of a key");

  private final String what;
  private final List<Kind> kinds;
  private final String violation;

  /**
   * @param kinds the statements that show it
   * @param violation how the violation begins that the checker then finds
   */
  Hole(String what, List<Kind> kinds, String violation) {
    this.what = what;
    this.kinds = kinds;
    this.violation = violation;
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
