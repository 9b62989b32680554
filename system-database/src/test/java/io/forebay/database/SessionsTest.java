/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionsTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          entry("synchronous_commit", "on"),
          entry("standard_conforming_strings", "on"),
          entry("lock_timeout", "5s"),
          entry("idle_in_transaction_session_timeout", "5s"),
          entry("statement_timeout", "7s"),
          entry("transaction_timeout", "90s"),
          entry("client_connection_check_interval", "5s"),
          entry("tcp_keepalives_idle", "10"),
          entry("tcp_keepalives_interval", "5"),
          entry("tcp_keepalives_count", "3"),
          entry("transaction_isolation", "read committed"));

  @Test
  void setsTheTimeoutsOfAHungGatewayAndKeepsThemAfterARollback() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared()) {
      String role = "alter role forebay_gateway in database " + postgres.database() + " set ";
      TestPostgres.execute(
          postgres.superuser(),
          role + "synchronous_commit = off",
          role + "standard_conforming_strings = off",
          role + "default_transaction_isolation = serializable");
      try (Connection connection = postgres.gateway().getConnection()) {
        Sessions.prepare(connection, Duration.ofSeconds(7), Duration.ofSeconds(90));
        connection.rollback();
        assertThat(connection.getAutoCommit()).isFalse();
        Map<String, String> found = new HashMap<>();
        for (String setting : SETTINGS.keySet()) {
          found.put(setting, one(connection, "show " + setting));
        }
        assertThat(found).isEqualTo(SETTINGS);
      }
    }
  }

  @Test
  void timesOutIfTheAnswerNeverArrives() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared();
        Connection ours = postgres.gateway().getConnection();
        Connection theirs = postgres.gateway().getConnection()) {
      theirs.setNetworkTimeout(Runnable::run, 3_000);
      Sessions.prepare(ours, Duration.ofSeconds(7), LONG);
      Sessions.prepare(theirs, Duration.ofSeconds(7), LONG);
      assertThat(ours.getNetworkTimeout()).isEqualTo(17_000);
      assertThat(theirs.getNetworkTimeout()).isEqualTo(3_000);
    }
  }

  @Test
  void theServerEndsASessionThatIsIdleInItsTransactionAndReleasesItsLock() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared();
        Connection hung = postgres.gateway().getConnection();
        Connection next = postgres.gateway().getConnection()) {
      postgres.createTable("create table hot (a int)");
      TestPostgres.execute(postgres.gateway(), "insert into hot values (0)");
      Sessions.prepare(hung, LONG, LONG);
      Sessions.prepare(next, LONG, LONG);
      assertThat(update(hung)).isEqualTo(1);
      int updated;
      try {
        updated = update(next);
      } catch (SQLException e) {
        // Both sides time out after five seconds; if ours came first, the row is free now.
        assertThat(e.getSQLState()).isEqualTo("55P03");
        next.rollback();
        updated = update(next);
      }
      assertThat(updated).isEqualTo(1);
      next.commit();
      assertThat(one(next, "select a from hot")).isEqualTo("1");
      assertThatThrownBy(hung::commit).isInstanceOf(SQLException.class);
    }
  }

  private static int update(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate("update hot set a = a + 1");
    }
  }

  @Test
  void theServerCancelsALongStatementAndEndsALongTransaction() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared();
        Connection statement = postgres.gateway().getConnection();
        Connection transaction = postgres.gateway().getConnection()) {
      Sessions.prepare(statement, Duration.ofMillis(100), LONG);
      Sessions.prepare(transaction, LONG, Duration.ofMillis(100));
      assertThatThrownBy(() -> one(statement, "select pg_sleep(60)"))
          .extracting(e -> ((SQLException) e).getSQLState())
          .isEqualTo("57014");
      assertThatThrownBy(() -> one(transaction, "select pg_sleep(60)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("transaction timeout");
    }
  }

  @Test
  void skipsASettingThatTheServersSystemDoesNotSupport() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared();
        Connection connection = postgres.gateway().getConnection()) {
      Sessions.prepare(refusing(connection, "client_connection_check_interval"), LONG, LONG);
      assertThat(one(connection, "show client_connection_check_interval")).isEqualTo("0");
      assertThat(one(connection, "show tcp_keepalives_count")).isEqualTo("3");
      assertThat(one(connection, "show lock_timeout")).isEqualTo("5s");
      connection.rollback();
      assertThatThrownBy(() -> Sessions.prepare(refusing(connection, "lock_timeout"), LONG, LONG))
          .hasMessageContaining("not on this system");
    }
  }

  /** The connection to a server on a system that lacks this setting. */
  private static Connection refusing(Connection connection, String setting) {
    return proxy(
        Connection.class,
        connection,
        (method, arguments, result) ->
            method.equals("prepareStatement")
                ? proxy(
                    PreparedStatement.class,
                    (PreparedStatement) result,
                    (setter, values, ignored) -> {
                      if (setter.equals("setString") && setting.equals(values[1])) {
                        throw new SQLException("not on this system", "22023");
                      }
                      return ignored;
                    })
                : result);
  }

  private interface After {
    Object called(String method, Object[] arguments, Object result) throws SQLException;
  }

  private static <T> T proxy(Class<T> type, T target, After after) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                after.called(method.getName(), arguments, method.invoke(target, arguments)));
    return type.cast(proxy);
  }

  @Test
  void setsReadCommittedAndManualCommitOnHsqldb(@TempDir Path directory) throws SQLException {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory);
        Connection connection = database.gateway().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      Sessions.prepare(connection, LONG, LONG);
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
    }
  }

  private static String one(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
