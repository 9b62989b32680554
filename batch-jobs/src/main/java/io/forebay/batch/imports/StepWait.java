/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.JobProgress;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Waits within a step so that operators can see and stop it. The reason stands in the step's
 * execution context under {@code forebay.waiting}, and a stop ends the wait within half a second.
 * While the job repository is unavailable the wait continues, and only a stop by this process is
 * noticed. For the step's thread.
 */
final class StepWait {

  static final String REASON = JobProgress.WAITING;

  private static final Logger log = LoggerFactory.getLogger(StepWait.class);
  private static final Duration LOOK = Duration.ofMillis(500);

  private final JobRepository repository;
  private final StepExecution step;
  private @Nullable Instant since;
  private boolean told;

  StepWait(JobRepository repository, StepExecution step) {
    this.repository = repository;
    this.step = step;
    step.getExecutionContext().remove(REASON); // left by an earlier execution
  }

  /**
   * Waits for a time.
   *
   * @param reason a sentence for operators
   * @throws JobInterruptedException if the job must stop
   */
  void await(Duration time, String reason) throws JobInterruptedException {
    tell(reason);
    long until = System.nanoTime() + time.toNanos();
    try {
      for (long left = time.toNanos(); left > 0; left = until - System.nanoTime()) {
        Thread.sleep(Duration.ofNanos(Math.min(left, LOOK.toNanos())));
        mustGoOn();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JobInterruptedException("the step was interrupted while it waited");
    }
  }

  /**
   * Reports what takes long, instead of a wait.
   *
   * @throws JobInterruptedException if the job must stop
   */
  void works(String what) throws JobInterruptedException {
    tell(what);
    mustGoOn();
  }

  /**
   * @throws JobInterruptedException if the job must stop
   */
  void mustGoOn() throws JobInterruptedException {
    if (step.isTerminateOnly() || isAskedToStop()) {
      step.setTerminateOnly();
      throw new JobInterruptedException("the job was stopped while it waited");
    }
  }

  private boolean isAskedToStop() {
    try {
      JobExecution now = repository.getJobExecution(step.getJobExecution().getId());
      return now == null || now.isStopping() || now.isStopped();
    } catch (DataAccessException | TransactionException _) {
      return false;
    }
  }

  private void tell(String reason) {
    if (since == null) {
      since = Instant.now();
      log.warn(
          "step {} of job execution {} waits: {}",
          step.getStepName(),
          step.getJobExecution().getId(),
          reason);
    }
    if (!reason.equals(step.getExecutionContext().get(REASON))) {
      step.getExecutionContext().putString(REASON, reason);
      told = false;
    }
    if (!told) {
      told = store();
    }
  }

  /** Stores the reason. If that fails, the next check or the chunk stores it. */
  private boolean store() {
    try {
      repository.updateExecutionContext(step);
      return true;
    } catch (DataAccessException | TransactionException _) {
      return false;
    }
  }

  /** Records that the wait is over. */
  void over() {
    if (since != null) {
      log.info(
          "step {} of job execution {} resumes after {} s",
          step.getStepName(),
          step.getJobExecution().getId(),
          Duration.between(since, Instant.now()).toSeconds());
      since = null;
      step.getExecutionContext().remove(REASON);
      store();
    }
  }
}
