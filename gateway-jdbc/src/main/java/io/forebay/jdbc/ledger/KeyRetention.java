/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Decides which idempotency keys of a partition may be deleted: those that have expired and have no
 * duplicate waiting in the queue.
 *
 * <p>Keys age with the running time of the gateway, measured by {@link System#nanoTime()} and
 * stored in the progress row. Jumps of the wall clock do not affect it, and keys do not age while
 * the gateway is stopped.
 *
 * <p>To exclude waiting duplicates, the end of the queue is recorded every hour. Once everything
 * before it is performed, keys that had expired when it was recorded may be deleted. For one
 * thread.
 */
public final class KeyRetention {

  private static final Duration SAVE_EVERY = Duration.ofMinutes(1);

  private final GatewaySettings settings;
  private final int partition;
  private @Nullable Instant start;
  private long startNanos;
  private Instant saved = Instant.MIN;
  private Instant hour = Instant.MIN;
  private @Nullable Instant noted;
  private long notedEnd;

  public KeyRetention(GatewaySettings settings, int partition) {
    this.settings = settings;
    this.partition = partition;
  }

  /** The time to store with keys used now. */
  public Instant now(DatabaseSession session) throws SQLException {
    if (start == null) {
      Instant kept = read(session);
      startNanos = settings.clock().nanos().getAsLong();
      start = kept == null ? settings.clock().wall().instant() : kept;
      hour = start.truncatedTo(ChronoUnit.HOURS);
    }
    long passed = settings.clock().nanos().getAsLong() - startNanos;
    return start.plusNanos(passed).truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * Call in each transaction.
   *
   * @param now as {@link #now} returned it
   * @param to the position after the last message of the batch
   * @return the time before which keys may be deleted; null if none may be deleted now
   */
  @Nullable
  public Instant passed(DatabaseSession session, Instant now, long to) throws SQLException {
    if (Duration.between(saved, now).compareTo(SAVE_EVERY) >= 0) {
      save(session, now);
      saved = now;
    }
    Instant thisHour = now.truncatedTo(ChronoUnit.HOURS);
    if (noted == null && thisHour.isAfter(hour)) {
      OptionalLong end = settings.queueEnd().apply(partition);
      if (end.isPresent()) {
        noted = now;
        notedEnd = end.getAsLong();
        hour = thisHour;
      }
    }
    if (noted == null || to < notedEnd) {
      return null;
    }
    Instant passed = noted;
    noted = null;
    return passed;
  }

  /** That time or the wall clock's, whichever is earlier: for what bears the wall clock's time. */
  public Instant earlier(Instant time) {
    Instant wall = settings.clock().wall().instant();
    return wall.isBefore(time) ? wall : time;
  }

  private @Nullable Instant read(DatabaseSession session) throws SQLException {
    try (ResultSet row =
        session.query(
            "select key_clock from forebay.progress where service = ? and partition_id = ?",
            settings.service(),
            partition)) {
      OffsetDateTime time = row.next() ? row.getObject(1, OffsetDateTime.class) : null;
      return time == null ? null : time.toInstant();
    }
  }

  private void save(DatabaseSession session, Instant now) throws SQLException {
    session.update(
        "update forebay.progress set key_clock = ? where service = ? and partition_id = ?",
        now.atOffset(ZoneOffset.UTC),
        settings.service(),
        partition);
  }
}
