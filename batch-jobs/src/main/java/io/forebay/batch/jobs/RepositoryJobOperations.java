/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static io.forebay.operations.jobs.JobRefused.Reason.NOT_GRANTED;
import static io.forebay.operations.jobs.JobRefused.Reason.NOT_RESTARTABLE;
import static io.forebay.operations.jobs.JobRefused.Reason.UNKNOWN;

import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.operations.jobs.JobView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameter;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.job.parameters.JobParametersIncrementer;
import org.springframework.batch.core.repository.JobRepository;

/** Job operations based on Spring Batch's repository, registry and executions. */
final class RepositoryJobOperations implements JobOperations {

  private static final Logger log = LoggerFactory.getLogger(RepositoryJobOperations.class);

  private final JobRegistry registry;
  private final JobRepository repository;
  private final Executions executions;
  private final Starter starter;
  private final ExecutionTable table;
  private final ExecutionViews views;
  private final DescribedJobs descriptions;
  private final Schedules schedules;

  /** Failed executions by id. They do not change while they are failed, and are read often. */
  private final Map<Long, JobExecutionView> failures = new ConcurrentHashMap<>();

  RepositoryJobOperations(
      JobRegistry registry,
      JobRepository repository,
      Executions executions,
      Starter starter,
      ExecutionTable table,
      ExecutionViews views,
      DescribedJobs descriptions,
      Schedules schedules) {
    this.registry = registry;
    this.repository = repository;
    this.executions = executions;
    this.starter = starter;
    this.table = table;
    this.views = views;
    this.descriptions = descriptions;
    this.schedules = schedules;
  }

  @Override
  public List<JobView> jobs() {
    return Starter.guarded(() -> registry.getJobNames().stream().sorted().map(this::view).toList());
  }

  @Override
  public Optional<JobView> job(String name) {
    return Starter.guarded(() -> Optional.ofNullable(registry.getJob(name)).map(_ -> view(name)));
  }

  private JobView view(String name) {
    JobDescription description = descriptions.get(name);
    return new JobView(
        name,
        description == null ? "" : description.text(),
        description != null,
        description == null
            ? List.of()
            : description.parameters().stream().map(JobDescription.Parameter::view).toList(),
        schedules.next(name),
        table.current(name).map(repository::getJobExecution).map(views::of).orElse(null));
  }

  @Override
  public List<JobExecutionView> executions(String job, long before, int limit) {
    atMost(limit);
    starter.known(job);
    return Starter.guarded(() ->
        table.ids(job, before, limit).stream()
            .map(repository::getJobExecution)
            .map(views::withoutSteps)
            .toList());
  }

  @Override
  public List<JobExecutionView> failed(Instant since, int limit) {
    atMost(limit);
    return Starter.guarded(() -> {
      List<Long> ids = table.failed(registry.getJobNames(), since, limit);
      failures.keySet().retainAll(ids);
      return ids.stream()
          .map(id -> failures.computeIfAbsent(id, this::view))
          .filter(Objects::nonNull) // deleted meanwhile
          .toList();
    });
  }

  private @Nullable JobExecutionView view(long id) {
    JobExecution found = repository.getJobExecution(id);
    return found == null ? null : views.of(found);
  }

  private static void atMost(int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("limit must be from 1 to %d.".formatted(MAX_LIMIT));
    }
  }

  @Override
  public Optional<JobExecutionView> execution(long id) {
    return Starter.guarded(
        () -> Optional.ofNullable(repository.getJobExecution(id)).map(views::of));
  }

  @Override
  public JobExecutionView start(
      String name, Map<String, @Nullable String> given, Actor by, Predicate<String> maySend) {
    Job job = starter.known(name);
    JobParameters parameters = GivenParameters.read(given, descriptions.get(name));
    mustBeGranted(name, parameters, maySend);
    return begin(job, Starter.guarded(() -> numbered(job, parameters)), by);
  }

  private void mustBeGranted(String job, JobParameters parameters, Predicate<String> maySend) {
    JobDescription description = descriptions.get(job);
    String parameter = description == null ? null : description.statement();
    JobParameter<?> given = parameter == null ? null : parameters.getParameter(parameter);
    if (given != null && !maySend.test(String.valueOf(given.value()))) {
      throw new JobRefused(
          NOT_GRANTED,
          "Parameter %s names a statement that the caller may not send; nothing was started. Start the job with a token or user that has this statement."
              .formatted(parameter));
    }
  }

  /** Adds the incrementer's parameters, so that each start is a new run. */
  private JobParameters numbered(Job job, JobParameters given) {
    JobParametersIncrementer incrementer = job.getJobParametersIncrementer();
    if (incrementer == null) {
      return given;
    }
    JobInstance last = repository.getLastJobInstance(job.getName());
    JobExecution before = last == null ? null : repository.getLastJobExecution(last);
    JobParameters old = before == null ? new JobParameters() : before.getJobParameters();
    JobParametersBuilder all = new JobParametersBuilder();
    incrementer
        .getNext(old)
        .forEach(parameter -> {
          if (!parameter.equals(old.getParameter(parameter.name()))) {
            all.addJobParameter(parameter);
          }
        });
    given.forEach(all::addJobParameter);
    return all.toJobParameters();
  }

  @Override
  public JobExecutionView restart(long id, Actor by, Predicate<String> maySend) {
    JobExecution execution = find(id);
    String job = execution.getJobInstance().getJobName();
    mustBeGranted(job, execution.getJobParameters(), maySend);
    if (!Starter.guarded(() -> table.isNewest(execution.getJobInstanceId(), id))) {
      throw new JobRefused(
          NOT_RESTARTABLE, "Only the newest execution with the same parameters can be restarted.");
    }
    return begin(starter.known(job), execution.getJobParameters(), by);
  }

  private JobExecutionView begin(Job job, JobParameters parameters, Actor by) {
    return after(starter.begin(job, parameters, by.name()).getId(), _ -> {});
  }

  @Override
  public JobExecutionView stop(long id, Actor by) {
    return after(
        id,
        execution -> {
          executions.stop(execution);
          log.info("Execution {}: stop requested by {}", id, by.name());
        });
  }

  @Override
  public JobExecutionView abandon(long id, Actor by) {
    return after(
        id,
        execution -> {
          executions.abandon(execution);
          log.info("Execution {}: abandoned by {}", id, by.name());
        });
  }

  @Override
  public JobExecutionView recover(long id, Actor by) {
    return after(id, executions::recover);
  }

  private JobExecutionView after(long id, Consumer<JobExecution> command) {
    JobExecution execution = find(id);
    return Starter.guarded(() -> {
      command.accept(execution);
      return views.of(find(id));
    });
  }

  private JobExecution find(long id) {
    JobExecution execution = Starter.guarded(() -> repository.getJobExecution(id));
    if (execution == null) {
      throw new JobRefused(UNKNOWN, "There is no such execution.");
    }
    return execution;
  }
}
