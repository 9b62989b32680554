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

/** Makes a connection one that the gateway may perform batches on. */
public final class Sessions {

  /** How long another session may keep a lock from us, or we from it while doing nothing. */
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

  /** How much longer than a statement may take its answer may be on the way. */
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);

  /** SQLStates of a value that the operating system of the server does not allow. */
  private static final Set<String> NOT_SETTABLE = Set.of("22023", "0A000");

  private Sessions() {}

  /**
   * Sets READ COMMITTED, manual commit and, on PostgreSQL, what bounds a lock that a hung gateway
   * leaves behind. A commit is durable when it returns, whatever the server's default is. The
   * settings stay with the session until it ends: they outlive a rollback, and a pool that the
   * connection is given back to.
   *
   * @param connection without an open transaction
   * @param statementTimeout after which PostgreSQL cancels a statement; zero for never. If its
   *     answer does not come a while later either, the connection is broken; without that, an
   *     answer that is lost on its way would be waited for without end. A {@code socketTimeout} of
   *     the data source takes precedence
   * @param transactionTimeout after which PostgreSQL 17 or later ends the session; zero for never
   */
  public static void prepare(
      Connection connection, Duration statementTimeout, Duration transactionTimeout)
      throws SQLException {
    // A setting made in a transaction would end with its rollback.
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
   * It builds a result before its first row can be read. More rows than this go to a file: with
   * rows as large as a message the rest takes a quarter of the heap.
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
    required.put("lock_timeout", millis(LOCK_TIMEOUT));
    required.put("idle_in_transaction_session_timeout", millis(LOCK_TIMEOUT));
    required.put("statement_timeout", millis(statementTimeout));

    // A server that lost us notices, and gives up our locks.
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
