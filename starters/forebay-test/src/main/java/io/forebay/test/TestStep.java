/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.listener.ChunkListener;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ItemProcessor;
import org.springframework.batch.infrastructure.item.ItemStream;

/** Runs an item processor as a step does, without a job and a repository. */
public final class TestStep {

  private static final String NAME = "test";

  private TestStep() {}

  /**
   * Processes items as one chunk of a step: calls the processor as a stream and as a listener too,
   * if it is one. Bodies of a chunking processor run concurrently, and their calls travel in
   * chunks.
   *
   * @return what the processor returned for each item; null for a filtered one
   * @throws Exception the first that the processor throws
   */
  public static <I, O> List<@Nullable O> process(
      ItemProcessor<I, O> processor, List<? extends I> items) throws Exception {
    return process(processor, items, new JobParameters());
  }

  /**
   * As the other method, for a processor or a body of step scope with {@code jobParameters}.
   *
   * @param parameters of the job of the step
   */
  public static <I, O> List<@Nullable O> process(
      ItemProcessor<I, O> processor, List<? extends I> items, JobParameters parameters)
      throws Exception {
    StepExecution step =
        new StepExecution(1, NAME, new JobExecution(1, new JobInstance(1, NAME), parameters));
    StepSynchronizationManager.register(step);
    try {
      return inStep(processor, items, step);
    } finally {
      StepSynchronizationManager.close();
    }
  }

  @SuppressWarnings("unchecked") // as a step registers its processor
  private static <I, O> List<@Nullable O> inStep(
      ItemProcessor<I, O> processor, List<? extends I> items, StepExecution step) throws Exception {
    if (processor instanceof ItemStream stream) {
      stream.open(step.getExecutionContext());
    }
    try {
      if (processor instanceof ChunkListener<?, ?> listener) {
        ((ChunkListener<I, O>) listener).beforeChunk(new Chunk<>(items));
      }
      List<@Nullable O> results = new ArrayList<>();
      for (I item : items) {
        results.add(processor.process(item));
      }
      return results;
    } finally {
      if (processor instanceof ItemStream stream) {
        stream.close();
      }
    }
  }
}
