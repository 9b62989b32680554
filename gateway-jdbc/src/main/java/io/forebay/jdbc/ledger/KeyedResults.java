/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.Pools;
import io.forebay.database.SqlErrors;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;

/**
 * The results of statements with an idempotency key, and how far streams are, from the table where
 * the service keeps them. Every instance sees them as soon as the statement took effect, for as
 * long as its key is kept. Thread-safe; uses a small connection pool, opened on demand. Requires
 * HikariCP and spring-jdbc, which come with the starter.
 */
public final class KeyedResults implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final String service;
  private final GatewayDatabase database;
  private final HikariDataSource pool;
  private final JdbcTemplate jdbc;
  private final AtomicLong answered = new AtomicLong();

  public KeyedResults(String service, GatewayDatabase database) {
    this.service = service;
    this.database = database;
    pool =
        Pools.open(
            "forebay-" + service + "-results", database.dataSource(), CONNECTIONS, LONGEST_WAIT);
    jdbc = new JdbcTemplate(pool);
    jdbc.setQueryTimeout(Math.toIntExact(LONGEST_WAIT.toSeconds()));
  }

  /**
   * @param id of the message, see {@code Message.keyedId}
   * @return empty if no statement with that id was performed, or its key has expired
   * @throws Unavailable if the database does not respond
   */
  public Optional<KeyedResult> find(UUID id) {
    return query(
            "select client, partition_id, position, result from forebay.request"
                + " where message_id = ?",
            (row, _) ->
                new KeyedResult(
                    new Receipt(row.getInt(2), row.getLong(3), id),
                    row.getString(1),
                    OutcomeCodec.decodeWhole(row.getBytes(4))),
            id)
        .stream()
        .findFirst();
  }

  /**
   * How far a stream of statements is in the partitions that have performed a line of it.
   *
   * @throws Unavailable if the database does not respond
   */
  public List<StreamProgress> stream(String client, String stream) {
    return query(
        "select p.partition_id, s.line, s.done, s.failed, s.repeated"
            + " from forebay.progress p, lateral (select line, done, failed, repeated"
            + " from forebay.stream where client = ? and stream = ?"
            + " and service = p.service and partition_id = p.partition_id"
            + " order by line desc limit 1) s where p.service = ? order by p.partition_id",
        (row, _) ->
            new StreamProgress(
                row.getInt(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
        client,
        stream,
        service);
  }

  /** Waits for a connection as long as the database answers others meanwhile. */
  private <R> List<R> query(String sql, RowMapper<R> mapper, Object... values) {
    if (!database.isReady()) {
      throw new Unavailable("the database has not responded yet", null);
    }
    while (true) {
      long before = answered.get();
      try {
        List<R> rows = jdbc.query(sql, mapper, values);
        answered.incrementAndGet();
        return rows;
      } catch (DataAccessException e) {
        boolean othersWereAnswered =
            e instanceof CannotGetJdbcConnectionException && answered.get() != before;
        if (!othersWereAnswered) {
          throw new Unavailable(
              e.getMostSpecificCause() instanceof SQLException cause
                  ? SqlErrors.told(cause)
                  : "its results cannot be read",
              e);
        }
      }
    }
  }

  public HikariDataSource pool() {
    return pool;
  }

  /** Closes the connections. */
  @Override
  public void close() {
    pool.close();
  }
}
