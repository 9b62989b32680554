/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.schedules;

import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The runs of schedules whose process died or shut down, and those that are not complete, also
 * before the last run. Thread-safe.
 *
 * @param recovers whether executions of dead processes are recovered automatically
 */
record InterruptedRuns(JdbcClient client, JobOperations jobs, boolean recovers) {

  /** How often a run is restarted because its process died. */
  static final int MOST_RESTARTS = 3;

  private static final int SHOWN_DAYS = 7;
  private static final int MOST_SHOWN = 20;

  /** Only the newest executions of all jobs are searched: this is asked every second. */
  private static final int NEWEST = 1_000;

  /** Whether the execution {@code e} belongs to a run of the schedule with the given name. */
  private static final String OF_SCHEDULE =
      " and exists (select 1 from forebay.batch_job_execution o where"
          + " o.job_instance_id = e.job_instance_id and (exists (select 1 from forebay.job_owner w"
          + " where w.job_execution_id = o.job_execution_id and w.started_by = ?)"
          + " or o.job_execution_id = (select s.execution from forebay.job_schedule s"
          + " where s.name = ?)))";

  private static final String AMONG_NEWEST =
      " e.job_execution_id > (select max(job_execution_id) - "
          + NEWEST
          + " from forebay.batch_job_execution)";

  private static final String TIMES_RECOVERED =
      "(select count(*) from forebay.batch_job_execution r where"
          + " r.job_instance_id = e.job_instance_id and r.exit_message like 'Recovered: %')";

  private static final String WAS_INTERRUPTED =
      " exists (select 1 from forebay.batch_job_execution r where"
          + " r.job_instance_id = e.job_instance_id"
          + " and (r.exit_message like 'Recovered: %' or r.exit_message like 'Shutdown: %'))";

  private static final String IS_NEWEST =
      " and not exists (select 1 from forebay.batch_job_execution l where"
          + " l.job_instance_id = e.job_instance_id and l.job_execution_id > e.job_execution_id)";

  /** With the most restarts as its parameter. */
  private static final String IS_TO_BE_RESTARTED =
      " (e.status = 'FAILED' and coalesce(e.exit_message, '') like 'Recovered: %'"
          + " or e.status in ('FAILED', 'STOPPED')"
          + " and coalesce(e.exit_message, '') like 'Shutdown: %')"
          + " and e.end_time > localtimestamp - interval '1' day and "
          + TIMES_RECOVERED
          + " <= ?";

  private static final String IS_OPEN =
      " e.status in ('STARTING', 'STARTED', 'STOPPING', 'UNKNOWN')";

  /**
   * An execution that a live process took over from a dead one, that a shutdown stopped, or that
   * continues such a run.
   *
   * @param isOpen whether it has not ended; if it has, it is to be restarted
   */
  record TakenOver(long execution, boolean isOpen) {}

  /**
   * The newest executions of runs of the schedule that failed or were stopped within the last
   * {@value #SHOWN_DAYS} days and that nobody restarts automatically; at most {@value #MOST_SHOWN},
   * the oldest first.
   */
  List<Long> incomplete(Schedule schedule) {
    return client
        .sql(
            "select e.job_execution_id from forebay.batch_job_execution e"
                + " where e.status in ('FAILED', 'STOPPED') and e.end_time > localtimestamp - interval '"
                + SHOWN_DAYS
                + "' day"
                + IS_NEWEST
                + OF_SCHEDULE
                + " and not ("
                + IS_TO_BE_RESTARTED
                + ") order by e.job_execution_id fetch first "
                + MOST_SHOWN
                + " rows only")
        .params(schedule.starter(), schedule.name(), MOST_RESTARTS)
        .query((found, _) -> found.getLong(1))
        .list();
  }

  /**
   * The executions of the schedule whose process died or shut down, and that are or will be
   * continued automatically.
   */
  List<Long> continued(Schedule schedule) {
    // In this order: a run of a dead process may be taken over between the two.
    List<Long> dead = dead(schedule);
    return Stream.concat(dead.stream(), takenOver(schedule).stream().map(TakenOver::execution))
        .distinct()
        .toList();
  }

  /** Whether the process of a run of the schedule is dead, and the run will be recovered. */
  boolean isAnyDead(Schedule schedule) {
    return !dead(schedule).isEmpty();
  }

  private List<Long> dead(Schedule schedule) {
    return recovers
        ? client
            .sql(
                "select e.job_execution_id from forebay.batch_job_execution e where"
                    + AMONG_NEWEST
                    + " and"
                    + IS_OPEN
                    + OF_SCHEDULE)
            .params(schedule.starter(), schedule.name())
            .query((found, _) -> found.getLong(1))
            .list()
            .stream()
            .filter(this::isDead)
            .toList()
        : List.of();
  }

  private boolean isDead(long execution) {
    return jobs.execution(execution).map(JobExecutionView::mayRecover).orElse(false);
  }

  /**
   * The executions of the schedule that are being recovered, were restarted after that or after a
   * shutdown, or were recovered or stopped by a shutdown within the last day and are to be
   * restarted; the oldest first. One statement finds all of them, so that none is missed that
   * passes from one to the next.
   */
  List<TakenOver> takenOver(Schedule schedule) {
    return client
        .sql(
            "select e.job_execution_id,"
                + IS_OPEN
                + " from forebay.batch_job_execution e where"
                + AMONG_NEWEST
                + OF_SCHEDULE
                + " and ("
                + IS_OPEN
                + " and (exists (select 1 from forebay.job_owner t where"
                + " t.job_execution_id = e.job_execution_id and t.ran_by is not null) or"
                + WAS_INTERRUPTED
                + ") or "
                + IS_TO_BE_RESTARTED
                + IS_NEWEST
                + ") order by e.job_execution_id")
        .params(schedule.starter(), schedule.name(), MOST_RESTARTS)
        .query((found, _) -> new TakenOver(found.getLong(1), found.getBoolean(2)))
        .list();
  }
}
