/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

/** What a statement of a history does, and its only right answer. */
enum Kind {
  /** Inserts a row into a table without a key, so that a second effect shows. */
  EFFECT("count 1"),
  /** Inserts a row, with an idempotency key. */
  KEYED("count 1"),
  /** Inserts two rows, both or none. */
  TOGETHER("count 1, count 1"),
  /** Violates a constraint. */
  FAILING("failed CONSTRAINT"),
  /** Violates a constraint, with an idempotency key. */
  KEYED_FAILING("failed CONSTRAINT"),
  /** Inserts a row, and then violates a constraint. */
  TOGETHER_FAILING("failed CONSTRAINT"),
  /** Fails whenever it is performed, with an error that usually passes. */
  DEADLOCKED("failed GIVEN_UP"),
  /** Adds one to a tally that all partitions change. */
  TALLY("count 1"),
  /** Reads a row. */
  QUERY("rows [[1]]");

  private final String answer;

  Kind(String answer) {
    this.answer = answer;
  }

  String answer() {
    return answer;
  }

  boolean keyed() {
    return this == KEYED || this == KEYED_FAILING;
  }

  /** How many rows it inserts. */
  int rows() {
    return switch (this) {
      case EFFECT, KEYED -> 1;
      case TOGETHER -> 2;
      default -> 0;
    };
  }
}
