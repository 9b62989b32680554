/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static io.forebay.operations.jobs.JobRefused.Reason.ALREADY_COMPLETE;
import static io.forebay.operations.jobs.JobRefused.Reason.ALREADY_RUNNING;
import static io.forebay.operations.jobs.JobRefused.Reason.INVALID_PARAMETERS;
import static io.forebay.operations.jobs.JobRefused.Reason.NOT_RESTARTABLE;

import io.forebay.operations.jobs.JobRefused;
import io.forebay.service.progress.Unavailable;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.InvalidJobParametersException;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.JobExecutionAlreadyRunningException;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.launch.JobRestartException;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.TransactionException;

/**
 * Starts executions, turns the operator's exceptions into refusals, and passes the name of who
 * starts an execution to the repository that creates it. Thread-safe.
 */
// Spring Batch's operator has deprecated ancestors.
@SuppressWarnings("removal")
final class Starter {

  static final String RECOVER_FIRST =
      "How the execution ended is unknown, because its end could not be written; recover it first,"
          + " then it resumes where it ended. With other parameters it would perform everything again.";

  private static final ScopedValue<String> STARTED_BY = ScopedValue.newInstance();
  private static final int LONGEST = 255;

  private final JobRegistry registry;
  private final JobRepository repository;
  private final JobOperator operator;
  private final Executions executions;

  Starter(
      JobRegistry registry, JobRepository repository, JobOperator operator, Executions executions) {
    this.registry = registry;
    this.repository = repository;
    this.operator = operator;
    this.executions = executions;
  }

  /**
   * The name of the one who starts the execution, as it is stored; empty if the application itself
   * does.
   */
  static String name() {
    String name = STARTED_BY.orElse("");
    return name.length() <= LONGEST ? name : name.substring(0, LONGEST);
  }

  /**
   * @throws JobRefused if there is no such job
   */
  Job known(String name) {
    Job job = registry.getJob(name);
    if (job == null) {
      throw JobRefused.unknownJob(name, registry.getJobNames());
    }
    return job;
  }

  /**
   * Starts a job on its own thread.
   *
   * @param by who starts it; empty for the application itself
   * @throws JobRefused if it cannot be started with these parameters
   * @throws Unavailable if the database does not respond; the execution may exist nevertheless, and
   *     then runs or can be recovered
   */
  JobExecution begin(Job job, JobParameters parameters, String by) {
    executions.mustBeOpen();
    return guarded(() -> {
      try {
        return ScopedValue.where(STARTED_BY, by).call(() -> operator.run(job, parameters));
      } catch (JobExecutionAlreadyRunningException
          | DataIntegrityViolationException
          | OptimisticLockingFailureException _) {
        throw new JobRefused(
            ALREADY_RUNNING,
            "An execution with these parameters is already running; stop it, or recover it if its"
                + " process is dead.");
      } catch (JobInstanceAlreadyCompleteException _) {
        throw complete(last(job, parameters));
      } catch (JobRestartException _) {
        JobExecution last = last(job, parameters);
        throw new JobRefused(
            NOT_RESTARTABLE,
            last != null && Endings.isStuck(last)
                ? RECOVER_FIRST
                : "The job cannot be restarted; use other parameters.");
      } catch (InvalidJobParametersException e) {
        throw new JobRefused(
            INVALID_PARAMETERS, "The job does not accept these parameters: " + e.getMessage());
      }
    });
  }

  /** The newest execution with these parameters. */
  @Nullable JobExecution last(Job job, JobParameters parameters) {
    JobInstance instance = repository.getJobInstance(job.getName(), parameters);
    return instance == null ? null : repository.getLastJobExecution(instance);
  }

  static JobRefused complete(@Nullable JobExecution last) {
    return last != null && last.getStatus() == BatchStatus.ABANDONED
        ? new JobRefused(
            NOT_RESTARTABLE,
            "A run with these parameters was abandoned; another run needs another value of an"
                + " identifying parameter.")
        : new JobRefused(
            ALREADY_COMPLETE,
            "A run with these parameters has already completed; another run needs another value of"
                + " an identifying parameter.");
  }

  /** Reports only database failures as an outage; anything else is a defect. */
  static <T> T guarded(Callable<T> action) {
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
