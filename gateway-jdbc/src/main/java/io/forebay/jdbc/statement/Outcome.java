/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import org.jspecify.annotations.Nullable;

/** How a statement ended; also the state of one that was performed in the open transaction. */
public sealed interface Outcome extends PendingStatement.State {

  /** The number of rows that an update changed. */
  record Count(long count) implements Outcome {
    private static final Count[] SMALL = {new Count(0), new Count(1), new Count(2), new Count(3)};

    public static Count of(long count) {
      return count >= 0 && count < SMALL.length ? SMALL[(int) count] : new Count(count);
    }
  }

  /** The numbers of rows that updates changed in {@code executeTogether}, one per call. */
  record Counts(long[] counts) implements Outcome {}

  /**
   * The rows of a query; as objects they would take several times the memory.
   *
   * @param encoded the rows as {@link OutcomeCodec} stores them
   */
  record Result(byte[] encoded) implements Outcome {

    public Rows rows() {
      return OutcomeCodec.rows(encoded);
    }
  }

  /**
   * It was not performed.
   *
   * @param query whether it is to be answered as a query
   * @param on constraint, table and column without values, for operators; not kept in the ledger
   */
  record Failed(SqlFailure failure, boolean query, @Nullable FailedObject on) implements Outcome {
    public Failed(SqlFailure failure, boolean query) {
      this(failure, query, null);
    }
  }

  /** No answer is possible: a dead letter without an id. */
  record Unanswered() implements Outcome {}

  Outcome UNANSWERED = new Unanswered();

  /** An upper bound of the bytes of a call with a number, or with rows beside those rows. */
  int CALL_BYTES = 32;

  /** How many bytes a failure takes in an answer beyond those in the ledger, at the most. */
  int FAILURE_BYTES = 80;

  /** Whether it only contains update counts. */
  default boolean isUpdateDone() {
    return this instanceof Count || this instanceof Counts;
  }

  /** An upper bound of the bytes that it takes in an answer, and at least a few for each call. */
  default long answerBytes() {
    return switch (this) {
      case Count _ -> CALL_BYTES;
      case Counts c -> (long) CALL_BYTES * c.counts().length;
      case Result r -> CALL_BYTES + r.encoded().length;
      case Failed f -> FAILURE_BYTES + OutcomeCodec.encodeWhole(f).length;
      case Unanswered _ -> 0;
    };
  }

  /** Gives the answer. */
  default void answer(JDBCResult result) {
    switch (this) {
      case Count c -> result.updateResult(c.count());
      case Counts c -> {
        for (long count : c.counts()) {
          result.updateResult(count);
        }
      }
      case Result r -> result.queryResult(r.rows());
      case Failed f when f.query() -> result.queryThrown(f.failure());
      case Failed f -> result.updateThrown(f.failure());
      case Unanswered _ -> {}
    }
  }
}
