/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The table for the orders of all runs, without key or index. */
final class OrderTable {

  /** The number of orders of a run, and the number of distinct ids. */
  record Count(long rows, long ids) {}

  private final DataSource owner;

  OrderTable(String url) {
    this.owner = Postgres.dataSource(url, Postgres.OWNER);
  }

  void create() throws SQLException {
    execute(
        """
        create table orders (
          id bigint not null,
          run integer not null,
          customer varchar(40) not null,
          amount double precision not null)
        """);
    execute("grant select, insert on orders to " + Postgres.GATEWAY);
  }

  Count count(long run) throws SQLException {
    try (Connection connection = owner.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                "select count(*), count(distinct id) from orders where run = ?")) {
      statement.setLong(1, run);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Count(row.getLong(1), row.getLong(2));
      }
    }
  }

  long rows(long run) throws SQLException {
    try (Connection connection = owner.getConnection();
        PreparedStatement statement =
            connection.prepareStatement("select count(*) from orders where run = ?")) {
      statement.setLong(1, run);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /** Empties the table and runs a checkpoint, so that no run pays for another. */
  void clear() throws SQLException {
    execute("truncate table orders");
    execute("checkpoint");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
