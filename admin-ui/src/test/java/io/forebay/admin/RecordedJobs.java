/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobScheduleView;
import io.forebay.operations.jobs.JobSchedules;
import io.forebay.operations.jobs.JobView;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The schedule {@code nightly} of the job {@code reprice}, whose execution 7 failed; in memory. */
final class RecordedJobs implements JobSchedules {

  private final JobExecutionView last =
      new JobExecutionView(
          7,
          "reprice",
          "FAILED",
          Map.of(),
          "olga",
          null,
          false,
          false,
          true,
          false,
          Instant.EPOCH,
          null,
          null,
          "FAILED",
          "",
          "",
          List.of());
  private final JobView job = new JobView("reprice", "", false, true, List.of(), last);
  private JobScheduleView schedule = schedule(false, "", "");

  private JobScheduleView schedule(boolean paused, String reason, String by) {
    return new JobScheduleView(
        "nightly",
        "reprice",
        "0 30 1 * * *",
        "UTC",
        paused,
        by,
        reason,
        null,
        null,
        null,
        last,
        "",
        List.of(),
        List.of());
  }

  /** Whose commands change nothing. */
  JobOperations operations() {
    return (JobOperations)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {JobOperations.class},
            (_, method, _) ->
                switch (method.getName()) {
                  case "jobs" -> List.of(job);
                  case "job" -> Optional.of(job);
                  case "execution" -> Optional.of(last);
                  case "executions", "failed" -> List.of();
                  default -> last;
                });
  }

  @Override
  public List<JobScheduleView> schedules() {
    return List.of(schedule);
  }

  @Override
  public JobScheduleView pause(String name, String reason, Actor by) {
    schedule = schedule(true, reason, by.name());
    return schedule;
  }

  @Override
  public JobScheduleView resume(String name, String reason, Actor by) {
    schedule = schedule(false, reason, by.name());
    return schedule;
  }

  @Override
  public boolean replace(JobScheduleView seen, boolean paused, String reason, Actor by) {
    boolean same = seen.equals(schedule);
    if (same) {
      schedule = schedule(paused, reason, by.name());
    }
    return same;
  }

  @Override
  public JobExecutionView runNow(String name, Actor by, Predicate<String> maySend) {
    return last;
  }
}
