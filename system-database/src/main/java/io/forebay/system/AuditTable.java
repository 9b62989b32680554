/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.Audit;
import io.forebay.text.Formats;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;

/** The audit in the system database. Thread-safe. */
final class AuditTable implements Audit, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(AuditTable.class);
  private static final Duration BEFORE_THE_FIRST_DELETION = Duration.ofMinutes(1);

  /** The maximum number of entries deleted in one transaction. */
  private static final int DELETED_AT_ONCE = 10_000;

  /** Of the newest entries only, so that a search that finds few does not read the whole table. */
  private static final String COMMANDS =
      " and (outcome like 'allowed%' or outcome like 'failed: %' or outcome like 'refused:"
          + " already%' or action = 'failures.replay.result') and action not like 'session.%' and"
          + " action not like '%.values' and action <> 'user.password' and action not like"
          + " 'audit.%' and id > (select coalesce(max(id), 0) from forebay.audit) - 10000";

  private static final String SELECT =
      "select id, " + AuditRow.COLUMNS + " from forebay.audit where ";

  private final SystemDatabase database;
  private final InstantSource clock;
  private final Duration kept;
  private final BackgroundTask retention =
      new BackgroundTask(
          "forebay-audit-retention",
          Duration.ofHours(1),
          new Outage(log, "Deletion of expired audit entries", "it is retried every hour"),
          this::deleteExpired);

  AuditTable(SystemDatabase database, Duration kept, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.kept = kept;
  }

  /** Starts to delete expired entries. */
  void start() {
    retention.start(BEFORE_THE_FIRST_DELETION);
  }

  private void deleteExpired() {
    long deleted = deleteBefore(clock.instant().minus(kept));
    if (deleted > 0) {
      log.info(
          "Audit entries deleted: {} entries were older than {}", deleted, Formats.duration(kept));
    }
  }

  @Override
  public void close() {
    retention.close(Duration.ZERO);
  }

  @Override
  public void record(Entry entry) {
    AuditRow row = AuditRow.of(clock.instant(), entry);
    KeyHolder key = new GeneratedKeyHolder();
    database.command(ask ->
        ask.sql(
                "insert into forebay.audit ("
                    + AuditRow.COLUMNS
                    + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .param(time(row.at()))
            .params(row.texts())
            .param(row.entry().change().lines())
            .update(key, "id"));
    AuditLog.write(row, Objects.requireNonNull(key.getKey()).longValue());
  }

  @Override
  public List<Recorded> before(long before, int limit, Filter filter) {
    List<Object> parameters = new ArrayList<>(List.of(before));
    String where = "";
    if (filter.actor() != null) {
      where += " and actor = ?";
      parameters.add(filter.actor());
    }
    if (filter.action() != null) {
      where += " and substring(action from 1 for " + filter.action().length() + ") = ?";
      parameters.add(filter.action());
    }
    if (filter.commands()) {
      where += COMMANDS;
    }
    String sql =
        SELECT + "id < ?" + where + " order by id desc fetch first " + limit + " rows only";
    return database.ask(
        ask -> ask.sql(sql).params(parameters).query((row, _) -> recorded(row)).list());
  }

  /** Deletes entries older than this time and returns their number. */
  long deleteBefore(Instant time) {
    long first = end("min", time);
    long last = end("max", time);
    long deleted = 0;
    for (long from = first; from <= last; from += DELETED_AT_ONCE) {
      long to = from + DELETED_AT_ONCE;
      deleted +=
          database.ask(ask ->
              ask.sql("delete from forebay.audit where id < ? and created_at < ?")
                  .param(to)
                  .param(time(time))
                  .update());
    }
    return deleted;
  }

  /** The first or last id of the entries before a time; ids start at 1. */
  private long end(String which, Instant time) {
    String none = which.equals("min") ? "1" : "0";
    return database.ask(ask ->
        ask.sql(
                "select coalesce("
                    + which
                    + "(id), "
                    + none
                    + ") from forebay.audit where created_at < ?")
            .param(time(time))
            .query((row, _) -> row.getLong(1))
            .single());
  }

  private static OffsetDateTime time(Instant instant) {
    return OffsetDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  private static Recorded recorded(ResultSet row) throws SQLException {
    AuditRow read = AuditRow.read(row);
    return new Recorded(row.getLong("id"), read.at(), read.entry());
  }
}
