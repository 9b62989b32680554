/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.SqlErrors;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.service.progress.Unavailable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.datasource.DelegatingDataSource;

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

  public KeyedResults(String service, GatewayDatabase database) {
    this.service = service;
    this.database = database;
    HikariConfig config = new HikariConfig();
    config.setPoolName("forebay-" + service + "-results");
    config.setDataSource(
        new DelegatingDataSource(database.dataSource()) {
          /** On close, the pool waits up to this time for its own thread, then logs a warning. */
          @Override
          public int getLoginTimeout() {
            return Math.toIntExact(LONGEST_WAIT.toSeconds());
          }
        });
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(LONGEST_WAIT.toMillis());
    pool = new HikariDataSource(config);
  }

  /**
   * @param id of the message, see {@code Message.keyedId}
   * @return empty if no statement with that id was performed, or its key has expired
   * @throws Unavailable if the database does not respond
   */
  public Optional<KeyedResult> find(UUID id) {
    try (Connection connection = connection();
        PreparedStatement select =
            connection.prepareStatement(
                "select client, partition_id, position, result from forebay.request"
                    + " where message_id = ?")) {
      select.setQueryTimeout(Math.toIntExact(LONGEST_WAIT.toSeconds()));
      select.setObject(1, id);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? Optional.of(result(id, row)) : Optional.empty();
      }
    } catch (SQLException e) {
      throw new Unavailable(SqlErrors.told(e), e);
    }
  }

  /**
   * How far a stream of statements is.
   *
   * @throws Unavailable if the database does not respond
   */
  public StreamState stream(String client, String stream) {
    try (Connection connection = connection();
        PreparedStatement select =
            connection.prepareStatement(
                "select p.partition_id, s.line, s.done, s.failed, s.repeated"
                    + " from forebay.progress p, lateral (select line, done, failed, repeated"
                    + " from forebay.stream where client = ? and stream = ?"
                    + " and service = p.service and partition_id = p.partition_id"
                    + " order by line desc limit 1) s where p.service = ? order by p.partition_id")) {
      select.setQueryTimeout(Math.toIntExact(LONGEST_WAIT.toSeconds()));
      select.setString(1, client);
      select.setString(2, stream);
      select.setString(3, service);
      List<StreamProgress> partitions = new ArrayList<>();
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          partitions.add(
              new StreamProgress(
                  rows.getInt(1),
                  rows.getLong(2),
                  rows.getLong(3),
                  rows.getLong(4),
                  rows.getLong(5)));
        }
      }
      return new StreamState(partitions);
    } catch (SQLException e) {
      throw new Unavailable(SqlErrors.told(e), e);
    }
  }

  private static KeyedResult result(UUID id, ResultSet row) throws SQLException {
    return new KeyedResult(
        id,
        row.getString(1),
        row.getInt(2),
        row.getLong(3),
        OutcomeCodec.decodeWhole(row.getBytes(4)));
  }

  /**
   * @throws Unavailable if the database has not responded yet
   */
  private Connection connection() throws SQLException {
    if (!database.isReady()) {
      throw new Unavailable("the database has not responded yet", null);
    }
    return pool.getConnection();
  }

  /** Closes the connections. */
  @Override
  public void close() {
    pool.close();
  }
}
