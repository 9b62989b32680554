/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.partition.StepExecutionSplitter;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.builder.PartitionStepBuilder;
import org.springframework.batch.core.step.builder.StepBuilderHelper;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Builds a step that is performed in partitions; see {@link JobSteps#partitioned}. For one thread.
 */
public final class PartitionedStepBuilder extends PartitionStepBuilder {

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
