/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.database.EmbeddedDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The database of a service. An embedded one serves one process at a time. */
interface Target extends AutoCloseable {

  /** Connects with the role that performs statements. */
  DataSource gateway();

  DataSource owner();

  void grant(String table) throws SQLException;

  /** Takes an exclusive lock among processes until the connection is closed. */
  void alone(Connection connection) throws SQLException;

  boolean returning();

  /**
   * Makes the database rewrite its files, as it does by itself when its log is long. A server has
   * its own process for that.
   */
  void checkpoint() throws SQLException;

  @Override
  void close() throws SQLException;

  /**
   * @param database the URL of a PostgreSQL database, or a directory
   */
  static Target open(String database) throws SQLException {
    return database.startsWith("jdbc:") ? new Postgres(database) : new Embedded(Path.of(database));
  }

  /** Creates the load's tables that are missing. */
  default void createTables() throws SQLException {
    try (Connection connection = owner().getConnection();
        Statement statement = connection.createStatement()) {
      if (!exists(connection, Workload.TABLES.getLast())) {
        for (String ddl : Workload.DDL) {
          statement.execute(ddl);
        }
      }
    }
    for (String table : Workload.TABLES) {
      grant(table);
    }
  }

  private static boolean exists(Connection connection, String table) throws SQLException {
    try (ResultSet tables =
        connection.getMetaData().getTables(null, null, null, new String[] {"TABLE"})) {
      while (tables.next()) {
        if (tables.getString("TABLE_NAME").equalsIgnoreCase(table)) {
          return true;
        }
      }
      return false;
    }
  }

  /** A database in a directory, opened by this process. */
  final class Embedded implements Target {

    private final EmbeddedDatabase database;

    Embedded(Path directory) throws SQLException {
      database = EmbeddedDatabase.open(directory);
    }

    @Override
    public DataSource gateway() {
      return database.gateway();
    }

    @Override
    public DataSource owner() {
      return database.owner();
    }

    @Override
    public void grant(String table) throws SQLException {
      database.grantAll(table);
    }

    @Override
    public void alone(Connection connection) {}

    @Override
    public boolean returning() {
      return false;
    }

    @Override
    public void checkpoint() throws SQLException {
      try (Connection connection = database.owner().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("checkpoint");
      }
    }

    @Override
    public void close() throws SQLException {
      database.close();
    }
  }

  /** A database of a server, with the two roles of the guide. */
  record Postgres(String url) implements Target {

    private static final String GATEWAY = "forebay_gateway";

    @Override
    public DataSource gateway() {
      return as(GATEWAY);
    }

    @Override
    public DataSource owner() {
      return as("forebay_owner");
    }

    private DataSource as(String role) {
      PGSimpleDataSource dataSource = new PGSimpleDataSource();
      dataSource.setURL(url);
      dataSource.setUser(role);
      return dataSource;
    }

    @Override
    public void grant(String table) throws SQLException {
      try (Connection connection = owner().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("grant select, insert, update, delete on " + table + " to " + GATEWAY);
      }
    }

    @Override
    public void alone(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("select pg_advisory_lock(1)");
      }
    }

    @Override
    public boolean returning() {
      return true;
    }

    @Override
    public void checkpoint() {}

    @Override
    public void close() {}
  }
}
