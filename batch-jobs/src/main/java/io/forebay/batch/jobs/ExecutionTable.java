/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The executions of a job; Spring Batch lists them by instance only. Thread-safe. */
record ExecutionTable(JdbcClient client) {

  /** The ids smaller than {@code before}, newest first. */
  List<Long> ids(String job, long before, int limit) {
    return client
        .sql(
            "select e.job_execution_id from forebay.batch_job_execution e"
                + " join forebay.batch_job_instance i on i.job_instance_id = e.job_instance_id"
                + " where i.job_name = ? and e.job_execution_id < ?"
                + " order by e.job_execution_id desc fetch first "
                + limit
                + " rows only")
        .params(job, before)
        .query((row, _) -> row.getLong(1))
        .list();
  }

  /** The executions that failed and are the newest of their instance; newest first. */
  List<Long> failed(Collection<String> jobs, Instant since, int limit) {
    return jobs.isEmpty()
        ? List.of()
        : client
            .sql(
                "select e.job_execution_id from forebay.batch_job_execution e"
                    + " join forebay.batch_job_instance i on i.job_instance_id = e.job_instance_id"
                    + " where e.status = 'FAILED' and e.end_time > :since and i.job_name in (:jobs)"
                    + " and not exists (select 1 from forebay.batch_job_execution l"
                    + " where l.job_instance_id = e.job_instance_id"
                    + " and l.job_execution_id > e.job_execution_id)"
                    + " order by e.job_execution_id desc fetch first "
                    + limit
                    + " rows only")
            .param("since", Timestamp.from(since))
            .param("jobs", jobs)
            .query((row, _) -> row.getLong(1))
            .list();
  }

  /** The newest execution that is running or whose end is unknown; if there is none, the newest. */
  Optional<Long> current(String job) {
    return client
        .sql(
            "select e.job_execution_id from forebay.batch_job_execution e"
                + " join forebay.batch_job_instance i on i.job_instance_id = e.job_instance_id"
                + " where i.job_name = ?"
                + " order by case when e.status in ('STARTING', 'STARTED', 'STOPPING', 'UNKNOWN')"
                + " then 0 else 1 end, e.job_execution_id desc fetch first 1 rows only")
        .param(job)
        .query(Long.class)
        .optional();
  }

  /** The last execution of a step that has begun, among all executions of a job instance. */
  Optional<Long> lastStep(long instance, String step) {
    return client
        .sql(
            "select s.step_execution_id from forebay.batch_step_execution s"
                + " join forebay.batch_job_execution e on e.job_execution_id = s.job_execution_id"
                + " where e.job_instance_id = ? and s.step_name = ? and s.start_time is not null"
                + " order by s.step_execution_id desc fetch first 1 rows only")
        .params(instance, step)
        .query(Long.class)
        .optional();
  }

  /** Whether no later execution has the same parameters. */
  boolean isNewest(long instance, long execution) {
    return client
        .sql(
            "select max(job_execution_id) from forebay.batch_job_execution"
                + " where job_instance_id = ?")
        .param(instance)
        .query((row, _) -> row.getLong(1) == execution)
        .single();
  }
}
