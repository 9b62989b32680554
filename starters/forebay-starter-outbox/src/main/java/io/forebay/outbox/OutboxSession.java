/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.database.Dialect;
import io.forebay.database.Pools;
import io.forebay.database.Sessions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The relay's session with the database of the outbox. On PostgreSQL an advisory lock of the table
 * makes one session the owner; the server releases it when the session ends. An embedded database
 * has one process, which is the owner. For one thread.
 */
final class OutboxSession implements AutoCloseable {

  /** The first half of the number of the lock; the second half is the table. */
  static final int LOCK = 0x666f6f62;

  private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(60);

  private static final String TABLE = "'forebay_outbox'::regclass::oid";
  private static final String OWN = "select pg_try_advisory_lock(?, " + TABLE + "::int)";
  private static final String OPEN_TRANSACTIONS =
      "select virtualtransaction from pg_locks where locktype = 'relation' and relation = "
          + TABLE
          + " and mode = 'RowExclusiveLock' and database ="
          + " (select oid from pg_database where datname = current_database())";
  private static final String ROWS =
      "select id, service, partition_number, message, created_at from forebay_outbox where id > ?"
          + " and service %s order by id limit %d";

  /** Of PostgreSQL: reads no row behind that many bytes. */
  private static final String BOUNDED_ROWS =
      "select id, service, partition_number, message, created_at from (select *,"
          + " sum(octet_length(message)) over (order by id rows unbounded preceding) as bytes from"
          + " (%s) rows) rows where bytes - octet_length(message) < %d order by id";

  private static final int MOST_BYTES = 8 << 20;

  private final DataSource database;
  private final Connection connection;
  private final boolean postgres;
  private final int most;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private boolean owner;

  private OutboxSession(DataSource database, Connection connection, boolean postgres) {
    this.database = database;
    this.connection = connection;
    this.postgres = postgres;
    this.most = postgres ? 10_000 : 100; // HSQLDB cannot bound the bytes of a result
    this.owner = !postgres;
  }

  static OutboxSession open(DataSource database) throws SQLException {
    Connection connection = database.getConnection();
    try {
      boolean postgres = Dialect.of(connection) == Dialect.POSTGRESQL;
      Sessions.prepare(connection, STATEMENT_TIMEOUT, STATEMENT_TIMEOUT);
      connection.setAutoCommit(true);
      if (postgres) {
        try (Statement statement = connection.createStatement()) {
          // Otherwise it sorts the backlog for each batch if the table was empty when analysed.
          statement.execute(
              "set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off");
        }
      }
      return new OutboxSession(database, connection, postgres);
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Whether it hands over. */
  boolean isOwner() {
    return owner;
  }

  /** Becomes the owner if no session is. The owner is woken by notifications. */
  void own() throws SQLException {
    if (!owner) {
      PreparedStatement own = prepare(OWN);
      own.setInt(1, LOCK);
      try (ResultSet row = own.executeQuery()) {
        owner = row.next() && row.getBoolean(1);
      }
      if (owner) { // nobody else reads its notifications, and the driver keeps them all
        prepare("listen forebay_outbox").execute();
      }
    }
  }

  /** The transactions that have written to the table; never none where that is not known. */
  Set<String> openTransactions() throws SQLException {
    if (!postgres) {
      return Set.of("unknown");
    }
    Set<String> open = new HashSet<>();
    try (ResultSet rows = prepare(OPEN_TRANSACTIONS).executeQuery()) {
      while (rows.next()) {
        open.add(rows.getString(1));
      }
    }
    return open;
  }

  /**
   * @param oldest when the first row was inserted, or null if there is none
   * @param all whether there were no further rows
   */
  record Rows(List<OutboxRow> rows, @Nullable Instant oldest, boolean all) {}

  /** Reads the next rows of these services behind an id, in the order of their ids. */
  Rows read(long after, String[] services) throws SQLException {
    if (services.length == 0) {
      return new Rows(List.of(), null, true);
    }
    String rows = ROWS.formatted(postgres ? "= any (?)" : "in (unnest(?))", most);
    PreparedStatement select = prepare(postgres ? BOUNDED_ROWS.formatted(rows, MOST_BYTES) : rows);
    select.setLong(1, after);
    select.setArray(2, connection.createArrayOf("varchar", services));
    List<OutboxRow> read = new ArrayList<>();
    Instant oldest = null;
    long bytes = 0;
    try (ResultSet row = select.executeQuery()) {
      while (row.next()) {
        if (read.isEmpty()) {
          oldest = row.getObject(5, OffsetDateTime.class).toInstant();
        }
        byte[] message = row.getBytes(4);
        bytes += message.length;
        read.add(new OutboxRow(row.getLong(1), row.getString(2), row.getInt(3), message));
      }
    }
    return new Rows(read, oldest, read.size() < most && bytes < MOST_BYTES);
  }

  void delete(List<Long> ids) throws SQLException {
    PreparedStatement delete =
        prepare(
            "delete from forebay_outbox where id " + (postgres ? "= any (?)" : "in (unnest(?))"));
    delete.setArray(1, connection.createArrayOf("bigint", ids.toArray(Long[]::new)));
    delete.executeUpdate();
  }

  /** Whether another process has woken it since the last call; sends no query. */
  boolean isWoken() throws SQLException {
    if (!postgres) {
      return false;
    }
    PGNotification[] notifications = connection.unwrap(PGConnection.class).getNotifications();
    return notifications != null && notifications.length > 0;
  }

  /** Wakes the owner in another process. */
  void wakeOwner() throws SQLException {
    prepare("select pg_notify('forebay_outbox', '')").execute();
  }

  private PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    return statement;
  }

  /** Ends the session, whose lock and settings must not return to a pool. */
  @Override
  public void close() {
    Pools.end(database, connection);
  }
}
