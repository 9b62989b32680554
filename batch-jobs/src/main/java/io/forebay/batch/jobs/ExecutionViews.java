/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobStepView;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.repository.JobRepository;

/** The executions known to Spring Batch, as operators see them. Thread-safe. */
final class ExecutionViews {

  private final StepViews steps;
  private final Owners owners;
  private final ExecutionTable table;
  private final JobRepository repository;

  ExecutionViews(Owners owners, ExecutionTable table, JobRepository repository) {
    this.owners = owners;
    this.table = table;
    this.repository = repository;
    this.steps = new StepViews(InstantSource.system());
  }

  JobExecutionView of(JobExecution execution) {
    return of(execution, steps.of(execution.getStepExecutions()));
  }

  JobExecutionView withoutSteps(JobExecution execution) {
    return of(execution, List.of());
  }

  private JobExecutionView of(JobExecution execution, List<JobStepView> steps) {
    long id = execution.getId();
    Owners.Owner owner = owners.owner(id);
    boolean running = execution.getStatus().isRunning();
    // It may have ended since it was read.
    boolean lost =
        Endings.isStuck(execution)
            && !owners.isAlive(owner)
            && Optional.ofNullable(repository.getJobExecution(id))
                .filter(Endings::isStuck)
                .isPresent();
    boolean dead = running && lost;
    return new JobExecutionView(
        id,
        execution.getJobInstance().getJobName(),
        execution.getStatus().name(),
        parameters(execution),
        owner.startedBy().isEmpty() ? "the application" : owner.startedBy(),
        owner.runner(),
        dead,
        mayStop(execution) && !dead,
        mayRestart(execution),
        lost,
        instant(execution.getCreateTime()),
        time(execution.getStartTime()),
        running ? null : time(execution.getEndTime()),
        execution.getStatus().isUnsuccessful()
            ? execution.getExitStatus().getExitDescription()
            : "",
        steps);
  }

  private static boolean mayStop(JobExecution execution) {
    BatchStatus status = execution.getStatus();
    return status == BatchStatus.STARTING || status == BatchStatus.STARTED;
  }

  private boolean mayRestart(JobExecution execution) {
    BatchStatus status = execution.getStatus();
    return (status == BatchStatus.FAILED || status == BatchStatus.STOPPED)
        && !Endings.isStuck(execution)
        && table.isNewest(execution.getJobInstanceId(), execution.getId());
  }

  private static Map<String, String> parameters(JobExecution execution) {
    Map<String, String> texts = new TreeMap<>();
    execution
        .getJobParameters()
        .forEach(parameter -> texts.put(parameter.name(), String.valueOf(parameter.value())));
    return texts;
  }

  static @Nullable Instant time(@Nullable LocalDateTime time) {
    return time == null ? null : instant(time);
  }

  /** Converts a time; Spring Batch writes times in the process's time zone. */
  private static Instant instant(LocalDateTime time) {
    return time.atZone(ZoneId.systemDefault()).toInstant();
  }
}
