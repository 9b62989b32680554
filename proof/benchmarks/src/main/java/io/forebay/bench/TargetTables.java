/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Burst.Contents;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The two tables for the statements, without a unique key, and their database. */
final class TargetTables {

  /** When HSQLDB writes a commit to disk: half a second later, or before the commit returns. */
  enum Hsqldb {
    DELAYED,
    DURABLE
  }

  /** Opens connections of a user who may create and truncate tables and run checkpoints. */
  @FunctionalInterface
  interface Connections {
    Connection open() throws SQLException;
  }

  private final Connections connections;
  private final String create;

  /**
   * @param create the first words of the database's {@code create table} statements
   */
  private TargetTables(Connections connections, String create) {
    this.connections = connections;
    this.create = create;
  }

  /** Tables in an open HSQLDB; in a large one the rows are stored on disk. */
  static TargetTables inHsqldb(Connections connections, boolean large) {
    return new TargetTables(connections, large ? "create cached table " : "create memory table ");
  }

  /** Tables in an HSQLDB in this folder, opened by the first connection. */
  static TargetTables inHsqldb(Path folder, Hsqldb mode, boolean large) {
    String delay = mode == Hsqldb.DURABLE ? ";hsqldb.write_delay=false" : "";
    String url = "jdbc:hsqldb:file:" + folder.resolve("database") + delay;
    return inHsqldb(() -> DriverManager.getConnection(url, "SA", ""), large);
  }

  static TargetTables inPostgresql(String url) {
    return new TargetTables(
        Postgres.dataSource(url, Postgres.OWNER)::getConnection, "create table ");
  }

  Connection connect() throws SQLException {
    return connections.open();
  }

  void create() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String table : new String[] {"orders", "payments"}) {
        statement.execute(
            create
                + table
                + " (id bigint not null, customer varchar(40) not null,"
                + " amount double precision not null check (amount >= 0))");
      }
    }
  }

  /** Adds another table. */
  void create(String nameAndColumns) throws SQLException {
    execute(create + nameAndColumns);
  }

  /** Grants a role that owns nothing the permissions to perform the statements. */
  void grantTo(String role) throws SQLException {
    execute("grant select, insert, update, delete on orders to " + role);
    execute("grant select, insert, update, delete on payments to " + role);
  }

  /** Empties the tables and runs a checkpoint. */
  void clear() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("truncate table orders");
      statement.execute("truncate table payments");
      statement.execute("checkpoint");
    }
  }

  /** The contents of both tables together. */
  Contents contents() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      Contents orders = contents(statement, "orders");
      Contents payments = contents(statement, "payments");
      return new Contents(
          orders.rows() + payments.rows(),
          orders.ids() + payments.ids(),
          orders.amounts() + payments.amounts());
    }
  }

  private static Contents contents(Statement statement, String table) throws SQLException {
    try (ResultSet row =
        statement.executeQuery("select count(*), sum(id), sum(amount) from " + table)) {
      row.next();
      return new Contents(row.getLong(1), row.getLong(2), row.getDouble(3));
    }
  }

  /** Shuts an HSQLDB down gracefully. */
  void shutdown() throws SQLException {
    execute("shutdown");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
