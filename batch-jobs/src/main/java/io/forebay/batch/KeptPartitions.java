/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static io.forebay.batch.JobProgress.PARTITIONS;
import static io.forebay.batch.JobProgress.PARTITION_OF;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobExecutionException;
import org.springframework.batch.core.partition.Partitioner;
import org.springframework.batch.core.partition.StepExecutionSplitter;
import org.springframework.batch.core.partition.support.SimpleStepExecutionSplitter;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * Splits a step into partitions that are the same in all executions of a job instance. The first
 * execution stores them in the context of the step, and the partitioner is not asked again.
 *
 * <p>Spring Batch 6.0 creates the execution of a partition before it writes the partition's
 * context. If the process dies between the two, a restart finds an empty context. Then the stored
 * one is used; the partition's {@link RestartContext} adds its position. Thread-safe.
 */
final class KeptPartitions implements StepExecutionSplitter {

  /** In the context of a partition: its name. */
  private static final String PARTITION = "forebay.partition";

  private final JobRepository repository;
  private final String step;
  private final Partitioner partitioner;

  /**
   * @param step the name of the step that performs a partition
   */
  KeptPartitions(JobRepository repository, String step, Partitioner partitioner) {
    this.repository = repository;
    this.step = step;
    this.partitioner = partitioner;
  }

  @Override
  public String getStepName() {
    return step;
  }

  @Override
  public Set<StepExecution> split(StepExecution whole, int gridSize) throws JobExecutionException {
    Map<String, ExecutionContext> partitions = kept(whole.getExecutionContext());
    if (partitions == null) {
      partitions = partitioner.partition(gridSize);
      partitions.forEach((name, context) -> {
        context.putString(PARTITION, name);
        context.putString(PARTITION_OF, whole.getStepName());
      });
      keep(whole, partitions);
    }
    Map<String, ExecutionContext> all = partitions;
    Set<StepExecution> executions =
        new SimpleStepExecutionSplitter(repository, step, _ -> all).split(whole, gridSize);
    for (StepExecution execution : executions) {
      ExecutionContext context = execution.getExecutionContext();
      if (!context.containsKey(PARTITION)) {
        String name = execution.getStepName().substring(step.length() + 1);
        ExecutionContext kept = Objects.requireNonNull(all.get(name));
        kept.entrySet().forEach(it -> context.put(it.getKey(), it.getValue()));
      }
    }
    return executions;
  }

  private void keep(StepExecution whole, Map<String, ExecutionContext> partitions) {
    Map<String, Map<String, Object>> kept = new HashMap<>();
    partitions.forEach((name, context) -> kept.put(name, new HashMap<>(context.toMap())));
    whole.getExecutionContext().put(PARTITIONS, kept);
    repository.updateExecutionContext(whole);
  }

  @SuppressWarnings("unchecked")
  private static @Nullable Map<String, ExecutionContext> kept(ExecutionContext context) {
    Object kept = context.get(PARTITIONS);
    if (kept == null) {
      return null;
    }
    Map<String, ExecutionContext> partitions = new HashMap<>();
    ((Map<String, Map<String, Object>>) kept)
        .forEach((name, values) -> partitions.put(name, new ExecutionContext(values)));
    return partitions;
  }
}
