/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.partitions;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.batch.JobProgress;
import io.forebay.batch.SharedPartitions;
import io.forebay.batch.partitions.PartitionClaims.End;
import io.forebay.batch.partitions.PartitionClaims.Partition;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.partition.PartitionHandler;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.StepLocator;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Performs partitions in this process, each on its own thread, if a job bean of the application has
 * a step of {@link io.forebay.batch.PartitionedStepBuilder#acrossProcesses}. It begins one at a
 * time, with a pause, so that all processes get some. Thread-safe.
 */
public final class PartitionWorker implements SharedPartitions {

  private static final Logger log = LoggerFactory.getLogger(PartitionWorker.class);

  /** How often the database is asked for partitions. */
  private static final Duration LOOK = Duration.ofMillis(500);

  private final JobRegistry registry;
  private final JobRepository repository;
  private final PartitionClaims claims;
  private final int limit;

  /** The steps that perform partitions, by the identity of the step that is divided. */
  private final Map<Step, Step> workers = Collections.synchronizedMap(new IdentityHashMap<>());

  private final BackgroundTask looks =
      new BackgroundTask(
          "forebay-partitions",
          LOOK,
          new Outage(
              log, "The search for partitions", "it is retried every " + LOOK.toMillis() + " ms"),
          this::look);
  private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("forebay-partition-");
  private volatile boolean closed;

  /**
   * @param limit how many partitions to perform at a time; 0: none
   */
  public PartitionWorker(
      JobRegistry registry, JobRepository repository, PartitionClaims claims, int limit) {
    this.registry = registry;
    this.repository = repository;
    this.claims = claims;
    this.limit = limit;
  }

  @Override
  public PartitionHandler handler(int gridSize) {
    return new ClaimedPartitions(repository, claims, this, gridSize);
  }

  @Override
  public void add(Step whole, Step worker) {
    workers.put(whole, worker);
  }

  /** Begins to claim partitions. */
  public void start() {
    closed = false;
    if (limit > 0 && !workers.isEmpty()) {
      looks.start();
    }
  }

  /**
   * Claims no partitions any more, and hands those of this process back at the end of their chunks.
   */
  public void stop() {
    closed = true;
    claims.performed().forEach(StepExecution::setTerminateOnly);
  }

  /** Whether this process still performs a partition, or could not write its end. */
  public boolean isBusy() {
    return claims.held() > 0;
  }

  /**
   * Ends the thread that looks for partitions, after {@link #stop}.
   *
   * @param atMost how long to wait for a running query
   */
  public void close(Duration atMost) {
    looks.close(atMost);
  }

  /** Looks for partitions at once. */
  void wake() {
    if (limit > 0 && !closed) {
      looks.start(); // the job may have been created after this process started
      looks.wake();
    }
  }

  /** Whether the processes that have this job know how to perform the partitions of the step. */
  boolean knows(String job, String step) {
    return worker(job, step) != null;
  }

  private @Nullable Step worker(String job, String step) {
    Step whole = registry.getJob(job) instanceof StepLocator steps ? steps.getStep(step) : null;
    return whole == null ? null : workers.get(whole);
  }

  private void look() {
    try {
      claims.letGo();
      if (claims.held() < limit) {
        claimOne(claims.claimable());
      }
    } catch (RuntimeException e) { // its message may have values of rows
      throw new Unavailable(e.getClass().getName(), e);
    }
  }

  /** Claims at most one partition, so that all processes get some. */
  private void claimOne(List<Partition> partitions) {
    RuntimeException failure = null;
    for (Partition partition : partitions) {
      try {
        Step worker = worker(partition.job(), partition.step());
        if (worker != null && !closed && claims.claim(partition)) {
          begin(partition, worker);
          return;
        }
      } catch (RuntimeException e) {
        failure = e; // the row may be locked by a process that was suspended while it committed
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void begin(Partition partition, Step worker) {
    try {
      threads.execute(() -> perform(partition, worker));
    } catch (RuntimeException | Error e) {
      claims.end(partition.id(), null, End.HANDED_BACK);
      throw e;
    }
  }

  private void perform(Partition partition, Step worker) {
    StepExecution step = null;
    End end = End.HANDED_BACK;
    try {
      step = repository.getStepExecution(partition.id());
      end = step == null || isOver(step.getStatus()) ? End.OVER : perform(partition, step, worker);
    } catch (JobTakenOver _) {
      end = End.LOST; // before it began
    } catch (JobInterruptedException | RuntimeException e) {
      log.warn(
          "job {}, partition {} could not begin ({}); it is offered again",
          partition.job(),
          partition.id(),
          e.getClass().getName());
    } finally {
      claims.end(partition.id(), step, end);
      if (end == End.OVER) {
        wake();
      }
    }
  }

  /** A process that died may have left a stopped partition, or one whose end is unknown. */
  private static boolean isOver(BatchStatus status) {
    return switch (status) {
      case COMPLETED, FAILED, ABANDONED -> true;
      case STARTING, STARTED, STOPPING, STOPPED, UNKNOWN -> false;
    };
  }

  private End perform(Partition partition, StepExecution step, Step worker)
      throws JobInterruptedException {
    step.setExitStatus(ExitStatus.EXECUTING);
    step.getExecutionContext().putLong(JobProgress.READ_BEFORE, step.getReadCount());
    step.getExecutionContext().putString(JobProgress.PERFORMED_BY, claims.self());
    claims.begin(step);
    if (closed) {
      step.setTerminateOnly();
    }
    log.info(
        "job {}, execution {}, {}: performed by this process from now on{}",
        partition.job(),
        step.getJobExecutionId(),
        step.getStepName(),
        step.getReadCount() == 0
            ? ""
            : " (%d items were read before)".formatted(step.getReadCount()));
    worker.execute(step);
    JobTakenOver takenOver = JobTakenOver.in(step);
    if (takenOver != null) {
      if (step.getFailureExceptions().getFirst() != takenOver) { // Spring Batch logged another one
        log.warn(
            "job {}: {}; the error before needs no action",
            partition.job(),
            takenOver.getMessage());
      }
      return End.LOST;
    }
    End end =
        switch (step.getStatus()) {
          case COMPLETED, FAILED, ABANDONED -> End.OVER;
          case STOPPED -> closed ? End.HANDED_BACK : End.OVER;
          case STARTING, STARTED, STOPPING, UNKNOWN -> End.LOST;
        };
    if (end == End.LOST) {
      log.warn(
          "job {}, execution {}, {}: this process could not write the end; it continues after its last commit."
              + " The errors of Spring Batch about it need no action",
          partition.job(),
          step.getJobExecutionId(),
          step.getStepName());
    } else {
      log.atLevel(step.getStatus() == BatchStatus.FAILED ? Level.WARN : Level.INFO)
          .log(
              "job {}, execution {}, {}: {}, {} items written",
              partition.job(),
              step.getJobExecutionId(),
              step.getStepName(),
              step.getStatus(),
              step.getWriteCount());
    }
    return end;
  }
}
