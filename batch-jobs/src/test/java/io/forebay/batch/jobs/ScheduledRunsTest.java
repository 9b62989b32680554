/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** Real processes that share schedules and a PostgreSQL. */
class ScheduledRunsTest {

  private static final int ITEMS = 10;

  /** The job instances that were begun up to an execution. */
  private static final String INSTANCES =
      " (select job_instance_id from forebay.batch_job_execution where job_execution_id <= ?)";

  @TempDir Path directory;

  private ChildProcess start(TestPostgres postgres, String name, String crashPoint, int pause) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--forebay.data=" + directory.resolve(name),
                "--forebay.backend=memory",
                "--forebay.jobs.lease=2s",
                "--forebay.jobs.schedules.often.job=rows",
                "--forebay.jobs.schedules.often.cron=*/5 * * * * *",
                "--forebay.jobs.schedules.often.due=run",
                "--forebay.jobs.schedules.often.parameters.items=" + ITEMS,
                "--forebay.jobs.schedules.often.parameters.pause=" + pause,
                "--forebay.system.datasource.url=" + postgres.url(),
                "--forebay.system.datasource.username=forebay_gateway",
                "--forebay.system.datasource.password=",
                "--forebay.system.owner.password=",
                "--forebay.system.owner.url=" + postgres.url(),
                "--forebay.system.owner.username=forebay_owner"));
    ProcessBuilder builder =
        ChildProcess.java(ChildProcess.options(), JobProcess.class, arguments.toArray());
    if (!crashPoint.isEmpty()) {
      builder.environment().put(JobProcess.CRASH_POINT, crashPoint);
    }
    return ChildProcess.start(builder);
  }

  @Test
  void twoProcessesStartEachDueRunOnceAlsoIfOneDiesRightAfterTakingIt() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      postgres.createTable("create table job_rows (run varchar(20), number bigint)");
      JdbcTemplate database = new JdbcTemplate(postgres.owner());
      try (ChildProcess dies = start(postgres, "dies", "after-scheduled-start", 100)) {
        dies.awaitEnd(137);
      }
      String taken =
          database.queryForObject(
              "select parameter_value from forebay.batch_job_execution_params"
                  + " where parameter_name = 'run'",
              String.class);
      try (ChildProcess one = start(postgres, "one", "", 100);
          ChildProcess other = start(postgres, "other", "", 100)) {
        await()
            .until(() ->
                one.isAlive()
                    && other.isAlive()
                    && complete(database, taken)
                    && runs(database) >= 3);
      }
      assertThat(
              database.queryForList(
                  "select run from job_rows group by run having count(*) <> count(distinct number)",
                  String.class))
          .isEmpty();
      assertThat(
              database.queryForList(
                  "select job_instance_id from forebay.batch_job_execution"
                      + " where status = 'COMPLETED' group by job_instance_id having count(*) > 1",
                  Long.class))
          .isEmpty();
    }
  }

  @Test
  void anInterruptedRunIsContinuedBeforeTheRunThatBecameDueMeanwhile() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      postgres.createTable("create table job_rows (run varchar(20), number bigint)");
      JdbcTemplate database = new JdbcTemplate(postgres.owner());
      String interrupted;
      try (ChildProcess dies = start(postgres, "dies", "", 1000)) {
        await()
            .until(
                () -> database.queryForObject("select count(*) from job_rows", Integer.class) > 0);
        interrupted = database.queryForObject("select min(run) from job_rows", String.class);
        dies.kill();
      }
      // A slow process may have begun a second run before it was killed.
      long last =
          database.queryForObject(
              "select max(job_execution_id) from forebay.batch_job_execution", Long.class);
      Instant due = Instant.parse(interrupted).plusSeconds(10);
      await().until(() -> Instant.now().isAfter(due)); // at least one more due time has passed
      try (ChildProcess next = start(postgres, "next", "", 1000)) {
        await()
            .until(() ->
                next.isAlive() && complete(database, interrupted) && begunAfter(database, last));
      }
      assertThat(
              database.queryForObject(
                  "select job_instance_id in"
                      + INSTANCES
                      + " from forebay.batch_job_execution where job_execution_id > ?"
                      + " order by job_execution_id fetch first 1 rows only",
                  Boolean.class,
                  last,
                  last))
          .as("an interrupted run is restarted first")
          .isTrue();
      assertThat(
              database.queryForObject(
                  "select bool_and(coalesce(other.start_time >= interrupted.end_time, false))"
                      + " from forebay.batch_job_execution interrupted"
                      + " cross join forebay.batch_job_execution other"
                      + " where interrupted.job_execution_id > ?"
                      + " and interrupted.job_instance_id in"
                      + INSTANCES
                      + " and other.job_instance_id not in"
                      + INSTANCES,
                  Boolean.class,
                  last,
                  last,
                  last))
          .as("later runs begin after its end")
          .isTrue();
    }
  }

  private static boolean begunAfter(JdbcTemplate database, long execution) {
    return database.queryForObject(
        // an execution is inserted before its start time is known
        "select exists (select 1 from forebay.batch_job_execution"
            + " where start_time is not null and job_instance_id not in"
            + INSTANCES
            + ")",
        Boolean.class,
        execution);
  }

  private static boolean complete(JdbcTemplate database, String run) {
    return database.queryForObject(
            "select count(*) from job_rows where run = ?", Integer.class, run)
        == ITEMS;
  }

  private static int runs(JdbcTemplate database) {
    return database.queryForObject(
        "select count(*) from (select run from job_rows group by run having count(*) = ?) complete",
        Integer.class,
        ITEMS);
  }
}
