/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * Keeps the position of a step even if the process is killed soon after a restart. Spring Batch 6.0
 * copies the execution context of the previous step execution to the new one in memory only, and
 * writes it with the first chunk. A process that dies before that leaves an execution without a
 * context, and the next restart runs the step from the beginning. With this listener, a step finds
 * the last written context and writes it before its streams are opened.
 *
 * <pre>{@code
 * new StepBuilder("letters", repository).<Contract, Letter>chunk(5_000)
 *     …
 *     .listener(new RestartContext(repository))
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class RestartContext implements StepExecutionListener {

  /**
   * Stored in every written context: a random text, the same in all executions of the step of a job
   * instance.
   */
  static final String KEPT = "forebay.kept";

  private static final int KEPT_CHARACTERS = 8;

  /** The step execution for which {@link JobProgress#EARLIER} was counted. */
  private static final String COUNTED = "forebay.counted";

  private final JobRepository repository;

  public RestartContext(JobRepository repository) {
    this.repository = repository;
  }

  @Override
  public void beforeStep(StepExecution step) {
    if (!step.getExecutionContext().containsKey(KEPT)) {
      List<StepExecution> earlier = earlier(step);
      last(earlier)
          .ifPresent(last ->
              last.getExecutionContext()
                  .entrySet()
                  .forEach(
                      entry -> step.getExecutionContext().put(entry.getKey(), entry.getValue())));
      step.getExecutionContext().put(KEPT, kept(earlier));
    }
    countEarlier(step);
    repository.updateExecutionContext(step);
  }

  /** Adds what the execution before this one read; once, also if another process continues it. */
  private void countEarlier(StepExecution step) {
    ExecutionContext context = step.getExecutionContext();
    if (context.getLong(COUNTED, -1) == step.getId()) {
      return;
    }
    long read =
        repository.getJobExecutions(step.getJobExecution().getJobInstance()).stream()
            .filter(job -> job.getId() < step.getJobExecutionId())
            .filter(job -> job.getStepExecutions().stream().anyMatch(it -> isOf(step, it)))
            .findFirst()
            .map(job ->
                job.getStepExecutions().stream()
                    .filter(it -> isOf(step, it) && it.getStatus() != BatchStatus.ABANDONED)
                    .mapToLong(RestartContext::committed)
                    .sum())
            .orElse(0L);
    context.putLong(JobProgress.EARLIER, context.getLong(JobProgress.EARLIER, 0) + read);
    context.putLong(COUNTED, step.getId());
  }

  /** Whether it counts items of the step: the step itself, or a partition of it. */
  private static boolean isOf(StepExecution step, StepExecution other) {
    ExecutionContext context = step.getExecutionContext();
    return context.containsKey(PartitionedStepBuilder.PARTITIONS)
        ? step.getStepName()
            .equals(other.getExecutionContext().get(PartitionedStepBuilder.PARTITION_OF))
        : step.getStepName().equals(other.getStepName());
  }

  /** The items of committed chunks. Spring Batch also counts those of the failed chunk as read. */
  static long committed(StepExecution step) {
    return step.getStatus() == BatchStatus.FAILED
        ? step.getWriteCount()
            + step.getFilterCount()
            + step.getProcessSkipCount()
            + step.getWriteSkipCount()
        : step.getReadCount();
  }

  /** The earlier executions of this step, newest first. */
  private List<StepExecution> earlier(StepExecution step) {
    return repository.getJobExecutions(step.getJobExecution().getJobInstance()).stream()
        .flatMap(job -> job.getStepExecutions().stream())
        .filter(it -> it.getStepName().equals(step.getStepName()) && it.getId() != step.getId())
        .toList();
  }

  /** The last execution of the step that has a context; empty if the step was completed since. */
  private static Optional<StepExecution> last(List<StepExecution> earlier) {
    return earlier.stream()
        .filter(it ->
            it.getStatus() == BatchStatus.COMPLETED || it.getExecutionContext().containsKey(KEPT))
        .findFirst()
        .filter(it -> it.getStatus() != BatchStatus.COMPLETED);
  }

  private static Object kept(List<StepExecution> earlier) {
    return earlier.stream()
        .map(it -> it.getExecutionContext().get(KEPT))
        .filter(Objects::nonNull)
        .findFirst()
        .orElseGet(() -> UUID.randomUUID().toString().substring(0, KEPT_CHARACTERS));
  }
}
