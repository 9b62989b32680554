/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.Capabilities;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
      limit(
          "the message has more than %,d statements, which is the limit; nothing was performed"
              .formatted(MAX_STATEMENTS));

  private static final String NO_ROOM = "no room in the answer (limit=1 MiB)";

  private final List<Part> parts = new ArrayList<>();

  AnswerRoom(PendingStatement first) {
    add(first);
  }

  /** The part of a statement. */
  private static final class Part {
    final PendingStatement statement;
    private @Nullable Outcome counted;
    private long bytes = LEAST;

    Part(PendingStatement statement) {
      this.statement = statement;
    }

    long bytes() {
      Outcome outcome = statement.outcome;
      if (outcome != counted) {
        counted = outcome;
        bytes = outcome == null ? LEAST : Math.max(LEAST, outcome.answerBytes());
      }
      return bytes;
    }
  }

  void add(PendingStatement statement) {
    parts.add(new Part(statement));
  }

  int statements() {
    return parts.size();
  }

  /** How many bytes the others leave for this statement; {@link #LEAST} or more. */
  long left(PendingStatement statement) {
    long left = BYTES;
    for (Part other : parts) {
      if (other.statement != statement) {
        left -= other.bytes();
      }
    }
    return left;
  }

  /** The outcome, or a short failure if there is no room for it. */
  Outcome fit(PendingStatement statement, Outcome outcome) {
    if (outcome.answerBytes() <= left(statement)) {
      return outcome;
    }
    SqlFailure failure =
        outcome instanceof Outcome.Failed(SqlFailure failed, _)
            ? new SqlFailure(failed.sqlState(), failed.vendorCode(), failed.kind(), NO_ROOM)
            : limit(NO_ROOM);
    return new Outcome.Failed(failure, statement.isQuery());
  }

  private static SqlFailure limit(String message) {
    return new SqlFailure("54000", 0, SqlFailure.Kind.LIMIT, message);
  }
}
