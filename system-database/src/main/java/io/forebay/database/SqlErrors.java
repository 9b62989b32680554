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

/** What an error of the database means for the batch it happened in. */
public enum SqlErrors {
  /** The connection is gone; what was under way is rolled back, or about to be. */
  CONNECTION,
  /** The transaction may succeed if it is tried again: deadlock, lock time-out, no resources. */
  TRANSIENT,
  /** The statement is to blame. */
  STATEMENT;

  /** The database, or the transaction, takes no changes. */
  public static final String READ_ONLY = "25006";

  public static SqlErrors of(SQLException e) {
    if (e instanceof SQLRecoverableException
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLTransientConnectionException) {
      return CONNECTION;
    }
    String state = e.getSQLState();
    if (state == null || state.length() < 2) {
      return CONNECTION; // the driver does not know either
    }
    return switch (state.substring(0, 2)) {
      case "08", "F0" -> CONNECTION;
      case "XX" -> state.equals("XX000") ? STATEMENT : CONNECTION; // XX001: data are damaged
      case "58" -> state.equals("58P01") ? STATEMENT : CONNECTION;
      case "57" -> state.equals("57014") ? STATEMENT : CONNECTION;
      case "25" ->
          switch (state) {
            case "25P03", "25P04" -> CONNECTION;
            case READ_ONLY -> TRANSIENT; // a standby, or a full disk
            default -> STATEMENT;
          };
      case "40" -> state.equals("40502") ? STATEMENT : TRANSIENT; // HSQLDB: time-out
      case "53" -> state.equals("53400") ? STATEMENT : TRANSIENT; // over a limit of its own
      case "S1" -> TRANSIENT; // HSQLDB: files, memory
      case "55" -> state.equals("55P03") || state.equals("55006") ? TRANSIENT : STATEMENT;
      default -> STATEMENT;
    };
  }

  /**
   * Whether it took longer than a JDBC batch, or a transaction, may; each of its statements may
   * have kept its time.
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

  /** What the database did, for a log and a state: an answer that is an error is one. */
  public static String told(SQLException e) {
    return "the database %s (SQLState %s)"
        .formatted(of(e) == STATEMENT ? "refuses" : "does not answer", e.getSQLState());
  }

  /** Whether a table or a column is not there; HSQLDB does not tell that from a missing right. */
  public static boolean isMissing(SQLException e) {
    return "42P01".equals(e.getSQLState()) || "42703".equals(e.getSQLState());
  }

  /** Whether an error of COMMIT says for sure that nothing was committed. */
  public static boolean rolledBack(SQLException e) {
    String state = e.getSQLState();
    return state != null && (state.startsWith("23") || state.startsWith("40"));
  }
}
