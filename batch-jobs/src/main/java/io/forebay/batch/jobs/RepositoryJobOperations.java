/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static io.forebay.operations.jobs.JobRefused.Reason.ALREADY_COMPLETE;
import static io.forebay.operations.jobs.JobRefused.Reason.ALREADY_RUNNING;
import static io.forebay.operations.jobs.JobRefused.Reason.INVALID_PARAMETERS;
import static io.forebay.operations.jobs.JobRefused.Reason.NOT_RESTARTABLE;
import static io.forebay.operations.jobs.JobRefused.Reason.UNKNOWN;

import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.operations.jobs.JobView;
import io.forebay.service.progress.Unavailable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.InvalidJobParametersException;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.job.parameters.JobParametersIncrementer;
import org.springframework.batch.core.launch.JobExecutionAlreadyRunningException;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.launch.JobRestartException;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.TransactionException;

/** Job operations based on Spring Batch's repository, registry and operator. */
// Spring Batch's operator has deprecated ancestors.
@SuppressWarnings("removal")
final class RepositoryJobOperations implements JobOperations {

  private static final String RECOVER_FIRST =
      "How the execution ended is unknown, because its end could not be written; recover it first,"
          + " then it resumes where it ended. With other parameters it would perform everything again.";

  private final JobRegistry registry;
  private final JobRepository repository;
  private final OwnedJobOperator operator;
  private final ExecutionTable table;
  private final ExecutionViews views;
  private final Map<String, JobDescription> descriptions;

  RepositoryJobOperations(
      JobRegistry registry,
      JobRepository repository,
      OwnedJobOperator operator,
      ExecutionTable table,
      ExecutionViews views,
      Map<String, JobDescription> descriptions) {
    this.registry = registry;
    this.repository = repository;
    this.operator = operator;
    this.table = table;
    this.views = views;
    this.descriptions = descriptions;
  }

  @Override
  public List<JobView> jobs() {
    return guarded(() -> registry.getJobNames().stream().sorted().map(this::view).toList());
  }

  @Override
  public Optional<JobView> job(String name) {
    return guarded(() -> Optional.ofNullable(registry.getJob(name)).map(_ -> view(name)));
  }

  private JobView view(String name) {
    JobDescription description = descriptions.get(name);
    return new JobView(
        name,
        description == null ? "" : description.text(),
        description != null,
        known(name).isRestartable(),
        description == null
            ? List.of()
            : description.parameters().stream().map(JobDescription.Parameter::view).toList(),
        table.current(name).map(repository::getJobExecution).map(views::of).orElse(null));
  }

  @Override
  public List<JobExecutionView> executions(String job, long before, int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("limit is from 1 to %d.".formatted(MAX_LIMIT));
    }
    known(job);
    return guarded(() ->
        table.ids(job, before, limit).stream()
            .map(repository::getJobExecution)
            .map(views::withoutSteps)
            .toList());
  }

  @Override
  public Optional<JobExecutionView> execution(long id) {
    return guarded(() -> Optional.ofNullable(repository.getJobExecution(id)).map(views::of));
  }

  @Override
  public JobExecutionView start(String name, Map<String, @Nullable String> given, Actor by) {
    Job job = known(name);
    JobParameters parameters = GivenParameters.read(given, descriptions.get(name));
    return begin(job, () -> numbered(job, parameters), by);
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
  public JobExecutionView restart(long id, Actor by) {
    JobExecution execution = find(id);
    JobExecutionView seen = guarded(() -> views.of(execution));
    if (execution.getStatus().isRunning()) {
      throw new JobRefused(
          ALREADY_RUNNING,
          seen.dead()
              ? "The process of the execution is dead; recover it first."
              : "The execution is already running.");
    }
    if (OwnedJobOperator.isStuck(execution)) {
      throw new JobRefused(NOT_RESTARTABLE, RECOVER_FIRST);
    }
    if (seen.state().equals("COMPLETED")) {
      throw complete();
    }
    if (!seen.mayRestart()) {
      throw new JobRefused(
          NOT_RESTARTABLE,
          "Only the newest execution with the same parameters can be restarted, if it failed or was stopped.");
    }
    return begin(known(seen.job()), execution::getJobParameters, by);
  }

  private JobExecutionView begin(Job job, Callable<JobParameters> parameters, Actor by) {
    return guarded(() -> {
      JobParameters all = parameters.call();
      try {
        JobExecution begun = Starter.as(by.name(), () -> operator.run(job, all));
        return views.of(find(begun.getId()));
      } catch (JobExecutionAlreadyRunningException
          | DataIntegrityViolationException
          | OptimisticLockingFailureException _) {
        throw new JobRefused(
            ALREADY_RUNNING,
            "An execution with these parameters is already running; stop it, or recover it if its"
                + " process is dead.");
      } catch (JobInstanceAlreadyCompleteException _) {
        throw complete();
      } catch (JobRestartException _) {
        throw new JobRefused(
            NOT_RESTARTABLE,
            isStuck(job, all)
                ? RECOVER_FIRST
                : "The job cannot be restarted; use other parameters.");
      } catch (InvalidJobParametersException e) {
        throw new JobRefused(
            INVALID_PARAMETERS, "The job does not accept these parameters: " + e.getMessage());
      }
    });
  }

  private boolean isStuck(Job job, JobParameters parameters) {
    JobInstance instance = repository.getJobInstance(job.getName(), parameters);
    JobExecution last = instance == null ? null : repository.getLastJobExecution(instance);
    return last != null && OwnedJobOperator.isStuck(last);
  }

  private static JobRefused complete() {
    return new JobRefused(
        ALREADY_COMPLETE,
        "A run with these parameters has already completed; another run needs another value of an"
            + " identifying parameter.");
  }

  @Override
  public JobExecutionView stop(long id, Actor by) {
    JobExecution execution = find(id);
    return guarded(() -> {
      operator.stop(execution.getId());
      return views.of(find(id));
    });
  }

  @Override
  public JobExecutionView recover(long id, Actor by) {
    JobExecution execution = find(id);
    return guarded(() -> {
      operator.recover(execution);
      return views.of(find(id));
    });
  }

  private Job known(String name) {
    Job job = registry.getJob(name);
    if (job == null) {
      throw new JobRefused(UNKNOWN, "There is no such job.");
    }
    return job;
  }

  private JobExecution find(long id) {
    JobExecution execution = guarded(() -> repository.getJobExecution(id));
    if (execution == null) {
      throw new JobRefused(UNKNOWN, "There is no such execution.");
    }
    return execution;
  }

  /** Reports only database failures as an outage; anything else is a defect. */
  private static <T> T guarded(Callable<T> action) {
    try {
      return action.call();
    } catch (DataAccessException | TransactionException e) {
      throw new Unavailable("the job repository does not respond", e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
