/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

/** What a statement of the load does, and its expected answer. */
public enum Kind {
  /** Inserts a row into a table without a key, so that a duplicate is visible. */
  EFFECT("count 1"),
  /** Adds one to a tally. */
  TALLY("count 1"),
  /** Appends its number to a list. */
  APPEND("count 1"),
  /** Violates a check constraint. */
  FAILING("failed CONSTRAINT"),
  /** Inserts an order and its two lines. */
  TOGETHER("count 1, count 1, count 1"),
  /** Inserts an order, and then violates a check constraint. */
  TOGETHER_FAILING("failed CONSTRAINT"),
  /** Counts the rows of an earlier statement. */
  QUERY(null),
  /** Has a large result. */
  LARGE_QUERY("rows [[20000 characters]]"),
  /** Inserts a row through a query. */
  RETURNING(null),
  /** Inserts with an idempotency key. */
  KEYED("count 1"),
  /** Fails with an idempotency key. */
  KEYED_FAILING("failed CONSTRAINT");

  private final String outcome;

  Kind(String outcome) {
    this.outcome = outcome;
  }

  /** The outcome of all statements of this kind; null if it depends on the statement. */
  String outcome() {
    return outcome;
  }

  /** Whether it is sent again when it is in doubt. */
  boolean keyed() {
    return this == KEYED || this == KEYED_FAILING;
  }

  /** Whether it inserts a row with its number into the table of effects. */
  boolean inserts() {
    return this == EFFECT || this == RETURNING || this == KEYED;
  }
}
