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
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** Two real processes with one PostgreSQL as their system database. */
class SharedJobsTest {

  private static final int ITEMS = 100;

  @TempDir Path directory;

  private final TestPostgres postgres = TestPostgres.shared();
  private final JdbcTemplate rows = new JdbcTemplate(postgres.owner());
  private JobChild one;
  private JobChild other;

  @BeforeEach
  void begin() {
    postgres.createTable("create table job_rows (run varchar(20), number bigint)");
    one = start("one");
    other = start("other");
  }

  private JobChild start(String name) {
    return JobChild.start(directory.resolve(name), properties()).ready();
  }

  private List<String> properties() {
    return List.of(
        "--forebay.jobs.recover=none",
        "--forebay.system.datasource.url=" + postgres.url(),
        "--forebay.system.datasource.username=forebay_gateway",
        "--forebay.system.datasource.password=",
        "--forebay.system.owner.password=",
        "--forebay.system.owner.url=" + postgres.url(),
        "--forebay.system.owner.username=forebay_owner");
  }

  @AfterEach
  void end() {
    one.close();
    other.close();
    postgres.close();
  }

  private long written() {
    return rows.queryForObject("select count(*) from job_rows", Long.class);
  }

  private void eachOnce() {
    assertThat(rows.queryForList("select number from job_rows order by number", Long.class))
        .isEqualTo(LongStream.rangeClosed(1, ITEMS).boxed().toList());
  }

  private long startedByOne() {
    long id = one.id("start a " + ITEMS + " 100");
    await().until(() -> written() >= 3 * TestJobs.CHUNK);
    return id;
  }

  private void recoverByOther(long id) {
    await().until(() -> other.ask("recover " + id), answer -> answer.equals(id + " FAILED"));
  }

  private void completes(JobChild child, long id) {
    await().until(() -> child.state(id), "COMPLETED"::equals);
  }

  @Test
  void anotherProcessRecoversAndRestartsTheExecutionOfAKilledOneAndEachRowIsWrittenOnce() {
    long id = startedByOne();
    assertThat(other.ask("recover " + id)).as("while it lives").isEqualTo("ALIVE");
    assertThat(other.ask("restart " + id)).as("while it lives").isEqualTo("ALREADY_RUNNING");
    assertThat(other.ask("start a " + ITEMS + " 0")).isEqualTo("ALREADY_RUNNING");

    one.process().kill();
    recoverByOther(id);
    long next = other.id("restart " + id);
    completes(other, next);
    eachOnce();
    assertThat(other.ask("restart " + id)).isEqualTo("NOT_RESTARTABLE");
    assertThat(other.ask("recover " + next)).isEqualTo("NOT_RUNNING");
  }

  @Tag("proof")
  @Test
  void aFrozenProcessCommitsNothingAfterItsExecutionWasRecovered() {
    long id = startedByOne();
    one.process().suspend();
    recoverByOther(id);
    long frozenAt = written();
    assertThat(frozenAt).isLessThan(ITEMS);

    one.process().resume();
    await()
        .until(
            () -> one.ask("state " + id).equals(id + " FAILED") && one.ask("threads").equals("0"));
    assertThat(written()).isEqualTo(frozenAt);
    assertThat(one.process().output())
        .contains("no longer belongs to this process")
        .doesNotContain("Encountered an error saving batch meta data");

    long next = other.id("restart " + id);
    completes(other, next);
    eachOnce();
    assertThat(other.state(id)).isEqualTo("FAILED");
  }

  @Tag("proof")
  @Test
  void anExecutionOfAnotherProcessStopsAtTheEndOfItsChunkAndResumesElsewhere() {
    long id = startedByOne();
    // the answer may come when its process has stopped already
    assertThat(other.ask("stop " + id)).isIn(id + " STOPPING", id + " STOPPED");
    await().until(() -> other.state(id), "STOPPED"::equals);
    assertThat(written()).as("it was stopped and did not end").isLessThan(ITEMS);
    assertThat(written() % TestJobs.CHUNK).isZero();
    assertThat(other.ask("stop " + id)).isEqualTo("NOT_RUNNING");

    completes(other, other.id("restart " + id));
    eachOnce();
  }

  @Tag("proof")
  @Test
  void aCommandWhoseRunWasTakenOverEndsWithTheRunAndItsExitCode() {
    one.close();
    try (ChildProcess command =
        JobChild.run(
            directory.resolve("command"),
            properties(),
            "rows",
            "run=b",
            "items=" + ITEMS,
            "pause=100")) {
      await().until(() -> written() >= TestJobs.CHUNK);
      long id =
          rows.queryForObject(
              "select max(job_execution_id) from forebay.batch_job_execution", Long.class);
      command.suspend();
      recoverByOther(id);
      completes(other, other.id("restart " + id));
      command.resume();
      assertThat(command.awaitEnd()).isZero();
      eachOnce();
    }
  }
}
