/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static io.forebay.operations.jobs.JobRefused.Reason.ALREADY_RUNNING;
import static io.forebay.operations.jobs.JobRefused.Reason.NOT_RESTARTABLE;
import static io.forebay.operations.jobs.JobRefused.Reason.NOT_RUNNING;
import static org.springframework.format.annotation.DurationFormat.Style.COMPOSITE;

import io.forebay.background.Outage;
import io.forebay.operations.StartRefused;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Runs jobs to their end, with the repository in the system database. */
final class RepositoryJobs implements Jobs {

  private static final Logger log = LoggerFactory.getLogger(RepositoryJobs.class);

  /** How often an execution of this process is looked at; costs no query. */
  private static final Duration STEP = Duration.ofMillis(20);

  /** How often the repository is asked about an execution of another process. */
  private static final Duration LOOK = Duration.ofMillis(500);

  private static final Duration LONGEST_OUTAGE = Duration.ofMinutes(10);

  private final Starter starter;
  private final JobRepository repository;
  private final Executions executions;
  private final Owners owners;
  private final DescribedJobs descriptions;

  /** How long the database may be unavailable. */
  private final Duration wait;

  @Autowired
  RepositoryJobs(
      Starter starter,
      JobRepository repository,
      Executions executions,
      Owners owners,
      DescribedJobs descriptions) {
    this(starter, repository, executions, owners, descriptions, LONGEST_OUTAGE);
  }

  RepositoryJobs(
      Starter starter,
      JobRepository repository,
      Executions executions,
      Owners owners,
      DescribedJobs descriptions,
      Duration wait) {
    this.starter = starter;
    this.repository = repository;
    this.executions = executions;
    this.owners = owners;
    this.descriptions = descriptions;
    this.wait = wait;
  }

  @Override
  public JobExecution runAndWait(String job, Map<String, @Nullable String> parameters)
      throws InterruptedException {
    return runAndWait(starter.known(job), GivenParameters.read(parameters, descriptions.get(job)));
  }

  @Override
  public JobExecution runAndWait(Job job, JobParameters parameters) throws InterruptedException {
    while (true) {
      JobExecution execution = begun(job, parameters);
      if (execution != null) {
        JobExecution ended = awaitEnd(execution);
        if (!Endings.wasRecovered(ended) || Thread.currentThread().isInterrupted()) {
          return ended;
        }
        // Its process was dead, or seemed so: this process resumes the run, or follows it.
      }
    }
  }

  /**
   * Starts a run, or finds the execution that prevents it.
   *
   * @return null if another process has just begun to start it
   * @throws JobRefused if the run cannot be started for another reason
   */
  private @Nullable JobExecution begun(Job job, JobParameters parameters)
      throws InterruptedException {
    try {
      return whenAvailable(() -> starter.begin(job, parameters, ""));
    } catch (JobRefused refused) {
      JobExecution last = whenAvailable(() -> Starter.guarded(() -> starter.last(job, parameters)));
      boolean stuck = last != null && Endings.isStuck(last);
      if (refused.reason() != ALREADY_RUNNING && !(refused.reason() == NOT_RESTARTABLE && stuck)) {
        throw refused;
      }
      if (last == null) {
        Thread.sleep(LOOK);
      } else if (stuck) {
        log.info(
            "job {}, execution {}: it already runs; waiting until it ends or its process is dead",
            job.getName(),
            last.getId());
      }
      return last;
    }
  }

  /**
   * Waits for the end of an execution; if its process is dead, recovers it. An interrupt stops an
   * execution that this call started.
   */
  private JobExecution awaitEnd(JobExecution execution) throws InterruptedException {
    boolean interrupted = false;
    while (owners.here().get(execution.getId()) == execution) {
      try {
        Thread.sleep(STEP);
      } catch (InterruptedException _) {
        interrupted = true;
        executions.stopHere(execution.getId());
      }
    }
    JobExecution seen = execution;
    while (Endings.isStuck(seen)) {
      seen = whenAvailable(() -> Starter.guarded(() -> look(execution.getId())));
      if (Endings.isStuck(seen)) {
        Thread.sleep(LOOK);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return seen;
  }

  private JobExecution look(long id) {
    JobExecution execution = repository.getJobExecution(id);
    if (execution == null) {
      throw new IllegalStateException("execution %d was deleted".formatted(id));
    }
    if (!Endings.isStuck(execution)) {
      return execution;
    }
    boolean alive = owners.isAlive(owners.owner(id));
    if (executions.isClosed()) {
      throw new JobRefused(
          NOT_RUNNING,
          "This process is shutting down and waits no longer; execution %d %s."
              .formatted(
                  id,
                  alive
                      ? "continues in another process"
                      : "has no live process, and the same command resumes it"));
    }
    try {
      return alive ? execution : executions.recover(execution);
    } catch (JobRefused _) {
      return execution; // another thread or process is recovering it
    }
  }

  /**
   * Repeats the action while the database is unavailable.
   *
   * @throws StartRefused if the system database is not as it must be
   */
  private <T extends @Nullable Object> T whenAvailable(Supplier<T> action)
      throws InterruptedException {
    long begun = System.nanoTime();
    Outage outage =
        new Outage(
            log,
            "The start or the query of a job",
            "it is retried for at most " + DurationFormatterUtils.print(wait, COMPOSITE));
    while (true) {
      try {
        T result = action.get();
        outage.over();
        return result;
      } catch (Unavailable e) {
        executions.mustBeOpen();
        if (NestedExceptionUtils.getMostSpecificCause(e) instanceof StartRefused refused) {
          throw refused; // waiting does not help
        }
        if (System.nanoTime() - begun > wait.toNanos()) {
          throw e;
        }
        outage.failed(e);
        Thread.sleep(LOOK);
      }
    }
  }
}
