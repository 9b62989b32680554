/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static io.forebay.batch.JobProgress.EARLIER;
import static io.forebay.batch.JobProgress.PARTITIONS;
import static io.forebay.batch.JobProgress.PARTITION_OF;
import static io.forebay.batch.JobProgress.READ;
import static io.forebay.batch.JobProgress.TOTAL;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
 * Thread-safe.
 */
final class KeptPartitions implements StepExecutionSplitter {

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
    ExecutionContext context = whole.getExecutionContext();
    if (context.containsKey(PARTITIONS)) {
      context.putLong(EARLIER, read(whole, contexts(context).keySet()));
    } else {
      Map<String, ExecutionContext> made = partitioner.partition(gridSize);
      Map<String, Map<String, Object>> partitions = new HashMap<>();
      made.forEach((name, own) -> {
        own.putString(PARTITION_OF, whole.getStepName());
        partitions.put(name, new HashMap<>(own.toMap()));
      });
      context.put(PARTITIONS, partitions);
      if (!context.containsKey(TOTAL)
          && made.values().stream().allMatch(own -> own.containsKey(TOTAL))) {
        context.putLong(TOTAL, made.values().stream().mapToLong(own -> own.getLong(TOTAL)).sum());
      }
    }
    repository.updateExecutionContext(whole);
    return new SimpleStepExecutionSplitter(repository, step, _ -> contexts(context))
        .split(whole, gridSize);
  }

  /** What the partitions have read in all executions before this one. */
  private long read(StepExecution whole, Set<String> names) {
    return names.stream()
        .map(name ->
            repository.getLastStepExecution(
                whole.getJobExecution().getJobInstance(), step + ":" + name))
        .filter(Objects::nonNull)
        .map(StepExecution::getExecutionContext)
        .mapToLong(last -> last.getLong(EARLIER, 0) + last.getLong(READ, 0))
        .sum();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, ExecutionContext> contexts(ExecutionContext whole) {
    Map<String, ExecutionContext> partitions = new HashMap<>();
    ((Map<String, Map<String, Object>>) Objects.requireNonNull(whole.get(PARTITIONS)))
        .forEach((name, values) -> partitions.put(name, new ExecutionContext(values)));
    return partitions;
  }
}
