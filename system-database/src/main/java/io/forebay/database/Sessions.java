/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Prepares a connection for batches of the gateway. */
public final class Sessions {

  /** How long we wait for a lock, and how long we may hold one while the transaction is idle. */
  public static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

  /** How long the answer may take in addition to the statement timeout. */
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);

  /** SQLStates of a setting that the server's operating system does not support. */
  private static final Set<String> NOT_SETTABLE = Set.of("22023", "0A000");

  private Sessions() {}

  /**
   * Sets READ COMMITTED, manual commit and, on PostgreSQL, the timeouts that release locks of a
   * hung gateway. A commit is durable when it returns, and values are written and read unchanged,
   * regardless of what the server, the database or the role sets. The settings last until the
   * session ends: a rollback or a return to a pool does not reset them.
   *
   * @param connection without an open transaction
   * @param statementTimeout after which PostgreSQL cancels a statement; zero for never. If no
   *     answer arrives some time after that, the driver closes the connection; otherwise we would
   *     wait for ever for a lost answer. A {@code socketTimeout} of the data source takes
   *     precedence
   * @param transactionTimeout after which PostgreSQL 17 or later ends the session; zero for never
   */
  public static void prepare(
      Connection connection, Duration statementTimeout, Duration transactionTimeout)
      throws SQLException {
    // A rollback would revert settings made in its transaction.
    connection.setAutoCommit(true);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    if (Dialect.of(connection) == Dialect.POSTGRESQL) {
      preparePostgres(connection, statementTimeout, transactionTimeout);
      BinaryTypes.limit(connection);
      if (connection.getNetworkTimeout() == 0 && !statementTimeout.isZero()) {
        connection.setNetworkTimeout(
            Runnable::run, Math.toIntExact(statementTimeout.plus(ANSWER_TIMEOUT).toMillis()));
      }
    }
    if (Dialect.of(connection) == Dialect.HSQLDB) {
      prepareHsqldb(connection);
    }
    connection.setAutoCommit(false);
  }

  /**
   * HSQLDB builds a complete result before the first row can be read. Results with more rows than
   * this limit are stored in a file. Rows as large as a message then take at most a quarter of the
   * heap.
   */
  private static void prepareHsqldb(Connection connection) throws SQLException {
    long rows = Math.clamp(Runtime.getRuntime().maxMemory() >> 22, 16, 10_000);
    try (Statement statement = connection.createStatement()) {
      statement.execute("set session result memory rows " + rows);
    }
  }

  private static void preparePostgres(
      Connection connection, Duration statementTimeout, Duration transactionTimeout)
      throws SQLException {
    Map<String, String> required = new LinkedHashMap<>();
    required.put("synchronous_commit", "on");
    required.put("standard_conforming_strings", "on");
    required.put("extra_float_digits", "1");
    required.put("intervalstyle", "postgres");
    required.put("bytea_output", "hex");
    required.put("array_nulls", "on");
    required.put("lock_timeout", millis(LOCK_TIMEOUT));
    required.put("idle_in_transaction_session_timeout", millis(LOCK_TIMEOUT));
    required.put("statement_timeout", millis(statementTimeout));

    // Makes the server detect a lost client and release its locks.
    Map<String, String> optional = new LinkedHashMap<>();
    optional.put("tcp_keepalives_idle", "10");
    optional.put("tcp_keepalives_interval", "5");
    optional.put("tcp_keepalives_count", "3");
    int version = connection.getMetaData().getDatabaseMajorVersion();
    if (version >= 14) {
      optional.put("client_connection_check_interval", millis(LOCK_TIMEOUT));
    }
    if (version >= 17) {
      required.put("transaction_timeout", millis(transactionTimeout));
    }
    try {
      Map<String, String> all = new LinkedHashMap<>(required);
      all.putAll(optional);
      set(connection, all);
    } catch (SQLException e) {
      if (!NOT_SETTABLE.contains(e.getSQLState())) {
        throw e;
      }
      set(connection, required);
      for (Map.Entry<String, String> setting : optional.entrySet()) {
        setIfPossible(connection, Map.of(setting.getKey(), setting.getValue()));
      }
    }
  }

  private static void set(Connection connection, Map<String, String> settings) throws SQLException {
    String calls =
        String.join(", ", Collections.nCopies(settings.size(), "set_config(?, ?, false)"));
    try (PreparedStatement set = connection.prepareStatement("select " + calls)) {
      int parameter = 1;
      for (Map.Entry<String, String> setting : settings.entrySet()) {
        set.setString(parameter++, setting.getKey());
        set.setString(parameter++, setting.getValue());
      }
      set.execute();
    }
  }

  private static void setIfPossible(Connection connection, Map<String, String> settings)
      throws SQLException {
    try {
      set(connection, settings);
    } catch (SQLException e) {
      if (!NOT_SETTABLE.contains(e.getSQLState())) {
        throw e;
      }
    }
  }

  private static String millis(Duration duration) {
    return duration.toMillis() + "ms";
  }
}
