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
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Runs jobs to their end, with the repository in the system database. */
final class RepositoryJobs implements Jobs {

  private static final Logger log = LoggerFactory.getLogger(RepositoryJobs.class);

  /** How often an execution of this process is looked at; costs no query. */
  private static final Duration STEP = Duration.ofMillis(20);

  /** How often the repository is asked about an execution of another process. */
  private static final Duration LOOK = Duration.ofMillis(500);

  private final Starter starter;
  private final JobRepository repository;
  private final Executions executions;
  private final Owners owners;
  private final DescribedJobs descriptions;

  /** How long the database may be unavailable. */
  private final Duration wait;

  RepositoryJobs(
      Starter starter,
      JobRepository repository,
      Executions executions,
      Owners owners,
      DescribedJobs descriptions,
      JobsProperties properties) {
    this.starter = starter;
    this.repository = repository;
    this.executions = executions;
    this.owners = owners;
    this.descriptions = descriptions;
    wait = properties.await();
  }

  @Override
  public JobExecution runAndWait(String job, Map<String, @Nullable String> parameters)
      throws InterruptedException {
    return runAndWait(starter.known(job), GivenParameters.read(parameters, descriptions.get(job)));
  }

  @Override
  public JobExecution runAndWait(Job job, JobParameters parameters) throws InterruptedException {
    while (true) {
      try {
        JobExecution mine =
            whenAvailable(() -> starter.begin(job, parameters, Starter.APPLICATION));
        JobExecution ended = awaitEndHere(mine);
        if (!Endings.wasRecovered(ended) || Thread.currentThread().isInterrupted()) {
          return ended;
        }
        // Another process took it over, because this one seemed dead: the run continues there.
      } catch (JobRefused refused) {
        JobExecution ended = awaitEndElsewhere(job, parameters, refused);
        if (ended != null) {
          return ended;
        }
      }
    }
  }

  /** Waits for the end of an execution that this process runs. */
  private JobExecution awaitEndHere(JobExecution mine) throws InterruptedException {
    long id = mine.getId();
    boolean interrupted = false;
    while (executions.isRunning(id)) {
      try {
        Thread.sleep(STEP);
      } catch (InterruptedException _) {
        interrupted = true;
        executions.stopHere(id);
      }
    }
    JobExecution ended = mine.getStatus() == BatchStatus.UNKNOWN ? awaitEnd(id) : mine;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }

  /**
   * Waits for the end of the execution that prevents a start.
   *
   * @return null if nothing prevents it any more
   * @throws JobRefused the given one, if it has another cause
   */
  private @Nullable JobExecution awaitEndElsewhere(
      Job job, JobParameters parameters, JobRefused refused) throws InterruptedException {
    JobExecution last = whenAvailable(() -> Starter.guarded(() -> starter.last(job, parameters)));
    boolean stuck = last != null && Endings.isStuck(last);
    if (refused.reason() != ALREADY_RUNNING && !(refused.reason() == NOT_RESTARTABLE && stuck)) {
      throw refused;
    }
    if (last == null) {
      Thread.sleep(LOOK); // another process has just begun to start it
      return null;
    }
    if (stuck) {
      log.info(
          "job {}, execution {}: it already runs; waiting until it ends or its process is dead",
          job.getName(),
          last.getId());
    }
    JobExecution ended = awaitEnd(last.getId());
    return Endings.wasRecovered(ended) ? null : ended;
  }

  /** Waits for the end of an execution; if its process is dead, recovers it. */
  private JobExecution awaitEnd(long id) throws InterruptedException {
    while (true) {
      JobExecution ended = whenAvailable(() -> Starter.guarded(() -> ended(id)));
      if (ended != null) {
        return ended;
      }
      Thread.sleep(LOOK);
    }
  }

  private @Nullable JobExecution ended(long id) {
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
          alive
              ? "This process is shutting down and waits no longer; execution %d continues in another process."
                  .formatted(id)
              : "This process is shutting down; the process of execution %d is dead, and the same command resumes it."
                  .formatted(id));
    }
    if (alive) {
      return null;
    }
    try {
      return executions.recover(execution);
    } catch (JobRefused _) {
      return null; // another thread or process is recovering it
    }
  }

  /**
   * Repeats the action while the database is unavailable.
   *
   * @throws StartRefused if the role of jobs has too many rights
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
