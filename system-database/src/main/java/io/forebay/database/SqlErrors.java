/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The kinds of database errors, by their meaning for the current batch. */
public enum SqlErrors {
  /** The connection is lost; its open transaction is or will be rolled back. */
  CONNECTION,
  /** A retry of the transaction may succeed: deadlock, lock timeout, no resources. */
  TRANSIENT,
  /** The statement caused the error. */
  STATEMENT;

  public static SqlErrors of(SQLException e) {
    if (e instanceof SQLRecoverableException
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLTransientConnectionException) {
      return CONNECTION;
    }
    String state = e.getSQLState();
    if (state == null || state.length() < 2) {
      return CONNECTION; // the driver does not know the cause
    }
    return switch (state.substring(0, 2)) {
      case "08" -> isAnswered(e) ? STATEMENT : CONNECTION;
      case "F0" -> CONNECTION;
      case "XX" -> state.equals("XX000") ? STATEMENT : CONNECTION; // XX001: data are damaged
      case "58" -> state.equals("58P01") ? STATEMENT : CONNECTION;
      case "57" -> state.equals("57014") ? STATEMENT : CONNECTION;
      case "25" ->
          switch (state) {
            case "25P03", "25P04" -> CONNECTION;
            case "25006" -> TRANSIENT; // read-only: a standby, or a full disk
            default -> STATEMENT;
          };
      case "40" -> state.equals("40502") ? STATEMENT : TRANSIENT; // HSQLDB: time-out
      case "53" -> state.equals("53400") ? STATEMENT : TRANSIENT; // a configured limit
      case "S1" -> TRANSIENT; // HSQLDB: files, memory
      case "55" -> state.equals("55P03") || state.equals("55006") ? TRANSIENT : STATEMENT;
      default -> STATEMENT;
    };
  }

  /**
   * Whether PostgreSQL refused a request that does not fit its statement, and the session can be
   * used. PgBouncer reports lost connections with the same SQLState, as fatal errors.
   */
  private static boolean isAnswered(SQLException e) {
    if (!"08P01".equals(e.getSQLState())) {
      return false;
    }
    ServerErrorMessage answer = answer(e);
    return answer != null && "ERROR".equals(answer.getSeverity());
  }

  /**
   * Whether a statement waited for a lock of another session until it timed out, here or on the
   * server of a foreign table. PostgreSQL reports a statement that does not wait for locks, such as
   * {@code for update nowait}, with the same SQLState; the place in its source tells them apart in
   * all languages. A foreign server is never asked not to wait.
   */
  public static boolean waitedForLock(SQLException e) {
    ServerErrorMessage answer = "55P03".equals(e.getSQLState()) ? answer(e) : null;
    String routine = answer == null ? null : answer.getRoutine();
    return "ProcessInterrupts".equals(routine) || "pgfdw_report_error".equals(routine);
  }

  private static @Nullable ServerErrorMessage answer(SQLException e) {
    Throwable cause = e;
    while (cause != null && !(cause instanceof PSQLException)) {
      cause = cause.getCause();
    }
    return cause instanceof PSQLException refused ? refused.getServerErrorMessage() : null;
  }

  /**
   * Whether a JDBC batch or a transaction timed out, even if each of its statements was fast
   * enough.
   */
  public static boolean ranOutOfTime(SQLException e) {
    if ("25P04".equals(e.getSQLState())) { // transaction_timeout of PostgreSQL 17
      return true;
    }
    Throwable cause = e.getCause();
    while (cause != null && !(cause instanceof SocketTimeoutException)) {
      cause = cause.getCause();
    }
    return cause != null;
  }

  /**
   * Describes the error for logs and the service state: the database refuses if it answered with an
   * error, otherwise it does not respond.
   */
  public static String told(SQLException e) {
    return "the database %s (SQLState %s)"
        .formatted(of(e) == STATEMENT ? "refuses" : "does not respond", e.getSQLState());
  }

  /**
   * Whether a table or a column is missing; on HSQLDB also if a privilege is missing, which it
   * reports in the same way.
   */
  public static boolean isMissing(SQLException e) {
    return "42P01".equals(e.getSQLState()) || "42703".equals(e.getSQLState());
  }

  /** Whether this error of COMMIT proves that nothing was committed. */
  public static boolean rolledBack(SQLException e) {
    String state = e.getSQLState();
    return state != null && (state.startsWith("23") || state.startsWith("40"));
  }
}
