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
import java.time.Instant;

/**
 * The target table, without key or index, and its queries. PostgreSQL itself reports when a row was
 * committed ({@code track_commit_timestamp}).
 */
final class SinkTable implements AutoCloseable {

  static final String INSERT =
      "insert into orders (id, customer, amount, sent) values (?, ?, ?, ?)";

  private static final String COMMITTED =
      "(extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000000)::bigint";

  /** How many blocks at the end of the table are searched for its last row. */
  private static final int TAIL_BLOCKS = 128;

  private static final String[] CUSTOMERS = new String[1024];

  static {
    for (int i = 0; i < CUSTOMERS.length; i++) {
      CUSTOMERS[i] = "customer-%04d".formatted(i);
    }
  }

  /** One connection for all queries: opening one costs the server more than a query. */
  private final Connection connection;

  SinkTable(String url) throws SQLException {
    connection = Postgres.dataSource(url, Postgres.OWNER).getConnection();
  }

  static String customer(long number) {
    return CUSTOMERS[(int) number & (CUSTOMERS.length - 1)];
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

  void create() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          """
          create table orders (
            id bigint not null,
            customer varchar(40) not null,
            amount double precision not null,
            sent bigint not null)
          """);
      statement.execute("grant select, insert on orders to " + Postgres.GATEWAY);
      statement.execute("checkpoint");
    }
  }

  /** Whether a row is among the last ones; rows arrive in the order of their numbers. */
  boolean endsWith(long number) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            select exists (select 1 from orders where id = ? and ctid >= ('('
              || greatest(0, pg_relation_size('orders') / 8192 - %d) || ',0)')::tid)
            """
                .formatted(TAIL_BLOCKS))) {
      statement.setLong(1, number);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
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
        with row as materialized (select %s as at from orders where id >= ? and id < ?),
          first as materialized (select min(at) as at from row)
        select count(*) filter (where row.at > first.at), first.at, max(row.at)
        from row cross join first group by first.at
        """
            .formatted(COMMITTED);
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setLong(1, from);
      statement.setLong(2, to);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next() || row.getLong(1) == 0) {
          throw new IllegalStateException(
              "too few rows: rows %,d to %,d were committed together".formatted(from, to));
        }
        return new Commits(row.getLong(1), row.getLong(2), row.getLong(3));
      }
    }
  }

  /** Percentiles of the time from append to commit, in milliseconds. */
  double[] appendToCommitMillis(long from, long to, double... fractions) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            select (percentile_disc(?::float8[]) within group (order by %s - sent))
            from orders where id >= ? and id < ?
            """
                .formatted(COMMITTED))) {
      Object[] asked = new Object[fractions.length];
      for (int i = 0; i < asked.length; i++) {
        asked[i] = fractions[i];
      }
      statement.setArray(1, connection.createArrayOf("float8", asked));
      statement.setLong(2, from);
      statement.setLong(3, to);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Object[] micros = (Object[]) row.getArray(1).getArray();
        double[] millis = new double[micros.length];
        for (int i = 0; i < millis.length; i++) {
          millis[i] = ((Number) micros[i]).doubleValue() / 1e3;
        }
        return millis;
      }
    }
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
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      boolean exact =
          row.getLong(1) == count
              && row.getLong(2) == count
              && row.getLong(3) == 0
              && row.getLong(4) == count - 1
              && row.getLong(5) == 0;
      if (!exact) {
        throw new IllegalStateException(
            "the table has %,d rows of %,d ids from %,d to %,d, %,d of them with wrong values (expected rows: %,d)"
                .formatted(
                    row.getLong(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4),
                    row.getLong(5),
                    count));
      }
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
