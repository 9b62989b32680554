/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.partitions;

import io.forebay.background.Outage;
import io.forebay.batch.partitions.PartitionClaims.Partition;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.partition.support.AbstractPartitionHandler;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.beans.BeanUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Offers the partitions of a step to all processes and waits for their ends. It does not return
 * while a process may still perform one of them: the job must not end before. Thread-safe.
 */
final class ClaimedPartitions extends AbstractPartitionHandler {

  private static final Logger log = LoggerFactory.getLogger(ClaimedPartitions.class);
  private static final Duration LOOK = Duration.ofMillis(500);

  /** How long no process may perform any partition before this is logged. */
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final JobRepository repository;
  private final PartitionClaims claims;
  private final PartitionWorker worker;

  ClaimedPartitions(
      JobRepository repository, PartitionClaims claims, PartitionWorker worker, int gridSize) {
    this.repository = repository;
    this.claims = claims;
    this.worker = worker;
    setGridSize(gridSize);
  }

  /**
   * @throws IllegalStateException if the job is not a bean: then no process could find its step
   */
  @Override
  protected Set<StepExecution> doHandle(StepExecution whole, Set<StepExecution> partitions) {
    String job = whole.getJobExecution().getJobInstance().getJobName();
    if (!worker.knows(job, whole.getStepName())) {
      throw new IllegalStateException(
          "the partitions of step %s cannot be performed across processes: job %s is not a bean of the application"
              .formatted(whole.getStepName(), job));
    }
    if (!partitions.isEmpty()) {
      claims.offer(
          whole.getJobExecutionId(),
          whole.getStepName(),
          partitions.stream().map(StepExecution::getId).toList());
      worker.wake();
      new Following(whole, partitions).untilTheyEnd();
    }
    return partitions;
  }

  /** Follows the partitions of one execution of a step, on the thread of its job. */
  private final class Following {

    private final StepExecution whole;
    private final Set<StepExecution> partitions;
    private final Outage outage =
        new Outage(
            log, "The query of partitions", "it is retried every " + LOOK.toMillis() + " ms");
    private long idleSince = System.nanoTime();
    private boolean interrupted;

    Following(StepExecution whole, Set<StepExecution> partitions) {
      this.whole = whole;
      this.partitions = partitions;
    }

    void untilTheyEnd() {
      while (!haveEnded()) {
        try {
          Thread.sleep(LOOK);
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    private boolean haveEnded() {
      try {
        boolean ended = look();
        outage.over();
        return ended;
      } catch (DataAccessException | TransactionException e) {
        outage.failed(e);
        return false;
      }
    }

    private boolean look() {
      if (interrupted) {
        claims.withdrawAll(whole.getJobExecutionId(), whole.getStepName());
      }
      List<Partition> open = claims.open(whole.getJobExecutionId(), whole.getStepName());
      List<Partition> abandoned = claims.abandoned(open);
      reportIdle(open.size(), abandoned.size());
      abandoned.stream()
          .filter(it -> isStopping() || it.tries() >= PartitionClaims.TRIES)
          .forEach(claims::withdraw);
      if (open.isEmpty()) {
        end();
      }
      return open.isEmpty();
    }

    private boolean isStopping() {
      return interrupted || whole.isTerminateOnly();
    }

    private void reportIdle(int open, int abandoned) {
      if (abandoned < open) {
        idleSince = System.nanoTime();
      } else if (System.nanoTime() - idleSince > IDLE.toNanos()) {
        idleSince = System.nanoTime();
        log.warn(
            "execution {}, step {}: {} partitions wait, and no process performs one; start a process that has the job"
                + " and forebay.jobs.partitions above 0",
            whole.getJobExecutionId(),
            whole.getStepName(),
            open);
      }
    }

    /** Ends withdrawn partitions, and takes the figures of all over from the repository. */
    private void end() {
      repository.updateExecutionContext(whole); // throws if the execution was taken over
      JobExecution now =
          Objects.requireNonNull(repository.getJobExecution(whole.getJobExecutionId()));
      Map<Long, StepExecution> found =
          now.getStepExecutions().stream()
              .collect(Collectors.toMap(StepExecution::getId, Function.identity()));
      for (StepExecution partition : partitions) {
        StepExecution end = Objects.requireNonNull(found.get(partition.getId()));
        if (end.getStatus().isRunning() || end.getStatus() == BatchStatus.UNKNOWN) {
          withdrawn(end);
        }
        BeanUtils.copyProperties(end, partition);
      }
    }

    private void withdrawn(StepExecution partition) {
      if (isStopping()) {
        partition.setStatus(BatchStatus.STOPPED);
        partition.setExitStatus(ExitStatus.STOPPED);
      } else {
        partition.setStatus(BatchStatus.FAILED);
        partition.setExitStatus(
            ExitStatus.FAILED.addExitDescription(
                "%d processes ended, or lost the database, while they performed the same chunk of this partition; correct the cause and restart the job"
                    .formatted(PartitionClaims.TRIES)));
      }
      partition.setEndTime(LocalDateTime.now());
      repository.update(partition);
    }
  }
}
