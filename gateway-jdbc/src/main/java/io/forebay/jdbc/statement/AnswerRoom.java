/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.Capabilities;

/**
 * The room in the answer to a message that has several statements, which they share: together their
 * outcomes always fit into one answer. Room for a short failure is reserved for each.
 */
final class AnswerRoom {

  /** An answer without its envelope. */
  static final int BYTES = Capabilities.MAX_MESSAGE_BYTES - (1 << 10);

  /** An upper bound of the bytes of the shortest failure, and of the count of an update. */
  static final int LEAST = 160;

  static final int MAX_STATEMENTS = 6_000;

  static final SqlFailure TOO_MANY_STATEMENTS =
      SqlFailure.limit(
          "the message has more than %,d statements, which is the limit; nothing was performed"
              .formatted(MAX_STATEMENTS));

  private static final String NO_ROOM = "no room in the answer (limit=1 MiB)";

  private int statements;
  private long left = BYTES;

  /** Another statement of the message has no outcome yet. */
  void add() {
    statements++;
    left -= LEAST;
  }

  int statements() {
    return statements;
  }

  /** How many bytes the others leave for a statement in this state; {@link #LEAST} or more. */
  long left(PendingStatement.State state) {
    return left + bytes(state);
  }

  void change(PendingStatement.State from, PendingStatement.State to) {
    left += bytes(from) - bytes(to);
  }

  private static long bytes(PendingStatement.State state) {
    Outcome outcome = PendingStatement.outcome(state);
    return outcome == null ? LEAST : Math.max(LEAST, outcome.answerBytes());
  }

  /** The outcome, or a short failure if there is no room for it. */
  Outcome fit(PendingStatement statement, Outcome outcome) {
    if (outcome.answerBytes() <= statement.answerRoom()) {
      return outcome;
    }
    return outcome instanceof Outcome.Failed(SqlFailure why, boolean query, FailedObject on)
        ? new Outcome.Failed(
            new SqlFailure(why.sqlState(), why.vendorCode(), why.kind(), NO_ROOM), query, on)
        : new Outcome.Failed(SqlFailure.limit(NO_ROOM), statement.request().isQuery());
  }
}
