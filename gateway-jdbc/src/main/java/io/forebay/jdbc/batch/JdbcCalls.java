/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.statement.DatabaseSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes single calls and JDBC batches on a session. */
final class JdbcCalls {

  private final DatabaseSession session;

  JdbcCalls(DatabaseSession session) {
    this.session = session;
  }

  PreparedStatement prepare(String sql, @Nullable Object[] args) throws SQLException {
    PreparedStatement prepared = session.prepare(sql);
    bind(prepared, args);
    return prepared;
  }

  private void bind(PreparedStatement prepared, @Nullable Object[] args) throws SQLException {
    Connection connection = session.connection();
    for (int i = 0; i < args.length; i++) {
      Arguments.bind(prepared, i + 1, args[i], connection, session.dialect());
    }
  }

  /**
   * Performs an update once per row of arguments. A prepared statement whose batch failed is not
   * used again: HSQLDB may keep what was added.
   *
   * @return how many rows each changed; negative if the database does not say it
   */
  int[] batch(String sql, List<@Nullable Object[]> rows) throws SQLException {
    try {
      PreparedStatement prepared = session.prepare(sql);
      for (@Nullable Object[] row : rows) {
        bind(prepared, row);
        prepared.addBatch();
      }
      return prepared.executeBatch();
    } catch (SQLException | RuntimeException e) {
      try {
        session.discard(sql);
      } catch (SQLException suppressed) {
        e.addSuppressed(suppressed);
      }
      if (e instanceof SQLException failure
          && failure.getSQLState() == null
          && failure.getNextException() != null) {
        throw failure.getNextException(); // the driver's error, with its SQLState
      }
      throw e;
    }
  }
}
