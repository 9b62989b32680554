/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.batch.CallKeys;
import io.forebay.batch.JobProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.repository.dao.ExecutionContextDao;
import org.springframework.batch.core.repository.dao.JobExecutionDao;
import org.springframework.batch.core.repository.dao.JobInstanceDao;
import org.springframework.batch.core.repository.dao.StepExecutionDao;
import org.springframework.batch.core.repository.support.SimpleJobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.OptimisticLockingFailureException;

/**
 * Spring Batch's repository, in which each execution belongs to the process that created it or took
 * it over. No other process writes it.
 *
 * <p>Spring Batch's version column fences only the row of a running step, not the time between two
 * steps: the next step is a new row.
 */
final class OwnedJobRepository extends SimpleJobRepository {

  private final Owners owners;
  private final ExecutionTable table;
  private final Duration keysKept;

  OwnedJobRepository(
      JobInstanceDao instances,
      JobExecutionDao executions,
      StepExecutionDao steps,
      ExecutionContextDao contexts,
      Owners owners,
      ExecutionTable table,
      Duration keysKept) {
    super(instances, executions, steps, contexts);
    this.owners = owners;
    this.table = table;
    this.keysKept = keysKept;
  }

  /**
   * Deletes an instance without executions. A process that died while it started the job left it,
   * and Spring Batch would refuse every start of it.
   */
  @Override
  public @Nullable JobInstance getJobInstance(String job, JobParameters parameters) {
    JobInstance instance = super.getJobInstance(job, parameters);
    if (instance == null || getLastJobExecution(instance) != null) {
      return instance;
    }
    owners.delete(instance.getInstanceId(), Instant.EPOCH);
    return null;
  }

  /**
   * @throws OptimisticLockingFailureException if another process began this instance first
   */
  @Override
  public JobInstance createJobInstance(String job, JobParameters parameters) {
    try {
      return super.createJobInstance(job, parameters);
    } catch (IllegalStateException e) { // how Spring Batch says that it exists
      throw new OptimisticLockingFailureException("another process began this instance", e);
    }
  }

  /**
   * @throws OptimisticLockingFailureException if another process began this instance first
   */
  @Override
  public JobExecution createJobExecution(
      JobInstance instance, JobParameters parameters, ExecutionContext context) {
    if (!owners.mayBegin(instance.getInstanceId())) {
      throw new OptimisticLockingFailureException(
          "another execution with these parameters was started or completed meanwhile");
    }
    if (!context.containsKey(CallKeys.RANDOM)) {
      context.putString(CallKeys.RANDOM, UUID.randomUUID().toString().substring(0, 8));
    }
    context.putLong(CallKeys.KEPT, keysKept.toMillis());
    JobExecution execution = super.createJobExecution(instance, parameters, context);
    owners.bind(execution, Starter.name());
    return execution;
  }

  /**
   * Returns null if there is none. Spring Batch's implementation throws, contrary to its
   * documentation.
   */
  @Override
  public @Nullable JobExecution getJobExecution(long id) {
    try {
      return super.getJobExecution(id);
    } catch (EmptyResultDataAccessException _) {
      return null;
    }
  }

  /**
   * Returns the step execution with the greatest id that has begun. Spring Batch compares creation
   * times, in the local time of the creating processes. When clocks are set back that selects an
   * earlier one, and chunks after its position would be performed again. An execution whose process
   * died before it began has no context yet.
   */
  @Override
  public @Nullable StepExecution getLastStepExecution(JobInstance instance, String step) {
    return table.lastStep(instance.getInstanceId(), step).map(this::getStepExecution).orElse(null);
  }

  @Override
  public StepExecution createStepExecution(String step, JobExecution execution) {
    owners.hold(execution.getId());
    return super.createStepExecution(step, execution);
  }

  @Override
  public void update(JobExecution execution) {
    owners.hold(execution.getId());
    execution.setExitStatus(
        FailureText.of(execution.getExitStatus(), execution.getAllFailureExceptions()));
    super.update(execution);
  }

  @Override
  public void update(StepExecution step) {
    if (mayWrite(step)) {
      step.setExitStatus(FailureText.of(step.getExitStatus(), step.getFailureExceptions()));
      if (step.getStatus() == BatchStatus.STARTED && Objects.equals(step.getVersion(), 0)) {
        begin(step);
      }
      super.update(step);
    }
  }

  /**
   * Writes the context of a step with its beginning. Spring Batch copies the context of the
   * previous execution in memory only, and writes it with the first chunk. If the process died
   * before that, the next restart would run the step from its start.
   */
  private void begin(StepExecution step) {
    ExecutionContext context = step.getExecutionContext();
    context.putLong(
        JobProgress.EARLIER,
        context.getLong(JobProgress.EARLIER, 0) + context.getLong(JobProgress.READ, 0));
    context.putLong(JobProgress.READ, 0);
    context.remove(JobProgress.CALLS);
    if (!context.containsKey(CallKeys.SINCE)) {
      context.putLong(CallKeys.SINCE, System.currentTimeMillis());
    }
    super.updateExecutionContext(step);
  }

  /** In the transaction of a chunk, counts its items as read. */
  @Override
  public void updateExecutionContext(StepExecution step) {
    if (mayWrite(step)) {
      if (step.getStatus() == BatchStatus.STARTED) { // it neither waits to begin nor has failed
        step.getExecutionContext().putLong(JobProgress.READ, step.getReadCount());
      }
      super.updateExecutionContext(step);
    }
  }

  @Override
  public void updateExecutionContext(JobExecution execution) {
    if (execution.getStepExecutions().stream().allMatch(it -> JobTakenOver.in(it) == null)) {
      owners.hold(execution.getId());
      super.updateExecutionContext(execution);
    }
  }

  /**
   * Whether a step belongs to this process. The end of a step that does not is not written: the
   * step becomes {@link BatchStatus#STOPPED} here, and Spring Batch ends it without an error.
   *
   * @throws JobTakenOver if it does not, and the step has not ended: the chunk must not commit
   */
  private boolean mayWrite(StepExecution step) {
    if (JobTakenOver.in(step) != null) {
      return false;
    }
    try {
      owners.hold(step.getJobExecutionId());
      return true;
    } catch (JobTakenOver e) {
      if (step.getStatus().isRunning()) {
        throw e;
      }
      step.addFailureException(e);
      step.setStatus(BatchStatus.STOPPED);
      return false;
    }
  }
}
