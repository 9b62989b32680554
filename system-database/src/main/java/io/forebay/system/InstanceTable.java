/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.machine.Machine;
import io.forebay.operations.Instances;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Stores the summaries of instances in the system database, with times of its clock. Thread-safe.
 */
final class InstanceTable implements Instances {

  private final SystemDatabase database;

  InstanceTable(SystemDatabase database) {
    this.database = database;
  }

  @Override
  public boolean isShared() {
    return database.isShared();
  }

  @Override
  public void tell(String instance, String summary) {
    if (summary.length() > MAX_SUMMARY) {
      throw new IllegalArgumentException(
          "summary too long (characters=%d, limit=%d)".formatted(summary.length(), MAX_SUMMARY));
    }
    if (update(instance, summary) == 0) {
      insert(instance, summary);
    }
  }

  private int update(String instance, String summary) {
    return database.ask(ask ->
        ask.sql("update forebay.instance set seen_at = current_timestamp, summary = ? where id = ?")
            .params(summary, instance)
            .update());
  }

  private void insert(String instance, String summary) {
    try {
      database.ask(ask ->
          ask.sql(
                  "insert into forebay.instance (id, seen_at, summary)"
                      + " values (?, current_timestamp, ?)")
              .params(instance, summary)
              .update());
    } catch (DataIntegrityViolationException _) {
      update(instance, summary); // another process of that name has just inserted the row
    }
  }

  @Override
  public List<Seen> seenWithin(Duration time) {
    return database
        .ask(ask ->
            ask.sql(
                    "select id, seen_at, current_timestamp, summary from forebay.instance order by"
                        + " id")
                .query((row, _) -> seen(row))
                .list())
        .stream()
        .filter(seen -> seen.age().compareTo(time) <= 0)
        .toList();
  }

  private static Seen seen(ResultSet row) throws SQLException {
    Instant at = row.getObject(2, OffsetDateTime.class).toInstant();
    Instant now = row.getObject(3, OffsetDateTime.class).toInstant();
    return new Seen(row.getString(1), Duration.between(at, now), row.getString(4));
  }

  @Override
  public void leave(String instance) {
    database.ask(
        ask -> ask.sql("delete from forebay.instance where id = ?").param(instance).update());
  }

  @Override
  public int forget(Duration unseenFor) {
    return database.ask(ask -> {
      OffsetDateTime now =
          ask.sql("select current_timestamp from forebay.instance fetch first 1 rows only")
              .query((row, _) -> row.getObject(1, OffsetDateTime.class))
              .optional()
              .orElse(Machine.now().atOffset(ZoneOffset.UTC));
      return ask.sql("delete from forebay.instance where seen_at < ?")
          .param(now.minus(unseenFor))
          .update();
    });
  }
}
