/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.sql.SQLException;

/** The table for the orders of all runs, without key or index. */
final class OrderTable {

  /** The number of orders of a run, and the number of distinct ids. */
  record Count(long rows, long ids) {}

  private final Database database;

  OrderTable(String url) throws SQLException {
    database = Postgres.dataSource(url, Postgres.OWNER)::getConnection;
    database.execute(
        """
        create table orders (
          id bigint not null,
          run integer not null,
          customer varchar(40) not null,
          amount double precision not null)
        """,
        "grant select, insert on orders to " + Postgres.GATEWAY);
  }

  Count count(long run) throws SQLException {
    double[] row =
        database.row("select count(*), count(distinct id) from orders where run = " + run);
    return new Count((long) row[0], (long) row[1]);
  }

  long rows(long run) throws SQLException {
    return (long) database.row("select count(*) from orders where run = " + run)[0];
  }

  /** Empties the table and runs a checkpoint, so that no run pays for another. */
  void clear() throws SQLException {
    database.execute("truncate table orders", "checkpoint");
  }
}
