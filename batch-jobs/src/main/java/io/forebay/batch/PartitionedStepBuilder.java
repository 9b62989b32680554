/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.operations.jobs.FailureSummary;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecutionException;
import org.springframework.batch.core.partition.StepExecutionSplitter;
import org.springframework.batch.core.partition.support.DefaultStepExecutionAggregator;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.PartitionStepBuilder;
import org.springframework.batch.core.step.builder.StepBuilderHelper;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Builds a step that is performed in partitions; see {@link JobSteps#partitioned}. For one thread.
 */
public final class PartitionedStepBuilder extends PartitionStepBuilder {

  /** Key in the context of the step: the contexts of its partitions, by name. */
  public static final String PARTITIONS = "forebay.partitions";

  /** Key in the context of a partition: the name of the step that was divided. */
  public static final String PARTITION_OF = "forebay.partition-of";

  private final Step worker;
  private final @Nullable SharedPartitions shared;
  private boolean acrossProcesses;

  /**
   * @param shared null if the job repository belongs to one process
   */
  PartitionedStepBuilder(
      StepBuilderHelper<?> step,
      String name,
      StepExecutionSplitter partitions,
      Step worker,
      @Nullable SharedPartitions shared) {
    super(step);
    this.worker = worker;
    this.shared = shared;
    step(worker);
    splitter(partitions);
    aggregator(PartitionedStepBuilder::aggregate);
    taskExecutor(new SimpleAsyncTaskExecutor(name + "-"));
  }

  /**
   * Has the partitions performed by all running processes that have this job and share the job
   * repository. Each performs at most {@code forebay.jobs.partitions} at a time, on own threads; a
   * {@code taskExecutor} is not used. If a process dies, another one continues its partitions after
   * their last commit, as soon as the lease of the dead process has expired.
   *
   * @throws IllegalStateException if the {@link JobSteps} were created without {@link
   *     SharedPartitions}
   */
  public PartitionedStepBuilder acrossProcesses() {
    if (shared == null) {
      throw new IllegalStateException(
          "partitions across processes need the job repository of Forebay; inject the bean JobSteps");
    }
    acrossProcesses = true;
    return this;
  }

  /** Adds the figures of the partitions, and why they failed, to the whole step. */
  private static void aggregate(StepExecution whole, Collection<StepExecution> partitions) {
    new DefaultStepExecutionAggregator().aggregate(whole, partitions);
    List<StepExecution> failed =
        partitions.stream()
            .filter(it -> it.getStatus() == BatchStatus.FAILED)
            .sorted(Comparator.comparing(StepExecution::getStepName, NaturalOrder.OF_NAMES))
            .toList();
    if (!failed.isEmpty()) {
      StepExecution first = failed.getFirst();
      whole.addFailureException(
          new JobExecutionException(
              "partition %s failed%s: %s"
                  .formatted(
                      first.getStepName(),
                      failed.size() == 1 ? "" : ", and %d more".formatted(failed.size() - 1),
                      cause(first.getExitStatus().getExitDescription()))));
    }
  }

  private static String cause(String description) {
    String cause = FailureSummary.of(description);
    return cause.isEmpty() ? "no reason is known" : cause;
  }

  @Override
  public PartitionedStepBuilder gridSize(int gridSize) {
    super.gridSize(gridSize);
    return this;
  }

  @Override
  public Step build() {
    if (shared == null || !acrossProcesses) {
      return super.build();
    }
    partitionHandler(shared.handler(getGridSize()));
    Step whole = super.build();
    shared.add(whole, worker);
    return whole;
  }
}
