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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.InvalidJobParametersException;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.JobExecutionAlreadyRunningException;
import org.springframework.batch.core.launch.JobExecutionNotRunningException;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.launch.JobRestartException;
import org.springframework.batch.core.launch.NoSuchJobException;
import org.springframework.batch.core.launch.NoSuchJobExecutionException;
import org.springframework.batch.core.launch.NoSuchJobInstanceException;
import org.springframework.batch.core.launch.support.TaskExecutorJobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.StepLocator;
import org.springframework.batch.core.step.tasklet.StoppableTasklet;
import org.springframework.batch.core.step.tasklet.TaskletStep;
import org.springframework.core.task.TaskExecutor;

/**
 * A job operator for executions that belong to processes. Spring Batch's operator decides what may
 * start and creates the execution; this one performs it, stops it and recovers it. Thread-safe.
 *
 * <p>A stopped execution stays STOPPING and has no end until it has stopped. Spring Batch's
 * operator gives it an end at once.
 */
// Spring Batch's operator has deprecated ancestors.
@SuppressWarnings("removal")
final class OwnedJobOperator implements JobOperator {

  private static final Logger log = LoggerFactory.getLogger(OwnedJobOperator.class);

  private final Owners owners;
  private final JobRepository repository;
  private final JobRegistry registry;
  private final TaskExecutor threads;

  /** Only creates executions: what it launches, this operator performs. */
  private final TaskExecutorJobOperator creator = new TaskExecutorJobOperator();

  private final Map<Long, Running> running = new ConcurrentHashMap<>();

  /** Executions that no thread runs any more and whose end is not written yet. */
  private final Set<Long> ended = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  /**
   * @param threads performs executions
   */
  OwnedJobOperator(
      Owners owners, JobRepository repository, JobRegistry registry, TaskExecutor threads)
      throws Exception {
    this.owners = owners;
    this.repository = repository;
    this.registry = registry;
    this.threads = threads;
    creator.setJobRepository(repository);
    creator.setJobRegistry(registry);
    creator.setTaskExecutor(_ -> {});
    creator.afterPropertiesSet();
  }

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
    begin();
    try {
      return launch(job, creator.run(job, parameters));
    } finally {
      letGoUnlaunched();
    }
  }

  @Override
  public JobExecution start(Job job, JobParameters parameters)
      throws JobExecutionAlreadyRunningException,
          JobRestartException,
          JobInstanceAlreadyCompleteException,
          InvalidJobParametersException {
    return job.getJobParametersIncrementer() == null
        ? run(job, parameters)
        : startNextInstance(job);
  }

  @Override
  public JobExecution startNextInstance(Job job) {
    begin();
    try {
      return launch(job, creator.startNextInstance(job));
    } finally {
      letGoUnlaunched();
    }
  }

  @Override
  public JobExecution restart(JobExecution execution) throws JobRestartException {
    begin();
    try {
      Job job = registry.getJob(execution.getJobInstance().getJobName());
      return launch(Objects.requireNonNull(job), creator.restart(execution));
    } finally {
      letGoUnlaunched();
    }
  }

  private void begin() {
    mustBeOpen();
    owners.takeMade(); // left by the previous use of this thread
  }

  /** The execution may exist even if the answer to its commit was lost. */
  private void letGoUnlaunched() {
    Long made = owners.takeMade();
    if (made != null) {
      letGoLaterUnlessItRuns(made);
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

  private JobExecution launch(Job job, JobExecution execution) {
    long id = execution.getId();
    owners.takeMade();
    running.put(id, new Running(job, execution));
    try {
      threads.execute(() -> perform(job, execution));
    } catch (RuntimeException | Error e) {
      running.remove(id);
      execution.setStatus(BatchStatus.FAILED);
      execution.setExitStatus(ExitStatus.FAILED.addExitDescription(e));
      execution.setEndTime(LocalDateTime.now());
      repository.update(execution);
      throw e;
    }
    return execution;
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
    return registry.getJob(execution.getJobInstance().getJobName()) != null;
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
          "A live process runs the execution. It can be recovered when that process is dead.");
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
      return creator.abandon(execution);
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
    JobExecution mine = repository.getJobExecution(id);
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

  @Override
  public Long startNextInstance(String job) {
    return startNextInstance(Objects.requireNonNull(registry.getJob(job))).getId();
  }

  @Override
  public Long restart(long id) throws NoSuchJobExecutionException, JobRestartException {
    return restart(find(id)).getId();
  }

  @Override
  public JobExecution abandon(long id)
      throws NoSuchJobExecutionException, JobExecutionAlreadyRunningException {
    return abandon(find(id));
  }

  private JobExecution find(long id) throws NoSuchJobExecutionException {
    JobExecution found = repository.getJobExecution(id);
    if (found == null) {
      throw new NoSuchJobExecutionException("there is no execution " + id);
    }
    return found;
  }

  @Override
  public Set<String> getJobNames() {
    return creator.getJobNames();
  }

  @Override
  public List<Long> getExecutions(long instance) throws NoSuchJobInstanceException {
    return creator.getExecutions(instance);
  }

  @Override
  public List<Long> getJobInstances(String job, int start, int count) throws NoSuchJobException {
    return creator.getJobInstances(job, start, count);
  }

  @Override
  public Set<Long> getRunningExecutions(String job) throws NoSuchJobException {
    return creator.getRunningExecutions(job);
  }

  @Override
  public String getParameters(long id) throws NoSuchJobExecutionException {
    return creator.getParameters(id);
  }

  @Override
  public String getSummary(long id) throws NoSuchJobExecutionException {
    return creator.getSummary(id);
  }

  @Override
  public Map<Long, String> getStepExecutionSummaries(long id) throws NoSuchJobExecutionException {
    return creator.getStepExecutionSummaries(id);
  }
}
