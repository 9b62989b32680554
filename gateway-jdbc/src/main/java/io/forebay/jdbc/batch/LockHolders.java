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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which session of PostgreSQL holds the lock for which a partition of a gateway waits. While an
 * attempt takes longer than a second, {@link #holder} asks the database, on another connection and
 * thread. Thread-safe.
 */
public final class LockHolders {

  private static final Logger log = LoggerFactory.getLogger(LockHolders.class);
  private static final Duration LONG = Duration.ofSeconds(1);

  /** When to ask again if no holder was found, or the database did not respond. */
  private static final Duration PAUSE = Duration.ofSeconds(5);

  /** Longer than the time-out of a lock and the pause before the next attempt. */
  private static final Duration KEPT = Duration.ofSeconds(20);

  /**
   * Each transaction of a gateway locks a row of {@code forebay.progress}. Such a session is not
   * named, but the one for which it waits.
   */
  private static final String HOLDER =
      """
      with recursive own (pid) as (
        select pid from pg_locks
        where relation = 'forebay.progress'::regclass and mode like 'Row%' and pid is not null),
      blocker (pid) as (
        select unnest(pg_blocking_pids(?))
        union
        select unnest(pg_blocking_pids(pid)) from blocker where pid in (select pid from own))
      select pid, application_name, usename, xact_start,
        case when state like 'idle in transaction%' then state_change end, state is null
      from pg_stat_activity join blocker using (pid)
      where pid not in (select pid from own)
      order by xact_start nulls last limit 1\
      """;

  private final GatewayDatabase database;
  private final Map<Integer, Work> works = new ConcurrentHashMap<>();
  private final AtomicBoolean asks = new AtomicBoolean();
  private volatile long asksNextNanos = Machine.nanos();

  /**
   * A batch that is not committed yet.
   *
   * @param session of the present attempt; 0 between two attempts
   * @param begunNanos when that attempt began
   * @param holder as last found; null if there was none
   * @param foundNanos when it was found
   */
  private record Work(int session, long begunNanos, @Nullable LockHolder holder, long foundNanos) {

    Work in(int otherSession, long nanos) {
      return new Work(otherSession, nanos, holder, foundNanos);
    }

    Work heldBy(@Nullable LockHolder other) {
      return new Work(session, begunNanos, other, Machine.nanos());
    }

    boolean isLong() {
      return session != 0 && Machine.nanos() - begunNanos > LONG.toNanos();
    }

    Optional<LockHolder> present() {
      return Optional.ofNullable(holder)
          .filter(_ -> Machine.nanos() - foundNanos <= KEPT.toNanos());
    }
  }

  public LockHolders(GatewayDatabase database) {
    this.database = database;
  }

  /** A partition attempts its next batch, perhaps once more. */
  void begins(int partition, DatabaseSession session) {
    if (session.dialect() == Dialect.POSTGRESQL) {
      long nanos = Machine.nanos();
      works.compute(
          partition,
          (_, before) ->
              before == null
                  ? new Work(session.process(), nanos, null, nanos)
                  : before.in(session.process(), nanos));
    }
  }

  /**
   * An attempt failed, and its session may now serve others.
   *
   * @param forLock whether because of a lock: then the last answer holds until the next attempt
   */
  void failed(int partition, boolean forLock) {
    works.computeIfPresent(partition, (_, it) -> forLock ? it.in(0, it.begunNanos) : null);
  }

  /** A partition has committed its batch, or gives it up. */
  void ends(int partition) {
    works.remove(partition);
  }

  /** The session for which a partition has waited longest, as last found. */
  public Optional<LockHolder> holder() {
    if (works.values().stream().anyMatch(Work::isLong)
        && Machine.nanos() - asksNextNanos >= 0
        && asks.compareAndSet(false, true)) {
      Machine.thread("forebay-lock-holder").start(this::ask);
    }
    return works.values().stream()
        .flatMap(it -> it.present().stream())
        .min(Comparator.comparing(LockHolder::waits));
  }

  private void ask() {
    boolean found = false;
    try (Connection connection = database.connect();
        PreparedStatement statement = connection.prepareStatement(HOLDER)) {
      for (Map.Entry<Integer, Work> entry : works.entrySet()) {
        if (entry.getValue().isLong()) {
          found |= ask(statement, entry.getKey(), entry.getValue());
        }
      }
    } catch (SQLException | RuntimeException e) {
      log.debug("The session that holds a lock cannot be found", e);
    } finally {
      asksNextNanos = Machine.nanos() + (found ? LONG : PAUSE).toNanos();
      asks.set(false);
    }
  }

  /** Returns whether a session holds a lock. */
  private boolean ask(PreparedStatement statement, int partition, Work work) throws SQLException {
    statement.setInt(1, work.session);
    try (ResultSet row = statement.executeQuery()) {
      LockHolder holder = row.next() ? holder(row, work) : null;
      works.replace(partition, work, work.heldBy(holder));
      return holder != null;
    }
  }

  private static LockHolder holder(ResultSet row, Work work) throws SQLException {
    return new LockHolder(
        row.getLong(1),
        Objects.requireNonNullElse(row.getString(2), ""),
        Objects.requireNonNullElse(row.getString(3), ""),
        instant(row.getTimestamp(4)),
        instant(row.getTimestamp(5)),
        row.getBoolean(6),
        work.present().map(LockHolder::waits).orElseGet(Machine::now));
  }

  private static @Nullable Instant instant(@Nullable Timestamp time) {
    return time == null ? null : time.toInstant();
  }
}
