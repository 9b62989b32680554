/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.schedules;

import io.forebay.operations.jobs.JobScheduleView;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What all processes know about the schedules. Thread-safe. */
record ScheduleTable(JdbcClient client) {

  /**
   * @param handledUntil due times up to this one are started or skipped
   * @param due the due time of the last run
   * @param claimed the due time of a run whose execution is not recorded yet
   * @param execution the newest execution of the last run
   */
  record Row(
      Instant handledUntil,
      @Nullable Instant due,
      @Nullable Instant claimed,
      @Nullable Long execution,
      String problem,
      boolean paused,
      String changedBy,
      String reason) {}

  /** The row of a schedule; if there is none, inserts one that begins now. */
  Row enter(String name, Instant now) {
    Optional<Row> row = row(name);
    if (row.isEmpty()) {
      try {
        client
            .sql(
                "insert into forebay.job_schedule (name, handled_until, restarts, problem, paused,"
                    + " changed_by, reason) values (?, ?, 0, '', false, '', '')")
            .params(name, time(now))
            .update();
      } catch (DuplicateKeyException _) {
        // another process inserted it
      }
      row = row(name);
    }
    return row.orElseThrow();
  }

  private Optional<Row> row(String name) {
    return client
        .sql(
            "select s.handled_until, s.due_at, s.problem, s.paused, s.changed_by, s.reason,"
                + " (select max(m.job_execution_id) from forebay.batch_job_execution m"
                + "  join forebay.batch_job_execution e on e.job_instance_id = m.job_instance_id"
                + "  where e.job_execution_id = s.execution), s.execution"
                + " from forebay.job_schedule s where s.name = ?")
        .param(name)
        .query((found, _) -> row(found))
        .optional();
  }

  private Row row(ResultSet found) throws SQLException {
    OffsetDateTime due = found.getObject(2, OffsetDateTime.class);
    boolean isOpen = found.getObject(8) == null && found.getString(3).isEmpty();
    return new Row(
        found.getObject(1, OffsetDateTime.class).toInstant(),
        due == null ? null : due.toInstant(),
        due == null || !isOpen ? null : due.toInstant(),
        found.getObject(7, Long.class),
        found.getString(3),
        found.getBoolean(4),
        found.getString(5),
        found.getString(6));
  }

  /** Claims a due time; returns false if another process was faster. */
  boolean claim(String name, Row row, Instant due) {
    return client
            .sql(
                "update forebay.job_schedule set handled_until = ?, due_at = ?, execution = null,"
                    + " problem = '' where name = ? and handled_until = ?")
            .params(time(due), time(due), name, time(row.handledUntil()))
            .update()
        > 0;
  }

  /** Records the execution of a claimed due time, and which due times have none. */
  void started(String name, Instant due, long execution, String problem) {
    client
        .sql(
            "update forebay.job_schedule set execution = ?, problem = ?"
                + " where name = ? and due_at = ? and execution is null")
        .params(execution, problem, name, time(due))
        .update();
  }

  /** Records that due times up to now were missed. */
  void missed(String name, Row row, Instant now, String problem) {
    client
        .sql(
            "update forebay.job_schedule set handled_until = ?, due_at = ?, execution = 0,"
                + " problem = ? where name = ? and handled_until = ?")
        .params(time(now), time(now), problem, name, time(row.handledUntil()))
        .update();
  }

  /** Records a run that an operator started, unless a claimed run has no execution yet. */
  void ran(String name, Instant at, long execution) {
    client
        .sql(
            "update forebay.job_schedule set due_at = ?, execution = ?, problem = ''"
                + " where name = ? and (due_at is null or execution is not null or problem <> '')")
        .params(time(at), execution, name)
        .update();
  }

  /** Skips the due times up to a time; the last run stays. */
  void skipped(String name, Row row, Instant until) {
    client
        .sql(
            "update forebay.job_schedule set handled_until = ? where name = ? and handled_until = ?")
        .params(time(until), name, time(row.handledUntil()))
        .update();
  }

  /**
   * Pauses or resumes it.
   *
   * @param seen changes it only if nobody did since; null for any state
   * @return whether it was changed
   */
  boolean pause(
      String name,
      @Nullable JobScheduleView seen,
      boolean paused,
      Instant now,
      String by,
      String reason) {
    JdbcClient.StatementSpec update =
        client
            .sql(
                "update forebay.job_schedule set paused = ?, changed_by = ?, reason = ?,"
                    + " handled_until = case when handled_until < ? then ? else handled_until end"
                    + " where name = ?"
                    + (seen == null ? "" : " and paused = ? and changed_by = ? and reason = ?"))
            .params(paused, by, reason, time(now), time(now), name);
    if (seen != null) {
      update.params(seen.paused(), seen.changedBy(), seen.reason());
    }
    return update.update() > 0;
  }

  private static OffsetDateTime time(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
