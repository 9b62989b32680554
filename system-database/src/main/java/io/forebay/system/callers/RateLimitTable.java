/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system.callers;

import io.forebay.operations.callers.RateLimit;
import io.forebay.operations.callers.RateLimits;
import io.forebay.system.SystemDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.dao.DuplicateKeyException;

/**
 * Stores limits of callers in the system database. Each statement is a transaction. Thread-safe.
 */
public final class RateLimitTable implements RateLimits {

  private static final Duration KEPT = Duration.ofDays(1);

  private final SystemDatabase database;

  public RateLimitTable(SystemDatabase database) {
    this.database = database;
  }

  @Override
  public List<RateLimit> all() {
    return database.ask(ask ->
        ask.sql(
                "select caller, per_second, reason, changed_by, changed_at, ends_at"
                    + " from forebay.caller_limit order by caller")
            .query((row, _) -> limit(row))
            .list());
  }

  private static RateLimit limit(ResultSet row) throws SQLException {
    return new RateLimit(
        row.getString(1),
        row.getInt(2),
        row.getString(3),
        row.getString(4),
        row.getObject(5, OffsetDateTime.class).toInstant(),
        row.getObject(6, OffsetDateTime.class).toInstant());
  }

  @Override
  public void put(RateLimit limit) {
    deleteEnded(limit.at());
    if (!update(limit)) {
      try {
        insert(limit);
      } catch (DuplicateKeyException _) {
        update(limit); // another operator inserted one meanwhile
      }
    }
  }

  private boolean update(RateLimit limit) {
    return database.command(ask ->
        ask.sql(
                "update forebay.caller_limit set per_second = ?, reason = ?, changed_by = ?,"
                    + " changed_at = ?, ends_at = ? where caller = ?")
            .params(values(limit))
            .update())
        == 1;
  }

  private void insert(RateLimit limit) {
    database.command(ask ->
        ask.sql(
                "insert into forebay.caller_limit"
                    + " (per_second, reason, changed_by, changed_at, ends_at, caller)"
                    + " values (?, ?, ?, ?, ?, ?)")
            .params(values(limit))
            .update());
  }

  private static List<Object> values(RateLimit limit) {
    return List.of(
        limit.perSecond(),
        limit.reason(),
        limit.by(),
        time(limit.at()),
        time(limit.until()),
        limit.caller());
  }

  /** Deletes limits of any caller that ended long ago, by any clock. */
  private void deleteEnded(Instant now) {
    database.command(ask ->
        ask.sql("delete from forebay.caller_limit where ends_at < ?")
            .param(time(now.minus(KEPT)))
            .update());
  }

  @Override
  public void remove(String caller) {
    database.command(
        ask -> ask.sql("delete from forebay.caller_limit where caller = ?").param(caller).update());
  }

  private static OffsetDateTime time(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
