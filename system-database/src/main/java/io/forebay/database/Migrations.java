/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.logging.LogFactory;
import org.flywaydb.core.api.logging.LogLevel;

/** Creates the tables of schema forebay and grants the role that uses them its rights. */
public final class Migrations {

  /** PostgreSQL truncates longer names; HSQLDB allows up to 128 bytes. */
  private static final int NAME_BYTES = 63;

  /**
   * Advisory lock that starting gateways hold while they create tables or grant rights; an
   * arbitrary number.
   */
  private static final long START_LOCK = 0x666f7265626179L;

  /**
   * Replaces the advisory lock on HSQLDB, which has none; only the process of an embedded database
   * uses it.
   */
  private static final Lock IN_THIS_PROCESS = new ReentrantLock();

  private Migrations() {}

  /**
   * Migrates schema {@code forebay} to the current version and grants the gateway's role the rights
   * it needs there. Does nothing if both are up to date. Several gateways may call this
   * concurrently.
   *
   * @param owner the role that owns the tables of the ledger
   * @param gatewayRole its name as spelled by the database: {@code
   *     connection.getMetaData().getUserName()} on the gateway's connection
   * @throws SQLException as thrown by the driver, so that the caller can distinguish an unavailable
   *     database from one that refuses
   * @throws FlywayException if these migrations did not create the schema
   * @throws UnsafeDatabase if the database cannot store every text; then nothing is created
   */
  public static void run(DataSource owner, String gatewayRole) throws SQLException {
    run(owner, gatewayRole, TableRights.GATEWAY);
  }

  /** Like {@link #run(DataSource, String)}, for a role that needs other rights. */
  public static void run(DataSource owner, String roleName, TableRights rights)
      throws SQLException {
    String role = quoted(roleName);
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      Dialect dialect = Dialect.of(connection);
      connection.setAutoCommit(false);
      if (dialect == Dialect.POSTGRESQL) {
        PostgresChecks.storesEveryText(connection);
      }
      if (dialect == Dialect.HSQLDB) {
        IN_THIS_PROCESS.lock();
      }
      try {
        createSchema(connection, statement, dialect);
        connection.commit();
        migrate(owner, dialect);
        if (!roleName.equals(connection.getMetaData().getUserName())) {
          new Grants(connection, statement, dialect, roleName, role).give(rights);
        }
        connection.commit();
      } finally {
        if (dialect == Dialect.HSQLDB) {
          IN_THIS_PROCESS.unlock();
        }
      }
    }
  }

  /**
   * @param name the name of the role, as spelled by the database
   * @param quoted the name, quoted for SQL
   */
  private record Grants(
      Connection connection, Statement statement, Dialect dialect, String name, String quoted) {

    void give(TableRights rights) throws SQLException {
      oneAtATime(statement, dialect);
      if (dialect == Dialect.POSTGRESQL) {
        statement.execute("grant usage on schema forebay to " + quoted);
      }
      for (TableRights.Right right : rights.rights()) {
        // On HSQLDB a grant waits until every other transaction has ended.
        if (!granted(connection, dialect, right.table(), name).containsAll(right.privileges())) {
          String privileges = String.join(", ", right.privileges());
          statement.execute(
              "grant " + privileges + " on forebay." + right.table() + " to " + quoted);
        }
      }
      for (String sequence : rights.sequences()) {
        if (!mayUse(connection, dialect, sequence, name)) {
          statement.execute("grant usage on sequence forebay." + sequence + " to " + quoted);
        }
      }
    }
  }

  /** Flyway would retry for ten seconds if the owner lacks the right. */
  private static void createSchema(Connection connection, Statement statement, Dialect dialect)
      throws SQLException {
    oneAtATime(statement, dialect);
    boolean exists;
    try (ResultSet schema = connection.getMetaData().getSchemas(null, dialect.schema())) {
      exists = schema.next();
    }
    if (!exists) {
      statement.execute("create schema forebay");
    }
  }

  private static void migrate(DataSource owner, Dialect dialect) throws SQLException {
    Flyway flyway =
        Flyway.configure(Migrations.class.getClassLoader())
            .dataSource(owner)
            .schemas(dialect.schema())
            .createSchemas(false)
            .locations(dialect.migrations())
            .placeholders(dialect.placeholders())
            .loggers("slf4j")
            .load();
    try {
      quietly(flyway::migrate);
    } catch (FlywayException e) {
      for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
        if (cause instanceof SQLException sql) {
          sql.addSuppressed(e);
          throw sql;
        }
      }
      throw e;
    }
  }

  /** Silences Flyway's banner at each start; Flyway has one log level for the whole process. */
  public static void quietly(Runnable flyway) {
    LogLevel before = LogFactory.getLogLevel();
    LogFactory.setLogLevel(LogLevel.WARN);
    try {
      flyway.run();
    } finally {
      LogFactory.setLogLevel(before);
    }
  }

  /**
   * Without the lock, PostgreSQL fails one of two sessions that create or grant the same object
   * concurrently.
   */
  private static void oneAtATime(Statement statement, Dialect dialect) throws SQLException {
    if (dialect == Dialect.POSTGRESQL) {
      statement.execute("select pg_advisory_xact_lock(" + START_LOCK + ")");
    }
  }

  private static Set<String> granted(
      Connection connection, Dialect dialect, String table, String role) throws SQLException {
    String name = dialect.spelled(table);
    Set<String> privileges = new HashSet<>();
    try (ResultSet grants =
        connection.getMetaData().getTablePrivileges(null, dialect.schema(), name)) {
      while (grants.next()) {
        if (role.equals(grants.getString("GRANTEE"))) {
          privileges.add(grants.getString("PRIVILEGE"));
        }
      }
    }
    return privileges;
  }

  private static boolean mayUse(
      Connection connection, Dialect dialect, String sequence, String role) throws SQLException {
    try (PreparedStatement usages =
        connection.prepareStatement(
            "select 1 from information_schema.usage_privileges"
                + " where object_schema = ? and object_name = ? and grantee = ?")) {
      usages.setString(1, dialect.schema());
      usages.setString(2, dialect.spelled(sequence));
      usages.setString(3, role);
      try (ResultSet usage = usages.executeQuery()) {
        return usage.next();
      }
    }
  }

  private static String quoted(String role) {
    if (role.isBlank()
        || role.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES
        || role.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "Nothing migrated: the name of the gateway's database role is empty, longer than "
              + NAME_BYTES
              + " bytes, or contains control characters; use another role");
    }
    return '"' + role.replace("\"", "\"\"") + '"';
  }
}
