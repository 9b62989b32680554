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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.InvalidJobParametersException;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.JobExecutionAlreadyRunningException;
import org.springframework.batch.core.launch.JobExecutionNotRunningException;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.launch.JobRestartException;
import org.springframework.batch.core.launch.support.TaskExecutorJobOperator;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.StepLocator;
import org.springframework.batch.core.step.tasklet.StoppableTasklet;
import org.springframework.batch.core.step.tasklet.TaskletStep;

/**
 * Spring Batch's job operator for executions that belong to processes. Thread-safe.
 *
 * <p>After a stop request the execution stays STOPPING until it has stopped. Spring Batch's
 * operator would mark it STOPPED at once, and it could be restarted while its last chunk is still
 * running.
 */
// Spring Batch's operator has deprecated ancestors.
@SuppressWarnings("removal")
final class OwnedJobOperator extends TaskExecutorJobOperator {

  private static final Logger log = LoggerFactory.getLogger(OwnedJobOperator.class);

  private final Owners owners;
  private final Map<Long, Running> running = new ConcurrentHashMap<>();

  /** Executions that no thread runs any more and whose end is not written yet. */
  private final Set<Long> ended = ConcurrentHashMap.newKeySet();

  OwnedJobOperator(Owners owners) {
    this.owners = owners;
  }

  private volatile boolean closed;

  private record Running(Job job, JobExecution execution) {}

  /** Executions that a thread of this process runs. */
  Collection<Long> running() {
    return List.copyOf(running.keySet());
  }

  /**
   * Whether a thread of this process runs the execution. If not, the {@link JobExecution} that
   * {@link #run} returned has its final status, or UNKNOWN if its end could not be written.
   */
  boolean isRunning(long id) {
    return running.containsKey(id);
  }

  /**
   * @throws JobRefused if this process is shutting down
   */
  @Override
  public JobExecution run(Job job, JobParameters parameters)
      throws JobExecutionAlreadyRunningException,
          JobRestartException,
          JobInstanceAlreadyCompleteException,
          InvalidJobParametersException {
    mustBeOpen();
    forgetUnbegun(job, parameters);
    owners.takeMade(); // left by the previous use of this thread
    try {
      return super.run(job, parameters);
    } catch (RuntimeException | Error e) {
      Long made = owners.takeMade();
      if (made != null) {
        letGoLaterUnlessItRuns(made);
      } else if (e instanceof IllegalStateException
          && String.valueOf(e.getMessage()).startsWith("Cannot find any job execution")) {
        // the instance has no execution: another caller makes it now, or has just deleted it
        throw new JobExecutionAlreadyRunningException("another process is starting this run");
      }
      throw e;
    }
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

  /** Ends an execution that may exist and belong to this process. */
  private void letGoLaterUnlessItRuns(long id) {
    if (!running.containsKey(id)) {
      ended.add(id); // written as soon as the repository is available
    }
  }

  /**
   * Deletes an instance without executions. A process that died while starting the job left it, and
   * no execution could be created for it.
   */
  private void forgetUnbegun(Job job, JobParameters parameters) {
    JobInstance instance = jobRepository.getJobInstance(job.getName(), parameters);
    if (instance != null && jobRepository.getJobExecutions(instance).isEmpty()) {
      owners.forgetUnbegun(instance.getInstanceId());
    }
  }

  @Override
  protected void launchJobExecution(Job job, JobExecution execution) {
    long id = execution.getId();
    running.put(id, new Running(job, execution));
    try {
      taskExecutor.execute(() -> perform(job, execution));
    } catch (RuntimeException | Error e) {
      running.remove(id);
      execution.setStatus(BatchStatus.FAILED);
      execution.setExitStatus(ExitStatus.FAILED.addExitDescription(e));
      execution.setEndTime(LocalDateTime.now());
      jobRepository.update(execution);
      throw e;
    }
  }

  private void perform(Job job, JobExecution execution) {
    long id = execution.getId();
    log.info("job {}, execution {}: started", job.getName(), id);
    try {
      job.execute(execution);
      log.atLevel(Endings.level(execution))
          .log("job {}, execution {}: {}", job.getName(), id, Endings.text(execution));
    } catch (JobTakenOver e) {
      execution.setStatus(BatchStatus.UNKNOWN);
      log.warn("job {}: {}", job.getName(), e.getMessage());
    } catch (Exception e) {
      execution.setStatus(BatchStatus.UNKNOWN);
      log.error(
          "job {}, execution {}: its end could not be written ({}); it is recovered later",
          job.getName(),
          id,
          e.getClass().getName());
    } finally {
      running.remove(id);
      ended.add(id);
      letGo();
    }
  }

  /** Releases ended executions. If that cannot be written now, the next call retries it. */
  void letGo() {
    for (long id : List.copyOf(ended)) {
      try {
        owners.letGo(id);
        ended.remove(id);
      } catch (RuntimeException e) {
        log.warn(
            "the end of execution {} could not be written ({}); it is retried",
            id,
            e.getClass().getName());
      }
    }
  }

  /**
   * Asks the execution to stop at the end of its chunk, in whichever process it runs.
   *
   * @return true
   * @throws JobExecutionNotRunningException if it does not run or its process is dead
   */
  @Override
  public boolean stop(JobExecution execution) throws JobExecutionNotRunningException {
    try {
      stop(execution.getId());
    } catch (JobRefused e) {
      throw new JobExecutionNotRunningException(String.valueOf(e.getMessage()));
    }
    return true;
  }

  /**
   * @throws JobRefused if it does not run or its process is dead
   */
  @Override
  public boolean stop(long id) {
    switch (owners.askToStop(id)) {
      case ASKED -> interrupt(id);
      case NOT_RUNNING ->
          throw new JobRefused(
              NOT_RUNNING,
              "The execution is not running or already stopping, so there is nothing to stop.");
      case DEAD ->
          throw new JobRefused(
              NOT_RUNNING,
              "The process of the execution is dead, so there is nothing to stop; recover the execution.");
    }
    return true;
  }

  /** Asks an execution of this process to stop, even if that cannot be written. */
  void stopHere(long id) {
    try {
      stop(id);
    } catch (RuntimeException e) {
      log.warn("execution {} could not be asked to stop ({})", id, e.getClass().getName());
      interrupt(id);
    }
  }

  /** Handles stop requests that other processes made. */
  void heed() {
    for (long id : running()) {
      if (owners.isAskedToStop(id)) {
        interrupt(id);
      }
    }
  }

  void open() {
    closed = false;
  }

  /** Refuses to start jobs from now on. */
  void close() {
    closed = true;
  }

  boolean knows(JobExecution execution) {
    return jobRegistry.getJob(execution.getJobInstance().getJobName()) != null;
  }

  /** Stops an execution of this process without waiting until it reads the repository. */
  void interrupt(long id) {
    Running here = running.get(id);
    if (here == null) {
      return;
    }
    for (StepExecution step : here.execution().getStepExecutions()) {
      step.setTerminateOnly();
      if (here.job() instanceof StepLocator steps) {
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
  @Override
  public JobExecution recover(JobExecution execution) {
    long id = execution.getId();
    if (!takeOver(id)) {
      throw new JobRefused(
          ALIVE,
          "A live process runs the execution. It can be recovered %d s after the last sign of life of that process."
              .formatted(owners.leases().lease().toSeconds()));
    }
    try {
      return fail(id);
    } catch (RuntimeException e) {
      letGoLaterUnlessItRuns(id);
      throw e;
    }
  }

  private boolean takeOver(long id) {
    try {
      return owners.takeOver(id);
    } catch (RuntimeException e) {
      letGoLaterUnlessItRuns(id);
      throw e;
    }
  }

  /**
   * Marks an execution that failed or was stopped as never to be restarted, whichever process ran
   * it.
   *
   * @throws JobExecutionAlreadyRunningException if it is running or completed
   */
  @Override
  public JobExecution abandon(JobExecution execution) throws JobExecutionAlreadyRunningException {
    long id = execution.getId();
    if (!takeOver(id)) {
      throw new JobExecutionAlreadyRunningException(
          "a live process runs execution %d; stop it first".formatted(id));
    }
    try {
      return super.abandon(execution);
    } finally {
      letGoLaterUnlessItRuns(id);
    }
  }

  /**
   * Like {@link #abandon}, only for the newest execution of its instance, and not beside a restart.
   *
   * @throws JobRefused if it is not the newest one, is running, or is complete
   */
  void abandonNewest(JobExecution execution) {
    if (Endings.isStuck(execution)
        || !owners.abandon(execution.getId(), execution.getJobInstanceId())) {
      throw new JobRefused(
          NOT_RESTARTABLE,
          "Only the newest execution with the same parameters can be abandoned, if it failed or was stopped.");
    }
  }

  private JobExecution fail(long id) {
    JobExecution mine = jobRepository.getJobExecution(id);
    if (mine == null || !Endings.isStuck(mine)) {
      owners.end(id);
      throw new JobRefused(NOT_RUNNING, "The execution has ended, so there is nothing to recover.");
    }
    LocalDateTime now = LocalDateTime.now();
    mine.setStatus(BatchStatus.FAILED);
    for (StepExecution step : mine.getStepExecutions()) {
      if (Endings.isOpen(step.getStatus())) {
        boolean begun = step.getStatus() != BatchStatus.STARTING;
        step.setStatus(begun ? BatchStatus.FAILED : BatchStatus.STOPPED);
        step.setExitStatus(begun ? Endings.RECOVERED : ExitStatus.STOPPED);
        step.setEndTime(now);
        jobRepository.update(step);
      }
    }
    mine.setExitStatus(Endings.RECOVERED);
    mine.setEndTime(now);
    jobRepository.update(mine);
    log.warn(
        "job {}, execution {}: recovered; its process had died or could not reach the repository; a restart continues it",
        mine.getJobInstance().getJobName(),
        id);
    return mine;
  }
}
