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

/** Runs a query again that was performed before a restart, to rebuild its result. */
final class LostResult {

  private LostResult() {}

  /**
   * Runs in a read-only transaction. The caller rolls back.
   *
   * @throws SQLException if another attempt may succeed
   */
  static Outcome askAgain(DatabaseSession session, Performer performer, PendingStatement query)
      throws SQLException {
    SqlFailure refusal = query.refusal;
    if (refusal != null) {
      return failed(refusal.sqlState(), refusal.message());
    }
    session.execute("set transaction read only");
    try {
      return performer.queryAlone(query);
    } catch (SQLException e) {
      if (SqlErrors.of(e) != SqlErrors.STATEMENT && !SqlErrors.READ_ONLY.equals(e.getSQLState())) {
        throw e;
      }
      return failed(e);
    }
  }

  static Outcome failed(SQLException e) {
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
