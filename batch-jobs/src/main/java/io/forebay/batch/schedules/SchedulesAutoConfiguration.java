/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.schedules;

import io.forebay.batch.jobs.JobDescription;
import io.forebay.batch.jobs.JobDescription.Parameter;
import io.forebay.operations.StartRefused;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobSchedules;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.Job;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.support.CronExpression;

/** Starts the jobs of {@code forebay.jobs.schedules}, unless this process runs a single job. */
@AutoConfiguration(
    afterName = {
      "io.forebay.batch.jobs.JobsAutoConfiguration",
      "io.forebay.batch.run.CommandLineAutoConfiguration"
    })
@ConditionalOnBean(JobOperations.class)
@ConditionalOnMissingBean(type = "io.forebay.batch.run.CommandLineRun")
@EnableConfigurationProperties(SchedulesProperties.class)
class SchedulesAutoConfiguration {

  private static final String DUE = "due";
  private static final Set<JobDescription.Type> TIMES =
      EnumSet.of(JobDescription.Type.DATE, JobDescription.Type.TIME, JobDescription.Type.TEXT);

  /** How late a run may start although misfires are skipped. */
  private static final Duration PUNCTUAL = Duration.ofMinutes(1);

  @Bean
  @ConditionalOnMissingBean(JobSchedules.class)
  Scheduler forebayJobSchedules(
      SchedulesProperties properties,
      ObjectProvider<JobDescription> descriptions,
      JobOperations operations,
      @Qualifier("forebayJobsDataSource") DataSource database,
      @Value("${forebay.jobs.recover:fail}") String recover,
      ObjectProvider<InstantSource> clock) {
    JdbcClient client = JdbcClient.create(database);
    return new Scheduler(
        schedules(properties, JobDescription.byJob(descriptions.stream())),
        new ScheduleTable(client),
        new InterruptedRuns(client, operations, !recover.equalsIgnoreCase("none")),
        operations,
        clock.getIfAvailable(InstantSource::system));
  }

  /** Runs before anything is started. */
  @Bean
  SmartInitializingSingleton forebayConfiguredSchedules(
      SchedulesProperties properties,
      ObjectProvider<Job> jobs,
      ObjectProvider<JobDescription> descriptions) {
    return () -> {
      Map<String, JobDescription> byJob = JobDescription.byJob(descriptions.stream());
      Set<String> names = new TreeSet<>(jobs.stream().map(Job::getName).toList());
      List<String> violations = new ArrayList<>();
      for (Schedule schedule : schedules(properties, byJob)) {
        check(schedule, names, byJob.get(schedule.job()), violations);
      }
      if (!violations.isEmpty()) {
        throw new StartRefused("Schedules refused: " + String.join("; ", violations));
      }
    };
  }

  private static List<Schedule> schedules(
      SchedulesProperties properties, Map<String, JobDescription> byJob) {
    List<Schedule> schedules = new ArrayList<>();
    new TreeMap<>(properties.schedules())
        .forEach((name, entry) -> schedules.add(schedule(name, entry, byJob.get(entry.job()))));
    return schedules;
  }

  private static Schedule schedule(
      String name, SchedulesProperties.Entry entry, @Nullable JobDescription description) {
    String due = Objects.requireNonNullElse(entry.due(), DUE);
    return new Schedule(
        name,
        Objects.requireNonNull(entry.job()),
        CronExpression.parse(Objects.requireNonNull(entry.cron())),
        ZoneId.of(entry.zone()),
        Map.copyOf(entry.parameters()),
        due,
        description == null
            ? JobDescription.Type.TEXT
            : description.parameters().stream()
                .filter(it -> it.name().equals(due))
                .map(Parameter::type)
                .findFirst()
                .orElse(JobDescription.Type.TEXT),
        entry.misfire() == SchedulesProperties.Misfire.SKIP ? PUNCTUAL : entry.misfireAge(),
        entry.window());
  }

  private static void check(
      Schedule schedule,
      Set<String> jobs,
      @Nullable JobDescription description,
      List<String> violations) {
    String path = "forebay.jobs.schedules." + schedule.name();
    if (!jobs.contains(schedule.job())) {
      violations.add(
          "%s.job is %s, but this application has only the jobs %s"
              .formatted(path, schedule.job(), jobs));
      return;
    }
    if (description == null) {
      return;
    }
    Map<String, Parameter> declared =
        description.parameters().stream()
            .collect(Collectors.toMap(Parameter::name, Function.identity()));
    Parameter due = declared.get(schedule.due());
    if (due == null || !due.identifying() || !TIMES.contains(due.type())) {
      violations.add(
          "%s.due is %s, but must name an identifying parameter of the job, of type date, time or text, which gets the due time (known: %s)"
              .formatted(
                  path,
                  schedule.due(),
                  declared.values().stream()
                      .filter(it -> it.identifying() && TIMES.contains(it.type()))
                      .map(Parameter::name)
                      .sorted()
                      .toList()));
    } else if (due.type() == JobDescription.Type.DATE && schedule.isDueSeveralTimesADay()) {
      violations.add(
          path
              + ".due names a parameter of type date, but "
              + path
              + ".cron has several due times a day, and the job runs once for each date;"
              + " use a parameter of type time or text");
    }
    Set<String> unknown = new LinkedHashSet<>(schedule.parameters().keySet());
    unknown.removeAll(declared.keySet());
    if (!unknown.isEmpty()) {
      violations.add(path + ".parameters has names that the job does not declare: " + unknown);
    }
    declared.values().stream()
        .filter(it -> it.required() && !it.name().equals(schedule.due()))
        .filter(it -> !schedule.parameters().containsKey(it.name()))
        .forEach(it -> violations.add(path + ".parameters." + it.name() + " is missing"));
  }
}
