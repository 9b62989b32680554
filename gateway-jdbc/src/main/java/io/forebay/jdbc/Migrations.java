/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.logging.LogFactory;
import org.flywaydb.core.api.logging.LogLevel;

/** Creates the ledger's tables and lets the gateway's role use them. */
final class Migrations {

  static final List<String> TABLES = List.of("progress", "outcome", "request", "dead_letter");
  static final List<String> PRIVILEGES = List.of("SELECT", "INSERT", "UPDATE", "DELETE");

  /** PostgreSQL cuts longer names off, and HSQLDB takes up to 128 bytes. */
  private static final int NAME_BYTES = 63;

  /** Held by the one of several starting gateways that creates or grants; an arbitrary number. */
  private static final long START_LOCK = 0x666f7265626179L;

  private Migrations() {}

  /**
   * Brings schema {@code forebay} up to date and grants the gateway's role what it needs there;
   * does nothing where that is so already. Several gateways may do so at the same time.
   *
   * @param owner the role that owns the tables of the ledger
   * @param gatewayRole its name as the database spells it, that is {@code
   *     connection.getMetaData().getUserName()} on the gateway's connection
   * @throws SQLException as the database or the driver threw it, so that the caller can tell a
   *     database that is away from one that refuses
   * @throws FlywayException if the schema is not one that these migrations made
   */
  static void run(DataSource owner, String gatewayRole) throws SQLException {
    String role = quoted(gatewayRole);
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      Dialect dialect = Dialect.of(connection);
      connection.setAutoCommit(false);
      createSchema(connection, statement, dialect);
      connection.commit();
      migrate(owner, dialect);
      if (!gatewayRole.equals(connection.getMetaData().getUserName())) {
        grant(connection, statement, dialect, gatewayRole, role);
      }
      connection.commit();
    }
  }

  /** Says that the role may not use a table of the ledger as it must. */
  static String lacks(String role, List<String> privileges, String table) {
    return role
        + " lacks "
        + String.join(", ", privileges)
        + " on forebay."
        + table
        + ": grant it, or name this role to the owner's migration, which does";
  }

  /** Flyway would try for ten seconds if the owner may not. */
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
            .loggers("slf4j")
            .load();
    // Flyway has one level for the whole process; without this it greets at each start.
    LogLevel before = LogFactory.getLogLevel();
    LogFactory.setLogLevel(LogLevel.WARN);
    try {
      flyway.migrate();
    } catch (FlywayException e) {
      for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
        if (cause instanceof SQLException sql) {
          sql.addSuppressed(e);
          throw sql;
        }
      }
      throw e;
    } finally {
      LogFactory.setLogLevel(before);
    }
  }

  private static void grant(
      Connection connection, Statement statement, Dialect dialect, String name, String role)
      throws SQLException {
    oneAtATime(statement, dialect);
    if (dialect == Dialect.POSTGRESQL) {
      statement.execute("grant usage on schema forebay to " + role);
    }
    for (String table : TABLES) {
      // On HSQLDB a grant waits until every other transaction has ended.
      if (!granted(connection, dialect, table, name).containsAll(PRIVILEGES)) {
        statement.execute(
            "grant " + String.join(", ", PRIVILEGES) + " on forebay." + table + " to " + role);
      }
    }
  }

  /** PostgreSQL fails one of two that create or grant the same at the same time. */
  private static void oneAtATime(Statement statement, Dialect dialect) throws SQLException {
    if (dialect == Dialect.POSTGRESQL) {
      statement.execute("select pg_advisory_xact_lock(" + START_LOCK + ")");
    }
  }

  private static Set<String> granted(
      Connection connection, Dialect dialect, String table, String role) throws SQLException {
    String name = dialect == Dialect.HSQLDB ? table.toUpperCase(Locale.ROOT) : table;
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

  private static String quoted(String role) {
    if (role.isBlank()
        || role.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES
        || role.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "The name of the gateway's database role is empty, longer than "
              + NAME_BYTES
              + " bytes or has control characters; nothing was migrated");
    }
    return '"' + role.replace("\"", "\"\"") + '"';
  }
}
