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
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.logging.LogFactory;
import org.flywaydb.core.api.logging.LogLevel;

/** Creates the tables of schema forebay and lets the role that works with them use them. */
public final class Migrations {

  /** PostgreSQL cuts longer names off, and HSQLDB takes up to 128 bytes. */
  private static final int NAME_BYTES = 63;

  /** Held by the one of several starting gateways that creates or grants; an arbitrary number. */
  private static final long START_LOCK = 0x666f7265626179L;

  /** HSQLDB has no lock to take; a database of its own process is the one it is embedded in. */
  private static final Lock IN_THIS_PROCESS = new ReentrantLock();

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
  public static void run(DataSource owner, String gatewayRole) throws SQLException {
    run(owner, gatewayRole, TableRights.GATEWAY);
  }

  /** The same for a role that needs other rights. */
  public static void run(DataSource owner, String roleName, TableRights rights)
      throws SQLException {
    String role = quoted(roleName);
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      Dialect dialect = Dialect.of(connection);
      connection.setAutoCommit(false);
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
   * @param name of the role, as the database spells it
   * @param quoted the same in SQL
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

  /** Says that the role may not use a table of the ledger as it must. */
  static String lacks(String role, List<String> privileges, String table) {
    return role
        + " lacks "
        + String.join(", ", privileges)
        + " on forebay."
        + table
        + ": grant it, or name this role to the owner's migration, which does";
  }

  /** Says that statements could reach a table that decides who may send them. */
  static String reaches(String role, String table) {
    return role
        + " may read or change forebay."
        + table
        + ", so a statement could give itself rights or remove its traces: revoke all on forebay."
        + table
        + " from "
        + role
        + ", and from public and every role it is a member of";
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

  /** Flyway has one level for the whole process; without this it greets at each start. */
  public static void quietly(Runnable flyway) {
    LogLevel before = LogFactory.getLogLevel();
    LogFactory.setLogLevel(LogLevel.WARN);
    try {
      flyway.run();
    } finally {
      LogFactory.setLogLevel(before);
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
          "The name of the gateway's database role is empty, longer than "
              + NAME_BYTES
              + " bytes or has control characters; nothing was migrated");
    }
    return '"' + role.replace("\"", "\"\"") + '"';
  }
}
