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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Real processes that run a job to its end by {@link Jobs#runAndWait}, with one PostgreSQL as their
 * system database.
 */
@Tag("proof")
class RunAndWaitTest {

  private static final int ITEMS = 60;
  private static final int SIGTERM = 143;

  @TempDir Path directory;

  private final List<ChildProcess> started = new ArrayList<>();
  private TestPostgres postgres;
  private JdbcTemplate rows;

  private void begin(TestPostgres server) {
    postgres = server;
    rows = new JdbcTemplate(server.owner());
    TestPostgres.execute(
        server.superuser(),
        "do $$ begin if to_regrole('forebay_jobs') is null then"
            + " create role forebay_jobs login; end if; end $$");
    server.createTable("create table job_rows (run varchar(20), number bigint)");
    rows.execute("grant select, insert on job_rows to forebay_jobs");
  }

  @AfterEach
  void end() {
    started.forEach(ChildProcess::close);
    postgres.close();
  }

  private ChildProcess run(String job, String... parameters) {
    ChildProcess process =
        JobChild.run(
            directory.resolve(String.valueOf(started.size())),
            List.of(
                "--forebay.jobs.recover=none",
                "--forebay.system.datasource.url=" + postgres.url(),
                "--forebay.system.datasource.username=forebay_gateway",
                "--forebay.system.datasource.password=",
                "--forebay.system.owner.password=",
                "--forebay.jobs.database.username=forebay_jobs",
                "--forebay.jobs.database.password=",
                "--forebay.system.owner.url=" + postgres.url(),
                "--forebay.system.owner.username=forebay_owner"),
            job,
            parameters);
    started.add(process);
    return process;
  }

  private ChildProcess run(int pause) {
    return run("rows", "run=a", "items=" + ITEMS, "pause=" + pause);
  }

  private long written() {
    return rows.queryForObject("select count(*) from job_rows", Long.class);
  }

  private void eachOnce() {
    assertThat(rows.queryForList("select number from job_rows order by number", Long.class))
        .isEqualTo(LongStream.rangeClosed(1, ITEMS).boxed().toList());
  }

  /** Creates the execution of another run whose process died. */
  private void anotherRunOfADeadProcess() {
    for (String sql :
        List.of(
            "insert into forebay.batch_job_instance values (1000, 0, 'rows', 'another')",
            "insert into forebay.batch_job_execution (job_execution_id, version, job_instance_id,"
                + " create_time, start_time, status, exit_code, exit_message)"
                + " values (1000, 1, 1000, localtimestamp, localtimestamp, 'STARTED', 'UNKNOWN', '')",
            "insert into forebay.job_owner (job_execution_id, runner, started_by)"
                + " values (1000, 'dead', 'olga')")) {
      rows.execute(sql);
    }
  }

  @Test
  void recoversAndResumesTheRunOfAKilledProcessWhichOthersFollow() {
    begin(TestPostgres.shared());
    ChildProcess first = run(200);
    await().until(() -> written() >= 2 * TestJobs.CHUNK);
    first.kill();
    anotherRunOfADeadProcess();
    ChildProcess second = run(200);
    second.until(() -> second.output().contains("it already runs; waiting until"));
    await().until(() -> second.output().contains("recovered; its process had died"));
    ChildProcess third = run(200);
    second.awaitEnd(0);
    third.awaitEnd(0);
    eachOnce();
    assertThat(
            rows.queryForObject(
                "select status from forebay.batch_job_execution where job_execution_id = 1000",
                String.class))
        .as("only the run with the same parameters is recovered")
        .isEqualTo("STARTED");
  }

  @Test
  void aTerminatedRunEndsAtItsChunkAndTheNextCallResumesIt() {
    begin(TestPostgres.shared());
    ChildProcess first = run(200);
    await().until(() -> written() >= 2 * TestJobs.CHUNK);
    assertThat(first.stop()).isEqualTo(SIGTERM);
    assertThat(first.output()).contains("execution 1: STOPPED");
    assertThat(written()).isLessThan(ITEMS);
    assertThat(written() % TestJobs.CHUNK).isZero();
    run(0).awaitEnd(0);
    eachOnce();
  }

  @Test
  void waitsForTheDatabaseAndRefusesWhatItCannotRun() {
    begin(TestPostgres.start(Map.of()));
    postgres.kill();
    ChildProcess impatient = run("rows", "run=a", "--impatient");
    ChildProcess waiting = run(0);
    waiting.until(() -> waiting.output().contains("it is retried for at most 10m"));
    impatient.awaitEnd(JobProcess.UNAVAILABLE);
    postgres.restart();
    waiting.awaitEnd(0);
    eachOnce();

    ChildProcess unknown = run("none");
    ChildProcess invalid = run("rows", "items=many", "run=b");
    unknown.awaitEnd(JobProcess.REFUSED);
    invalid.awaitEnd(JobProcess.REFUSED);
    assertThat(unknown.output()).contains("There is no job none (known: ");
    assertThat(invalid.output()).contains("items must be a whole number");
    ChildProcess complete = run(0);
    complete.awaitEnd(0);
    assertThat(complete.output()).contains("has already completed");

    TestPostgres.execute(postgres.superuser(), "grant select on forebay.audit to forebay_jobs");
    ChildProcess unsafe = run(0);
    unsafe.awaitEnd(JobProcess.REFUSED);
    assertThat(unsafe.output()).contains("role forebay_jobs");
  }
}
