/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.batch.jobs.JobDescription;
import io.forebay.batch.jobs.JobDescription.Parameter;
import io.forebay.batch.jobs.JobDescription.Type;
import io.forebay.operations.Actor;
import io.forebay.operations.StartRefused;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobScheduleView;
import io.forebay.operations.jobs.JobSchedules;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.configuration.DuplicateJobException;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Schedules on the embedded database, with a clock that the test sets. */
@ExtendWith(OutputCaptureExtension.class)
class SchedulerTest {

  private static final Actor BY = new Actor(Actor.Kind.APPLICATION, "olga", "operator", "local");

  @TempDir Path data;

  private static volatile Instant now = Instant.EPOCH;

  /** Whether runs of job nothing go on until they are stopped. */
  private static volatile boolean held;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Jobs {

    @Bean
    Job nothing(JobRepository repository) {
      return new JobBuilder("nothing", repository)
          .start(
              new StepBuilder("nothing", repository)
                  .tasklet((_, _) -> RepeatStatus.continueIf(held))
                  .build())
          .build();
    }

    @Bean
    Job daily(JobRepository repository) {
      return new JobBuilder("daily", repository)
          .start(new StepBuilder("daily", repository).tasklet((_, _) -> null).build())
          .build();
    }

    @Bean
    JobDescription dailyDescription() {
      return JobDescription.of("daily", "Runs once a day")
          .with(Parameter.required("day", Type.DATE, "the day"));
    }

    @Bean
    InstantSource clock() {
      return () -> now;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Misspelt {

    @Bean
    JobDescription hourlyDescription() {
      return JobDescription.of("hourly", "Describes no job");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class DescribedTwice {

    @Bean
    JobDescription dailyDescriptionAgain() {
      return JobDescription.of("daily", "Describes it again");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class SameJob {

    @Bean
    Job dailyAgain(JobRepository repository) {
      return new JobBuilder("daily", repository)
          .start(new StepBuilder("again", repository).tasklet((_, _) -> null).build())
          .build();
    }
  }

  private ConfigurableApplicationContext start(String... properties) {
    return start(Jobs.class, properties);
  }

  private ConfigurableApplicationContext start(Class<?> beans, String... properties) {
    List<String> all =
        new ArrayList<>(List.of("--forebay.data=" + data, "--forebay.backend=memory"));
    for (String property : properties) {
      all.add("--forebay.jobs.schedules." + property);
    }
    return new SpringApplicationBuilder(Jobs.class, beans)
        .web(WebApplicationType.NONE)
        .run(all.toArray(String[]::new));
  }

  private static JobScheduleView view(JobSchedules schedules) {
    return schedules.schedules().getFirst();
  }

  private static List<String> runs(ConfigurableApplicationContext context) {
    return context.getBean(JobOperations.class).executions("nothing", Long.MAX_VALUE, 50).stream()
        .map(it -> it.parameters().get("due"))
        .toList();
  }

  @Test
  void eachDueTimeStartsOneRunAndOldOnesAreSkipped() {
    now = Instant.parse("2026-11-23T12:30:00Z");
    try (ConfigurableApplicationContext context =
        start("hourly.job=nothing", "hourly.cron=0 0 * * * *", "hourly.window=30m")) {
      JobSchedules schedules = context.getBean(JobSchedules.class);
      assertThat(view(schedules).next()).isEqualTo("2026-11-23T13:00:00Z");
      now = Instant.parse("2026-11-23T13:00:01Z");
      await().until(() -> runs(context), List.of("2026-11-23T13:00:00Z")::equals);
      await()
          .untilAsserted(() -> {
            JobScheduleView view = view(schedules);
            assertThat(view.due()).isEqualTo("2026-11-23T13:00:00Z");
            assertThat(view.mustEnd()).isEqualTo("2026-11-23T13:30:00Z");
            assertThat(view.last().state()).isEqualTo("COMPLETED");
            assertThat(view.last().startedBy()).isEqualTo("schedule hourly");
          });

      now = Instant.parse("2026-11-26T10:20:00Z"); // three days later
      await()
          .until(
              () -> runs(context), List.of("2026-11-26T10:00:00Z", "2026-11-23T13:00:00Z")::equals);
      await()
          .until(
              () -> view(schedules).problem(),
              "The runs due from 2026-11-23T14:00:00Z on were skipped, because none could start in time; the one due at 2026-11-26T10:00:00Z was started."
                  ::equals);

      JobScheduleView running = view(schedules);
      schedules.pause("hourly", "holidays", BY);
      assertThat(schedules.replace(running, true, "I saw it running", BY)).isFalse();
      assertThat(schedules.replace(view(schedules), false, "", BY)).isTrue();
      assertThat(schedules.replace(view(schedules), true, "holidays", BY)).isTrue();
      now = Instant.parse("2026-11-26T11:00:01Z");
      assertThat(view(schedules))
          .returns(true, JobScheduleView::paused)
          .returns("olga", JobScheduleView::changedBy)
          .returns("holidays", JobScheduleView::reason);
      assertThat(schedules.runNow("hourly", BY, _ -> false).startedBy()).isEqualTo("olga");
      now = Instant.parse("2026-11-26T11:30:00Z");
      schedules.resume("hourly", "", BY);
      now = Instant.parse("2026-11-26T12:00:00Z");
      await()
          .until(
              () -> runs(context),
              List.of(
                      "2026-11-26T12:00:00Z",
                      "2026-11-26T11:00:01Z",
                      "2026-11-26T10:00:00Z",
                      "2026-11-23T13:00:00Z")
                  ::equals);
    }
  }

  @Test
  void aLateRunIsSkippedIfConfigured() {
    now = Instant.parse("2026-11-23T12:30:00Z");
    try (ConfigurableApplicationContext context =
        start("hourly.job=nothing", "hourly.cron=0 0 * * * *", "hourly.misfire=skip")) {
      JobSchedules schedules = context.getBean(JobSchedules.class);
      assertThat(view(schedules).problem()).isEmpty();
      now = now.plus(Duration.ofMinutes(35));
      await().until(() -> !view(schedules).problem().isEmpty());
      assertThat(view(schedules).problem()).contains("2026-11-23T13:00:00Z was skipped");
      assertThat(runs(context)).isEmpty();
    }
  }

  @Test
  void allFaultsOfSchedulesAreReportedAtTheStart() {
    assertThatThrownBy(
            () -> start("a.job=none", "a.cron=0 0 * * * *", "b.job=other", "b.cron=0 0 * * * *"))
        .isInstanceOf(StartRefused.class)
        .hasMessageContainingAll(
            "schedules.a.job is none, but this application has only the jobs [daily, nothing]",
            "schedules.b.job is other");
    assertThatThrownBy(() -> start("a.cron=often", "a.zone=Moon"))
        .hasStackTraceContaining("schedules.a.job")
        .hasStackTraceContaining("schedules.a.cron")
        .hasStackTraceContaining("schedules.a.zone");
  }

  @Test
  void aDescriptionOfNoJobIsReportedAtTheStart() {
    assertThatThrownBy(() -> start(Misspelt.class))
        .isInstanceOf(StartRefused.class)
        .hasMessageStartingWith("JobDescription hourly describes no job (known: [daily, nothing])");
  }

  @Test
  void jobsAndDescriptionsWithTheSameNameAreReportedAtTheStart(CapturedOutput output) {
    assertThatThrownBy(() -> start(DescribedTwice.class))
        .rootCause()
        .isInstanceOf(StartRefused.class)
        .hasMessage("Two JobDescription beans describe the job daily; keep one of them");
    assertThatThrownBy(() -> start(SameJob.class))
        .rootCause()
        .isInstanceOf(DuplicateJobException.class);
    assertThat(output)
        .contains("Two Job beans have the same name", "[daily]", "Give each job a name of its own");
  }

  @Test
  void aJobThatRunsOncePerDateIsDueOncePerDay() {
    assertThatThrownBy(
            () -> start("a.job=daily", "a.due=day", "a.cron=0 0 8,20 * * MON", "a.zone=UTC"))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("schedules.a.cron has several due times a day");
    start("a.job=daily", "a.due=day", "a.cron=0 30 2 * * *", "a.zone=Europe/Berlin").close();
  }

  @Test
  void aRunOfAnOperatorDoesNotHideAClaimedRunWithoutExecution() {
    now = Instant.parse("2026-11-23T12:30:00Z");
    try (ConfigurableApplicationContext context =
        start("hourly.job=nothing", "hourly.cron=0 0 * * * *")) {
      ScheduleTable table =
          new ScheduleTable(
              JdbcClient.create(context.getBean("forebayJobsDataSource", DataSource.class)));
      Instant due = now.minusSeconds(60);
      // Another process claims this run; the scheduler of this one does not know the schedule.
      assertThat(table.claim("claimed", table.enter("claimed", due.minusSeconds(1)), due)).isTrue();
      table.ran("claimed", now, 7);
      assertThat(table.enter("claimed", now)).returns(due, ScheduleTable.Row::claimed);

      table.started("claimed", due, 6, "");
      table.ran("claimed", now, 7);
      assertThat(table.enter("claimed", now))
          .returns(now, ScheduleTable.Row::due)
          .returns(null, ScheduleTable.Row::claimed);
    }
  }

  @Test
  void aDueTimeWaitsWhileARunIsBeingRecovered() {
    now = Instant.parse("2026-11-23T12:30:00Z");
    try (ConfigurableApplicationContext context =
        start("hourly.job=nothing", "hourly.cron=0 0 * * * *")) {
      JobSchedules schedules = context.getBean(JobSchedules.class);
      assertThat(view(schedules).next()).isEqualTo("2026-11-23T13:00:00Z");
      now = Instant.parse("2026-11-23T13:00:01Z");
      await()
          .until(() ->
              view(schedules).last() != null && view(schedules).last().state().equals("COMPLETED"));
      JdbcClient database =
          JdbcClient.create(context.getBean("forebayJobsDataSource", DataSource.class));
      // As when a live process has taken it over and has not marked it as failed yet.
      database.sql("update forebay.batch_job_execution set status = 'STARTED'").update();
      database
          .sql("update forebay.job_owner set ran_by = 'a dead process', ended = false")
          .update();
      now = Instant.parse("2026-11-23T14:00:01Z");
      turnOnce(context);
      assertThat(runs(context)).containsExactly("2026-11-23T13:00:00Z");

      database.sql("update forebay.batch_job_execution set status = 'COMPLETED'").update();
      await().until(() -> runs(context).size() == 2);
    }
  }

  private static JobExecutionView awaitState(JobSchedules schedules, String due, String state) {
    return await()
        .until(
            () -> view(schedules).last(),
            last ->
                last != null
                    && last.state().equals(state)
                    && due.equals(last.parameters().get("due")));
  }

  @Test
  void aRunIsContinuedAfterAShutdownButNotAfterAStopByAnOperator() {
    now = Instant.parse("2026-11-23T12:30:00Z");
    held = true;
    try (ConfigurableApplicationContext context =
        start("hourly.job=nothing", "hourly.cron=0 0 * * * *")) {
      JobSchedules schedules = context.getBean(JobSchedules.class);
      assertThat(view(schedules).next()).isEqualTo("2026-11-23T13:00:00Z");
      now = Instant.parse("2026-11-23T13:00:01Z");
      awaitState(schedules, "2026-11-23T13:00:00Z", "STARTED");
      SmartLifecycle jobs = context.getBean("forebayJobsLifecycle", SmartLifecycle.class);
      jobs.stop();
      assertThat(view(schedules).last())
          .returns("STOPPED", JobExecutionView::state)
          .returns("2026-11-23T13:00:00Z", it -> it.parameters().get("due"))
          .satisfies(it -> assertThat(it.message()).startsWith("Shutdown: "));
      assertThat(view(schedules).incomplete()).as("it will be continued").isEmpty();
      now = Instant.parse("2026-11-23T14:00:01Z");
      turnOnce(context);
      assertThat(view(schedules).due())
          .as("a process that shuts down claims no due time")
          .isEqualTo("2026-11-23T13:00:00Z");
      jobs.start();
      JobExecutionView continued = awaitState(schedules, "2026-11-23T13:00:00Z", "STARTED");
      turnOnce(context);
      assertThat(runs(context))
          .as("the next due time waits")
          .containsExactly("2026-11-23T13:00:00Z", "2026-11-23T13:00:00Z");

      context.getBean(JobOperations.class).stop(continued.id(), BY);
      awaitState(schedules, "2026-11-23T14:00:00Z", "STARTED");
      jobs.stop();
      held = false;
      jobs.start();
      awaitState(schedules, "2026-11-23T14:00:00Z", "COMPLETED");
      turnOnce(context);
      assertThat(runs(context))
          .containsExactly(
              "2026-11-23T14:00:00Z",
              "2026-11-23T14:00:00Z",
              "2026-11-23T13:00:00Z",
              "2026-11-23T13:00:00Z");
      assertThat(context.getBean(JobOperations.class).execution(continued.id()).orElseThrow())
          .returns("STOPPED", JobExecutionView::state);
      assertThat(view(schedules).incomplete())
          .as("the stopped run, not the one that was continued")
          .extracting(JobExecutionView::id)
          .containsExactly(continued.id());
      context.getBean(JobOperations.class).restart(continued.id(), BY);
      await().until(() -> runs(context).size() == 5 && view(schedules).incomplete().isEmpty());
    } finally {
      held = false;
    }
  }

  /** One turn of the scheduler; its own thread also makes turns. */
  private static void turnOnce(ConfigurableApplicationContext context) {
    context.getBean(Scheduler.class).turn();
  }
}
