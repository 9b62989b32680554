/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import java.sql.SQLException;

/**
 * Runs a query again that was performed before a restart, to rebuild its result. For one thread.
 */
final class LostResult {

  private final PartitionSession session;
  private final Retries retries;
  private final WriteProbe probe;
  private final int limit;
  private int failures;
  private int tries;

  LostResult(PartitionSession session, Retries retries, WriteProbe probe, int limit) {
    this.session = session;
    this.retries = retries;
    this.probe = probe;
    this.limit = limit;
  }

  /**
   * Runs in a read-only transaction.
   *
   * @throws io.forebay.service.progress.Unavailable if another attempt may succeed
   */
  Outcome askAgain(PendingStatement query) {
    DatabaseSession current;
    try {
      current = session.open();
    } catch (SQLException e) {
      throw retries.away(Failure.of(Failure.Step.CONNECT, e, true, query.position()));
    }
    try {
      Outcome outcome = askAgain(current, query);
      current.rollback();
      return outcome;
    } catch (SQLException e) {
      return givenUp(query, Failure.of(Failure.Step.STATEMENTS, e, true, query.position()));
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError | LinkageError e) {
      return givenUp(query, Failure.of(Failure.Step.STATEMENTS, e, true, query.position()));
    }
  }

  /**
   * @throws SQLException if another attempt may succeed
   */
  private Outcome askAgain(DatabaseSession current, PendingStatement query) throws SQLException {
    SqlFailure refusal = query.refusal;
    if (refusal != null) {
      return failed(refusal.sqlState(), refusal.message());
    }
    current.execute("set transaction read only");
    try {
      return session.performer().queryAlone(query);
    } catch (SQLException e) {
      if (SqlErrors.of(e) != SqlErrors.STATEMENT && !SqlErrors.READ_ONLY.equals(e.getSQLState())) {
        throw e;
      }
      return failed(e);
    }
  }

  private Outcome givenUp(PendingStatement query, Failure failure) {
    session.giveUp();
    failures++;
    if (failures == 1 || probe.ask() != Suspicion.Others.WRITE) {
      throw retries.away(failure);
    }
    tries++;
    if (tries < limit) {
      throw retries.failsAgain(failure, query.position(), tries);
    }
    failures = 0;
    tries = 0;
    return failed(failure.error());
  }

  private static Outcome failed(SQLException e) {
    return failed(SqlFailure.of(e).sqlState(), String.valueOf(e.getMessage()));
  }

  private static Outcome failed(String sqlState, String reason) {
    return new Outcome.Failed(
        new SqlFailure(
            sqlState,
            0,
            SqlFailure.Kind.IN_DOUBT,
            "the query was performed before a restart, but its large result was lost: " + reason),
        true);
  }
}
