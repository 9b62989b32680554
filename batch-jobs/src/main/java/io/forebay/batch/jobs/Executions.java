/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static io.forebay.operations.jobs.JobRefused.Reason.ALIVE;
import static io.forebay.operations.jobs.JobRefused.Reason.NOT_RESTARTABLE;
import static io.forebay.operations.jobs.JobRefused.Reason.NOT_RUNNING;

import io.forebay.operations.jobs.JobRefused;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.StepLocator;
import org.springframework.batch.core.step.tasklet.StoppableTasklet;
import org.springframework.batch.core.step.tasklet.TaskletStep;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.core.task.TaskRejectedException;

/**
 * The executions that this process performs, stops and recovers. Spring Batch's operator decides
 * what may start, creates the execution, and launches it here. Thread-safe.
 */
final class Executions {

  private static final Logger log = LoggerFactory.getLogger(Executions.class);

  private final Owners owners;
  private final JobRepository repository;
  private final JobRegistry registry;
  private final TaskExecutor threads = new SimpleAsyncTaskExecutor("forebay-job-");
  private volatile boolean closed;

  Executions(Owners owners, JobRepository repository, JobRegistry registry) {
    this.owners = owners;
    this.repository = repository;
    this.registry = registry;
  }

  /** Executions that a thread of this process runs or recovers. */
  Collection<Long> running() {
    return List.copyOf(owners.here().keySet());
  }

  /**
   * @throws JobRefused if this process is shutting down
   */
  void mustBeOpen() {
    if (closed) {
      throw new JobRefused(
          NOT_RUNNING,
          "This process is shutting down, so it starts nothing; start the job when it is running"
              + " again.");
    }
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Replaces what Spring Batch's operator does to an execution that it did not create. It would
   * give a running execution an end at once, so that it could be restarted beside its last chunk.
   */
  @Nullable Object operate(MethodInvocation call) throws Throwable {
    String name = call.getMethod().getName();
    if (!Set.of("stop", "recover", "abandon").contains(name)) {
      return call.proceed();
    }
    Object which = Objects.requireNonNull(call.getArguments()[0]);
    JobExecution execution =
        which instanceof JobExecution given ? given : repository.getJobExecution((Long) which);
    Objects.requireNonNull(execution, "there is no such execution");
    return switch (name) {
      case "stop" -> {
        stop(execution);
        yield true;
      }
      case "recover" -> recover(execution);
      default -> {
        abandon(execution);
        yield repository.getJobExecution(execution.getId());
      }
    };
  }

  /** Performs the execution that the calling thread has just created. */
  void execute(Runnable launched) {
    JobExecution execution = owners.takeMade();
    try {
      if (closed) {
        throw new TaskRejectedException("this process is shutting down");
      }
      threads.execute(() -> perform(launched, execution));
    } catch (RuntimeException | Error e) {
      owners.letGo(execution.getId());
      execution.addFailureException(e);
      throw new TaskRejectedException("no thread can run the execution", e);
    }
  }

  private void perform(Runnable launched, JobExecution execution) {
    long id = execution.getId();
    String job = execution.getJobInstance().getJobName();
    try {
      launched.run();
      log.atLevel(Endings.level(execution))
          .log("job {}, execution {}: {}", job, id, Endings.text(execution));
    } catch (JobTakenOver e) {
      execution.setStatus(BatchStatus.UNKNOWN);
      log.warn("job {}: {}", job, e.getMessage());
    } catch (Exception e) {
      execution.setStatus(BatchStatus.UNKNOWN);
      log.error(
          "job {}, execution {}: its end could not be written ({}); it is recovered later",
          job,
          id,
          e.getClass().getName());
    } finally {
      owners.letGo(id);
    }
  }

  /**
   * Asks the execution to stop at the end of its chunk, in whichever process it runs.
   *
   * @throws JobRefused if it does not run or its process is dead
   */
  void stop(JobExecution execution) {
    long id = execution.getId();
    if (execution.isRunning() && !owners.isAlive(owners.owner(id))) {
      throw new JobRefused(
          NOT_RUNNING,
          "The process of the execution is dead, so there is nothing to stop; recover the execution.");
    }
    if (!owners.askToStop(id)) {
      throw new JobRefused(
          NOT_RUNNING,
          "The execution is not running or already stopping, so there is nothing to stop.");
    }
    interrupt(id);
  }

  /** Asks an execution of this process to stop, even if that cannot be written. */
  void stopHere(long id) {
    try {
      owners.askToStop(id);
    } catch (RuntimeException e) {
      log.warn("execution {} could not be asked to stop ({})", id, e.getClass().getName());
    }
    interrupt(id);
  }

  /** Handles stop requests that other processes made. */
  void heed() {
    if (!owners.here().isEmpty()) {
      owners.askedToStop().forEach(this::interrupt);
    }
  }

  void open() {
    closed = false;
  }

  /** Refuses to start jobs from now on. */
  void close() {
    closed = true;
  }

  /** Stops an execution of this process without waiting until it reads the repository. */
  void interrupt(long id) {
    JobExecution here = owners.here().get(id);
    if (here == null) {
      return;
    }
    Job job = registry.getJob(here.getJobInstance().getJobName());
    for (StepExecution step : here.getStepExecutions()) {
      step.setTerminateOnly();
      if (job instanceof StepLocator steps) {
        interrupt(steps.getStep(step.getStepName()), step);
      }
    }
  }

  private static void interrupt(@Nullable Step step, StepExecution execution) {
    if (step instanceof TaskletStep tasklet
        && tasklet.getTasklet() instanceof StoppableTasklet stoppable) {
      stoppable.stop(execution);
    }
  }

  /**
   * Marks an execution as failed if its process is dead or could not write how it ended.
   *
   * @throws JobRefused if a live process runs it, or it has ended
   */
  JobExecution recover(JobExecution execution) {
    mustBeStuck(execution); // its process may live a moment longer
    long id = execution.getId();
    if (owners.claim(execution)) {
      try {
        if (owners.takeOver(id)) {
          return fail(id);
        }
      } finally {
        owners.letGo(id);
      }
    }
    throw new JobRefused(
        ALIVE, "A live process runs the execution. It can be recovered when that process is dead.");
  }

  /**
   * Marks an execution that failed or was stopped as never to be restarted, whichever process ran
   * it; only the newest one of its instance, and not beside a restart.
   *
   * @throws JobRefused if it is not the newest one, is running, or is complete
   */
  void abandon(JobExecution execution) {
    if (Endings.isStuck(execution)
        || !owners.abandon(execution.getId(), execution.getJobInstanceId())) {
      throw new JobRefused(
          NOT_RESTARTABLE,
          "Only the newest execution with the same parameters can be abandoned, if it failed or was stopped.");
    }
  }

  private static JobExecution mustBeStuck(@Nullable JobExecution execution) {
    if (execution == null || !Endings.isStuck(execution)) {
      throw new JobRefused(NOT_RUNNING, "The execution has ended, so there is nothing to recover.");
    }
    return execution;
  }

  private JobExecution fail(long id) {
    JobExecution mine = mustBeStuck(repository.getJobExecution(id));
    LocalDateTime now = LocalDateTime.now();
    mine.setStatus(BatchStatus.FAILED);
    for (StepExecution step : mine.getStepExecutions()) {
      if (Endings.isOpen(step.getStatus())) {
        boolean begun = step.getStatus() != BatchStatus.STARTING;
        step.setStatus(begun ? BatchStatus.FAILED : BatchStatus.STOPPED);
        step.setExitStatus(begun ? Endings.RECOVERED : ExitStatus.STOPPED);
        step.setEndTime(now);
        repository.update(step);
      }
    }
    mine.setExitStatus(Endings.RECOVERED);
    mine.setEndTime(now);
    repository.update(mine);
    log.warn(
        "job {}, execution {}: recovered; its process had died or could not reach the repository; a restart continues it",
        mine.getJobInstance().getJobName(),
        id);
    return mine;
  }
}
