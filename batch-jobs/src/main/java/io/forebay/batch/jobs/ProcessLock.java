/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;

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
    try {
      if (!isHeldHere()) {
        close();
        Connection opened = database.getConnection();
        session = opened;
        query(opened, SETTINGS.formatted(patience.toMillis()));
        query(opened, TAKE, LOCKS, process.hashCode());
        heldSince = System.nanoTime();
      }
    } catch (SQLException e) {
      close();
      throw new SQLExceptionSubclassTranslator().translate("lock of this process", null, e);
    }
  }

  private boolean isHeldHere() {
    try {
      return session != null && isHeld(session, HELD_HERE, process);
    } catch (SQLException e) {
      log.warn(
          "the session of this process's lock ended (SQLState {}); the lock is taken again",
          e.getSQLState());
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
    try {
      return session != null && isHeld(session, HELD, other);
    } catch (SQLException e) {
      close();
      throw new SQLExceptionSubclassTranslator().translate("locks of processes", null, e);
    }
  }

  private static boolean isHeld(Connection session, String sql, String process)
      throws SQLException {
    return query(session, sql, LOCKS, process.hashCode());
  }

  /** Returns whether there is a row. */
  private static boolean query(Connection session, String sql, int... parameters)
      throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setInt(i + 1, parameters[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  /** Ends the session and releases the lock. */
  @Override
  public synchronized void close() {
    if (session != null) {
      try (Connection ended = session) {
        ended.abort(Runnable::run); // its settings do not suit other users of the pool
      } catch (SQLException _) {
        // the server has ended it
      }
      session = null;
    }
  }
}
