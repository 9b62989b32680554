/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import org.jspecify.annotations.Nullable;

/** How a statement ended. */
public sealed interface Outcome {

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
   * The rows of a query.
   *
   * @param small the rows; null if they are large, because objects need several times the memory
   * @param encoded the rows as {@link OutcomeCodec} stores them
   */
  record Result(@Nullable Rows small, byte[] encoded) implements Outcome {
    private static final int SMALL = 16 << 10;

    public static Result of(Rows rows, byte[] encoded) {
      return new Result(encoded.length > SMALL ? null : rows, encoded);
    }

    public Rows rows() {
      return small == null ? OutcomeCodec.rows(encoded) : small;
    }
  }

  /** The rows were too large for the ledger; after a restart the query is run again. */
  record AskAgain() implements Outcome {}

  /**
   * It was not performed.
   *
   * @param query whether it is to be answered as a query
   */
  record Failed(SqlFailure failure, boolean query) implements Outcome {}

  /** No answer is possible: a dead letter without an id. */
  record Unanswered() implements Outcome {}

  Outcome ASK_AGAIN = new AskAgain();
  Outcome UNANSWERED = new Unanswered();

  /** Whether it only contains update counts. */
  default boolean isUpdateDone() {
    return this instanceof Count || this instanceof Counts;
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
      case AskAgain _ -> throw new IllegalStateException("the query was not run again");
      case Unanswered _ -> {}
    }
  }
}
