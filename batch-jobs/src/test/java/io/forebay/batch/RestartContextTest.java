/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ExecutionContext;

class RestartContextTest {

  private final List<Object> written = new ArrayList<>();

  private ChunkOrientedStepBuilder<Long, Long> step(TestBatch batch) {
    return batch.<Long>step(40, 10).writer(this::write);
  }

  private void write(Chunk<? extends Long> items) {
    if (items.getItems().contains(25L) && !written.contains("failed")) {
      written.add("failed");
      throw new IllegalStateException("the first time");
    }
    written.addAll(items.getItems());
  }

  /** Simulates a process that dies after a restart, before its first chunk is committed. */
  private static void restartAndDie(TestBatch batch) {
    JobInstance instance =
        Objects.requireNonNull(batch.repository().getJobInstance("job", new JobParameters()));
    JobExecution job =
        batch
            .repository()
            .createJobExecution(instance, new JobParameters(), new ExecutionContext());
    StepExecution step = batch.repository().createStepExecution("step", job);
    step.setStatus(BatchStatus.STARTED);
    step.setStartTime(LocalDateTime.now());
    batch.repository().update(step);
    job.setStatus(BatchStatus.STARTED);
    job.setStartTime(LocalDateTime.now());
    batch.repository().update(job);
    batch.recover(Objects.requireNonNull(batch.last()));
  }

  private static List<Object> numbers(long from, long to) {
    return LongStream.rangeClosed(from, to).<Object>mapToObj(number -> number).toList();
  }

  @Test
  void aStepKilledTwiceResumesAfterItsLastCommittedChunk() throws Exception {
    TestBatch batch = new TestBatch();
    RestartContext context = new RestartContext(batch.repository());
    batch.run(step(batch).listener(context).build());
    written.clear();
    written.add("failed");
    restartAndDie(batch);
    restartAndDie(batch);

    JobExecution restarted = batch.run(step(batch).listener(context).build());

    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    written.removeFirst();
    assertThat(written).isEqualTo(numbers(21, 40));
  }

  /**
   * If this fails, Spring Batch has fixed the problem and {@link RestartContext} can be removed.
   */
  @Test
  void withoutItTheStepStartsFromTheBeginning() throws Exception {
    TestBatch batch = new TestBatch();
    batch.run(step(batch).build());
    written.clear();
    written.add("failed");
    restartAndDie(batch);

    batch.run(step(batch).build());

    written.removeFirst();
    assertThat(written).isEqualTo(numbers(1, 40));
  }
}
