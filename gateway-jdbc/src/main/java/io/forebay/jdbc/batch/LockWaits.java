/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.Dialect;
import io.forebay.jdbc.ledger.GatewayDatabase;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.machine.Machine;
import io.forebay.operations.LockHolder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which session of PostgreSQL holds the lock for which a partition of a gateway waits. It asks the
 * database, on another connection and thread, only while a batch takes longer than a second and
 * somebody looks. Thread-safe.
 */
public final class LockWaits {

  private static final Logger log = LoggerFactory.getLogger(LockWaits.class);
  private static final Duration LONG = Duration.ofSeconds(1);

  /** A partition without a session makes no attempt any more, for example because it is paused. */
  private static final Duration GIVEN_UP = Duration.ofSeconds(20);

  /** No row if the session has ended; null columns if it waits for no lock. */
  private static final String HOLDER =
      """
      select b.pid, b.application_name, b.usename, b.xact_start
      from pg_stat_activity w
      left join lateral (
        select * from pg_stat_activity
        where pid = any(pg_blocking_pids(w.pid)) order by xact_start nulls last limit 1) b on true
      where w.pid = ?\
      """;

  private final GatewayDatabase database;
  private final Map<Integer, Work> works = new ConcurrentHashMap<>();
  private final AtomicBoolean asks = new AtomicBoolean();

  /**
   * A batch that is not committed yet.
   *
   * @param session of the last attempt
   * @param attemptNanos when it began
   * @param holder null if none is known
   */
  private record Work(
      int session, long attemptNanos, long sinceNanos, Instant since, @Nullable LockHolder holder) {

    Work heldBy(@Nullable LockHolder other) {
      return new Work(session, attemptNanos, sinceNanos, since, other);
    }

    boolean isGivenUp() {
      return Machine.nanos() - attemptNanos > GIVEN_UP.toNanos();
    }

    boolean isLong() {
      return Machine.nanos() - sinceNanos > LONG.toNanos();
    }
  }

  public LockWaits(GatewayDatabase database) {
    this.database = database;
  }

  /** A partition attempts its next batch, perhaps once more. */
  void begins(int partition, DatabaseSession session) throws SQLException {
    if (session.dialect() != Dialect.POSTGRESQL) {
      return;
    }
    int id = session.connection().unwrap(PGConnection.class).getBackendPID();
    long nanos = Machine.nanos();
    works.compute(
        partition,
        (_, before) ->
            before == null
                ? new Work(id, nanos, nanos, Machine.now(), null)
                : new Work(id, nanos, before.sinceNanos, before.since, before.holder));
  }

  void committed(int partition) {
    works.remove(partition);
  }

  /** The session for which a partition has waited longest, as of the look before. */
  public Optional<LockHolder> holder() {
    if (works.values().stream().anyMatch(Work::isLong) && asks.compareAndSet(false, true)) {
      Machine.thread("forebay-lock-holder").start(this::ask);
    }
    return works.values().stream()
        .filter(it -> it.holder != null)
        .min(Comparator.comparing(Work::sinceNanos))
        .map(Work::holder);
  }

  private void ask() {
    try (Connection connection = database.connect();
        PreparedStatement statement = connection.prepareStatement(HOLDER)) {
      for (Map.Entry<Integer, Work> entry : works.entrySet()) {
        if (entry.getValue().isLong()) {
          ask(statement, entry.getKey(), entry.getValue());
        }
      }
    } catch (SQLException | RuntimeException e) {
      log.debug("The session that holds a lock cannot be found", e);
    } finally {
      asks.set(false);
    }
  }

  /** Between two attempts, the last answer holds. */
  private void ask(PreparedStatement statement, int partition, Work work) throws SQLException {
    statement.setInt(1, work.session);
    try (ResultSet row = statement.executeQuery()) {
      if (row.next()) {
        works.replace(partition, work, work.heldBy(holder(row, work.since)));
      } else if (work.isGivenUp()) {
        works.remove(partition, work);
      }
    }
  }

  private static @Nullable LockHolder holder(ResultSet row, Instant waits) throws SQLException {
    long session = row.getLong(1);
    if (row.wasNull()) {
      return null;
    }
    Timestamp since = row.getTimestamp(4);
    return new LockHolder(
        session,
        Optional.ofNullable(row.getString(2)).orElse(""),
        Optional.ofNullable(row.getString(3)).orElse(""),
        since == null ? null : since.toInstant(),
        waits);
  }
}
