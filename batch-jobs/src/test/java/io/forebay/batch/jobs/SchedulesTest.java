/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.operations.StartRefused;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Schedules start each run once, whatever its job is like and whichever process dies. */
class SchedulesTest {

  private static final Duration LONG = Duration.ofSeconds(90);
  private static final String EACH_SECOND = "* * * * * *";

  @TempDir Path directory;

  private static List<String> schedule(String job, String cron) {
    return List.of(
        "--forebay.jobs.schedules.often.job=" + job, "--forebay.jobs.schedules.often.cron=" + cron);
  }

  private List<String> embedded(String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    all.add("--forebay.data=" + directory);
    all.add("--forebay.backend=memory");
    all.add("--forebay.gateways.main.migrations=classpath:io/forebay/batch/jobs/tables");
    return all;
  }

  private ConfigurableApplicationContext start(List<String> properties, String... more) {
    List<String> all = embedded(more);
    all.addAll(properties);
    return new SpringApplicationBuilder(TestJobs.class)
        .web(WebApplicationType.NONE)
        .run(all.toArray(String[]::new));
  }

  private static JdbcTemplate database(ConfigurableApplicationContext context) {
    return new JdbcTemplate(context.getBean("forebayJobsDataSource", DataSource.class));
  }

  /** The due times of the runs of a job. */
  private static List<String> runs(JdbcTemplate database, String job) {
    return database.queryForList(
        "select p.parameter_value from forebay.batch_job_execution_params p"
            + " join forebay.batch_job_execution e on e.job_execution_id = p.job_execution_id"
            + " join forebay.batch_job_instance i on i.job_instance_id = e.job_instance_id"
            + " where i.job_name = ? and p.parameter_name = 'due' order by e.job_execution_id",
        String.class,
        job);
  }

  @Test
  void aJobWithAnIncrementerIsStartedOncePerDueTime() {
    try (ConfigurableApplicationContext context = start(schedule("numbered", EACH_SECOND))) {
      JdbcTemplate database = database(context);
      List<String> runs =
          await().atMost(LONG).until(() -> runs(database, "numbered"), it -> it.size() >= 3);
      assertThat(runs.stream().map(OffsetDateTime::parse)).doesNotHaveDuplicates().isSorted();
      assertThat(
              database.queryForList(
                  "select parameter_name from forebay.batch_job_execution_params", String.class))
          .containsOnly("due");
    }
  }

  @Test
  void missedRunsAreCaughtUpOnceAndTheNextOneIsDueAsUsual() {
    try (ConfigurableApplicationContext context = start(schedule("plain", "0 0 3 * * *"))) {
      JdbcTemplate database = database(context);
      await().until(() -> due(database).isAfter(Instant.now()));
      assertThat(runs(database, "plain")).isEmpty();
      Instant next = due(database);
      database.update(
          "update forebay.scheduled_task set execution_time = execution_time - interval '5' day,"
              + " version = version + 1");
      await().atMost(LONG).until(() -> due(database).equals(next));
      assertThat(runs(database, "plain"))
          .containsExactly(OffsetDateTime.ofInstant(next, ZoneOffset.UTC).minusDays(1).toString());
    }
  }

  private static Instant due(JdbcTemplate database) {
    return database
        .queryForList("select execution_time from forebay.scheduled_task", OffsetDateTime.class)
        .stream()
        .findFirst()
        .map(OffsetDateTime::toInstant)
        .orElse(Instant.EPOCH);
  }

  @Test
  void wrongSchedulesAreListedAtTheStart() {
    assertThatThrownBy(() ->
            start(
                schedule("none", EACH_SECOND),
                "--forebay.jobs.schedules.bad.job=plain",
                "--forebay.jobs.schedules.bad.cron=every day",
                "--forebay.jobs.schedules.less.job=rows",
                "--forebay.jobs.schedules.less.cron=" + EACH_SECOND))
        .isInstanceOf(StartRefused.class)
        .hasMessageContainingAll(
            "schedules.often: There is no job none",
            "schedules.bad: Cron expression",
            "schedules.less: run is missing");
  }

  /** The process dies after the execution exists and before db-scheduler knows. */
  @Test
  @Tag("proof")
  void aRunWhoseProcessWasKilledRightAfterTheStartIsNotStartedAgain() {
    List<String> properties = new ArrayList<>(schedule("numbered", "0 * * * * *"));
    properties.add("--forebay.jobs.schedules.often.zone=Europe/Berlin");
    List<String> all = embedded(properties.toArray(String[]::new));
    ProcessBuilder crashing =
        ChildProcess.java(ChildProcess.options(), JobProcess.class, all.toArray());
    crashing.environment().put(JobProcess.CRASH_POINT, "after-scheduled-start");
    try (ChildProcess killed = ChildProcess.start(crashing)) {
      killed.awaitEnd();
    }
    try (ConfigurableApplicationContext context = start(properties)) {
      JdbcTemplate database = database(context);
      Instant started = OffsetDateTime.parse(runs(database, "numbered").getFirst()).toInstant();
      await().atMost(LONG).until(() -> due(database).isAfter(started.plusSeconds(59)));
      assertThat(runs(database, "numbered"))
          .doesNotHaveDuplicates()
          .allMatch(due -> due.matches(".*T\\d\\d:\\d\\d\\+0[12]:00"));
    }
  }

  @Test
  @Tag("proof")
  void processesThatShareADatabaseStartEachRunOnceAlsoIfOneIsKilled() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      List<String> properties =
          new ArrayList<>(
              List.of(
                  "--forebay.system.datasource.url=" + postgres.url(),
                  "--forebay.system.datasource.username=forebay_gateway",
                  "--forebay.system.datasource.password=",
                  "--forebay.system.owner.password=",
                  "--forebay.system.owner.url=" + postgres.url(),
                  "--forebay.system.owner.username=forebay_owner"));
      properties.addAll(schedule("numbered", EACH_SECOND));
      JdbcTemplate database = new JdbcTemplate(postgres.owner());
      try (JobChild one = JobChild.start(directory.resolve("one"), properties).ready();
          JobChild other = JobChild.start(directory.resolve("other"), properties).ready()) {
        await().atMost(LONG).until(() -> runs(database, "numbered").size() >= 5);
        one.process().kill();
        int before = runs(database, "numbered").size();
        await().atMost(LONG).until(() -> runs(database, "numbered").size() >= before + 3);
        assertThat(runs(database, "numbered")).doesNotHaveDuplicates();
      }
    }
  }
}
