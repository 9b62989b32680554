/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.List;

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
  /** Has an argument that a message can carry but no column can take. */
  NESTED("failed STATEMENT"),
  /** Fails whenever it is performed, with an error that usually passes. */
  DEADLOCKED("failed GIVEN_UP"),
  /** Adds one to a tally that all partitions change. */
  TALLY("count 1"),
  /** Reads a row. */
  QUERY("rows [[1]]"),
  /** Reads a large result, with an idempotency key, and what others change. */
  KEYED_QUERY("*"),
  /** The same with an idempotency key, and an argument that is nested as deeply as possible. */
  KEYED_NESTED("failed STATEMENT"),
  /** Ends the process whenever it is performed. */
  DEADLY("failed POISON"),
  /** A message of another program, with two calls that both violate a constraint. */
  FOREIGN_FAILING("failed CONSTRAINT, failed CONSTRAINT"),
  /** A message of another program, with a call that inserts a row and one that fails. */
  FOREIGN_MIXED("count 1, failed CONSTRAINT"),
  /** A message of another program, with three queries whose results do not fit into a message. */
  FOREIGN_QUERIES("rows [[]], rows [[]], failed LIMIT");

  private final String answer;

  Kind(String answer) {
    this.answer = answer;
  }

  /** The kinds of statements whose promises are known to hold. */
  static List<Kind> usual() {
    return List.of(
        EFFECT,
        KEYED,
        TOGETHER,
        FAILING,
        KEYED_FAILING,
        TOGETHER_FAILING,
        NESTED,
        KEYED_NESTED,
        DEADLOCKED,
        TALLY,
        QUERY,
        KEYED_QUERY,
        FOREIGN_FAILING,
        FOREIGN_MIXED,
        FOREIGN_QUERIES);
  }

  /** Whether no client sends it, but a program that may write to the in-queue. */
  boolean foreign() {
    return switch (this) {
      case FOREIGN_FAILING, FOREIGN_MIXED, FOREIGN_QUERIES -> true;
      default -> false;
    };
  }

  /** Whether an answer is right. */
  boolean mayAnswer(String text) {
    return answer.equals("*") ? text.startsWith("rows") : answer.equals(text);
  }

  boolean keyed() {
    return switch (this) {
      case KEYED, KEYED_FAILING, KEYED_QUERY, KEYED_NESTED -> true;
      default -> false;
    };
  }

  /** How many rows it inserts. */
  int rows() {
    return switch (this) {
      case EFFECT, KEYED, FOREIGN_MIXED -> 1;
      case TOGETHER -> 2;
      default -> 0;
    };
  }
}
