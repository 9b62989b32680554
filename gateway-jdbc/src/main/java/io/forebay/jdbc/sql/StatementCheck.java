/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import io.forebay.database.Dialect;
import io.forebay.database.SqlErrors;
import io.forebay.jdbc.SqlFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks whether the database would perform a statement, without performing it. */
public final class StatementCheck {

  /** Statements that PostgreSQL can EXPLAIN, which also checks privileges. */
  private static final Set<String> EXPLAINED =
      Set.of("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES", "TABLE", "WITH");

  private static final String NOT_PERMITTED = "42501";

  /** PostgreSQL cannot derive the type of a parameter; its message does not say what to do. */
  private static final String NO_TYPE = "42P18";

  private StatementCheck() {}

  /**
   * @param connection in auto-commit mode
   * @return the failure of each text that cannot be performed
   * @throws SQLException if the database does not respond
   */
  public static Map<String, SqlFailure> check(Connection connection, Collection<String> sqlTexts)
      throws SQLException {
    Map<String, SqlFailure> failures = new HashMap<>();
    for (String sql : sqlTexts) {
      SqlFailure failure;
      try {
        failure = check(connection, sql);
      } catch (RuntimeException e) {
        failure = SqlFailure.unsupported("The driver cannot prepare it: " + e.getClass().getName());
      }
      if (failure != null) {
        failures.put(sql, failure);
      }
    }
    return failures;
  }

  /** Why it cannot be performed; null if it can. */
  private static @Nullable SqlFailure check(Connection connection, String sql) throws SQLException {
    Dialect dialect = Dialect.of(connection);
    SqlText text = new SqlText(sql, dialect);
    String refusal = text.refusal();
    if (refusal != null) {
      return SqlFailure.unsupported(refusal);
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.getParameterMetaData();
      statement.getMetaData();
    } catch (SQLException e) {
      return failure(e);
    }
    // HSQLDB checks privileges when it prepares a statement, PostgreSQL when it starts to perform
    // it
    boolean explained = dialect == Dialect.POSTGRESQL && EXPLAINED.contains(text.keyword());
    return explained ? checkPrivileges(connection, sql, text.placeholders()) : null;
  }

  private static @Nullable SqlFailure checkPrivileges(
      Connection connection, String sql, int parameters) throws SQLException {
    try (PreparedStatement explain = connection.prepareStatement("explain " + sql)) {
      for (int i = 1; i <= parameters; i++) {
        explain.setNull(i, Types.NULL);
      }
      explain.execute();
      return null;
    } catch (SQLException e) {
      return NOT_PERMITTED.equals(e.getSQLState()) ? failure(e) : connectionOnly(e);
    }
  }

  /** Ignores other errors: a plan with null arguments may fail where the statement would not. */
  private static @Nullable SqlFailure connectionOnly(SQLException e) throws SQLException {
    if (SqlErrors.of(e) == SqlErrors.CONNECTION) {
      throw e;
    }
    return null;
  }

  private static SqlFailure failure(SQLException e) throws SQLException {
    if (SqlErrors.of(e) != SqlErrors.STATEMENT) {
      throw e;
    }
    SqlFailure failure = SqlFailure.of(e);
    return NO_TYPE.equals(failure.sqlState())
        ? new SqlFailure(NO_TYPE, failure.vendorCode(), failure.kind(), failure.words(null))
        : failure;
  }
}
