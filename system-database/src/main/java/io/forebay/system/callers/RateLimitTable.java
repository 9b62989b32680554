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
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
    OffsetDateTime until = row.getObject(6, OffsetDateTime.class);
    return new RateLimit(
        row.getString(1),
        row.getInt(2),
        row.getString(3),
        row.getString(4),
        row.getObject(5, OffsetDateTime.class).toInstant(),
        until == null ? null : until.toInstant());
  }

  @Override
  public boolean put(RateLimit limit, @Nullable Instant replaces) {
    List<@Nullable Object> values =
        Arrays.asList(
            limit.perSecond(),
            limit.reason(),
            limit.by(),
            time(limit.at()),
            time(limit.until()),
            limit.caller());
    int updated =
        database.command(ask ->
            ask.sql(
                    "update forebay.caller_limit set per_second = ?, reason = ?, changed_by = ?,"
                        + " changed_at = ?, ends_at = ? where caller = ?"
                        + " and (changed_at = ? or ends_at <= ?)")
                .params(values)
                .param(time(replaces == null ? Instant.EPOCH : replaces))
                .param(time(limit.at()))
                .update());
    if (updated == 1) {
      return true;
    }
    if (replaces != null) {
      return false;
    }
    deleteEnded(limit.at());
    try {
      database.command(ask ->
          ask.sql(
                  "insert into forebay.caller_limit"
                      + " (per_second, reason, changed_by, changed_at, ends_at, caller)"
                      + " values (?, ?, ?, ?, ?, ?)")
              .params(values)
              .update());
      return true;
    } catch (DuplicateKeyException _) {
      return false; // the caller has another limit
    }
  }

  /** Those of any caller that ended long ago, by any clock. */
  private void deleteEnded(Instant now) {
    database.command(ask ->
        ask.sql("delete from forebay.caller_limit where ends_at < ?")
            .param(time(now.minus(KEPT)))
            .update());
  }

  @Override
  public boolean remove(String caller, Instant at) {
    return database.command(ask ->
        ask.sql("delete from forebay.caller_limit where caller = ? and changed_at = ?")
            .param(caller)
            .param(time(at))
            .update())
        == 1;
  }

  private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }
}
