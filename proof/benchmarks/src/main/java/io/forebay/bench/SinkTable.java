/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;

/**
 * The target table, with a key only if rows are upserted, and its queries. PostgreSQL itself
 * reports when a row was committed ({@code track_commit_timestamp}).
 */
final class SinkTable implements AutoCloseable {

  static final String INSERT =
      "insert into orders (id, customer, amount, sent) values (?, ?, ?, ?)";

  /** What makes an insert an upsert. */
  static final String ON_CONFLICT =
      " on conflict (id) do update set customer = excluded.customer, amount = excluded.amount,"
          + " sent = excluded.sent";

  private static final String COMMITTED =
      "(extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000000)::bigint";

  /** How many blocks at the end of the table are searched for its last row. */
  private static final int TAIL_BLOCKS = 128;

  /** One connection for all queries: opening one costs the server more than a query. */
  private final Connection connection;

  SinkTable(String url, boolean keyed) throws SQLException {
    Database database = Postgres.dataSource(url, Postgres.OWNER)::getConnection;
    database.execute(
        """
        create table orders (
          id bigint %s,
          customer varchar(40) not null,
          amount double precision not null,
          sent bigint not null)
        """
            .formatted(keyed ? "primary key" : "not null"),
        "grant select, insert, update on orders to " + Postgres.GATEWAY,
        "checkpoint");
    connection = database.connect();
  }

  /** A multiple of 0.25, which all formats represent exactly. */
  static double amount(long number) {
    return (number & 1023) * 0.25;
  }

  /** Microseconds since 1970 by this host's clock, which the database also uses. */
  static long nowMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  /**
   * Whether a row is among the last ones; rows arrive in the order of their numbers. Without the
   * inner query PostgreSQL would read the whole table, because the size is volatile.
   */
  boolean endsWith(long number) throws SQLException {
    String query =
        """
        select count(*) from orders where id = %d and ctid >= (select ('('
          || greatest(0, pg_relation_size('orders') / 8192 - %d) || ',0)')::tid)
        """
            .formatted(number, TAIL_BLOCKS);
    return Database.row(connection, query)[0] > 0;
  }

  /**
   * The commits that made a range of rows visible.
   *
   * @param rows the number of rows, without those of the first commit
   * @param fromMicros when the first of these commits happened
   * @param toMicros when the last one happened
   */
  record Commits(long rows, long fromMicros, long toMicros) {
    double rowsPerSecond() {
      return rows * 1e6 / (toMicros - fromMicros);
    }
  }

  /**
   * @throws IllegalStateException if there was only one commit
   */
  Commits commits(long from, long to) throws SQLException {
    String query =
        """
        with row as materialized (select %s as at from orders where id >= %d and id < %d)
        select count(*) filter (where at > (select min(at) from row)), min(at), max(at) from row
        """
            .formatted(COMMITTED, from, to);
    double[] row = Database.row(connection, query);
    if (row[0] == 0) {
      throw new IllegalStateException(
          "too few rows: rows %,d to %,d were committed together".formatted(from, to));
    }
    return new Commits((long) row[0], (long) row[1], (long) row[2]);
  }

  /** The number of transactions that wrote rows. */
  long commits() throws SQLException {
    return (long) Database.row(connection, "select count(distinct xmin::text) from orders")[0];
  }

  /**
   * @throws IllegalStateException unless the table has exactly the rows 0 to {@code count} − 1,
   *     each once and with its values
   */
  void mustHold(long count) throws SQLException {
    String query =
        """
        select count(*), count(distinct id), min(id), max(id),
          count(*) filter (where amount <> (id & 1023) * 0.25
            or customer <> 'customer-' || lpad((id & 1023)::text, 4, '0'))
        from orders
        """;
    double[] row = Database.row(connection, query);
    if (!Arrays.equals(row, new double[] {count, count, 0, count - 1, 0})) {
      throw new IllegalStateException(
          "the table has %.0f rows of %.0f ids from %.0f to %.0f, %.0f of them with wrong values (expected rows: %,d)"
              .formatted(row[0], row[1], row[2], row[3], row[4], count));
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
