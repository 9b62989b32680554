/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.database.Pools;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Tells which processes are alive. Each process holds an advisory lock of PostgreSQL in a session
 * that it uses for nothing else. The server releases the lock when that session ends: at once if
 * the process is killed, and after {@code patience} without a query if it hangs or its host is
 * gone. An embedded database belongs to one process, so all others are dead. Thread-safe.
 *
 * <p>The lock says only who should be taken over. {@link Owners} rolls back what a process writes
 * after it was taken over, even if it is alive.
 */
final class ProcessLock implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ProcessLock.class);

  /**
   * The first half of the number of each lock; the second half is the hash of the process's name.
   */
  private static final int LOCKS = 0x666f7265;

  /** PostgreSQL 13 has no time-out of idle sessions; there, keepalives find a dead host only. */
  private static final String SETTINGS =
      "select set_config(s.name, v.value, false) from pg_settings s join (values"
          + " ('idle_session_timeout', '%dms'), ('tcp_keepalives_idle', '10'),"
          + " ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'))"
          + " v (name, value) on v.name = s.name";

  private static final String TAKE = "select pg_advisory_lock_shared(?, ?)";
  private static final String HELD =
      "select 1 from pg_locks where locktype = 'advisory' and database ="
          + " (select oid from pg_database where datname = current_database())"
          + " and classid = cast(cast(? as integer) as oid)"
          + " and objid = cast(cast(? as integer) as oid)";
  private static final String HELD_HERE = HELD + " and pid = pg_backend_pid()";

  private final DataSource database;
  private final String process;
  private final boolean shared;
  private final Duration patience;
  private @Nullable Connection session;
  private long heldSince;

  /**
   * @param database connections that nobody else uses, and that answer or fail well within the
   *     patience
   * @param process names this process, and no other before or after it
   * @param shared whether other processes may use the database
   * @param patience how long a process may hang
   */
  ProcessLock(DataSource database, String process, boolean shared, Duration patience) {
    this.database = database;
    this.process = process;
    this.shared = shared;
    this.patience = patience;
  }

  String process() {
    return process;
  }

  /** Whether other processes may use the database, which then is a PostgreSQL. */
  boolean isShared() {
    return shared;
  }

  /** How long a process may hang. */
  Duration patience() {
    return patience;
  }

  /** Takes the lock, or takes it again if its session was lost. Call it often. */
  synchronized void hold() {
    if (!shared) {
      return;
    }
    if (!isHeldHere()) {
      close();
      Connection opened = open();
      session = opened;
      query(opened, SETTINGS.formatted(patience.toMillis()));
      query(opened, TAKE, LOCKS, process.hashCode());
      heldSince = System.nanoTime();
    }
  }

  private Connection open() {
    try {
      return database.getConnection();
    } catch (SQLException e) {
      throw new CannotGetJdbcConnectionException("lock of this process", e);
    }
  }

  private boolean isHeldHere() {
    try {
      return session != null && query(session, HELD_HERE, LOCKS, process.hashCode());
    } catch (DataAccessException e) {
      log.warn(
          "the session of this process's lock ended ({}); the lock is taken again",
          FailureText.cause(e));
      return false;
    }
  }

  /**
   * Whether another process may be alive. It counts as alive until this process itself has held its
   * lock for the patience: after an outage of the database all processes take their locks again.
   */
  synchronized boolean isAlive(String other) {
    if (!shared) {
      return false;
    }
    hold();
    if (System.nanoTime() - heldSince < patience.toNanos()) {
      return true;
    }
    return session != null && query(session, HELD, LOCKS, other.hashCode());
  }

  /** Returns whether there is a row. */
  private static boolean query(Connection session, String sql, Object... parameters) {
    return !JdbcClient.create(new SingleConnectionDataSource(session, true))
        .sql(sql)
        .params(parameters)
        .query()
        .listOfRows()
        .isEmpty();
  }

  /** Ends the session and releases the lock. */
  @Override
  public synchronized void close() {
    if (session != null) {
      Pools.end(database, session);
      session = null;
    }
  }
}
