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
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ExecutionContext;

class RestartTest {

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

  /**
   * Simulates a process that dies after a restart, before its first chunk is committed.
   *
   * @param begun whether the step had begun
   */
  private static void restartAndDie(TestBatch batch, boolean begun) {
    JobRepository repository = batch.repository();
    JobInstance instance =
        Objects.requireNonNull(repository.getJobInstance("job", new JobParameters()));
    ExecutionContext earlier =
        Objects.requireNonNull(repository.getLastStepExecution(instance, "step"))
            .getExecutionContext();
    JobExecution job =
        repository.createJobExecution(instance, new JobParameters(), new ExecutionContext());
    StepExecution step = repository.createStepExecution("step", job);
    step.setExecutionContext(earlier);
    if (begun) {
      step.setStatus(BatchStatus.STARTED);
      step.setStartTime(LocalDateTime.now());
      repository.update(step);
    }
    job.setStatus(BatchStatus.STARTED);
    job.setStartTime(LocalDateTime.now());
    repository.update(job);
    batch.recover(Objects.requireNonNull(batch.last()));
  }

  private static List<Object> numbers(long from, long to) {
    return LongStream.rangeClosed(from, to).<Object>mapToObj(number -> number).toList();
  }

  @Test
  void aStepKilledBeforeItsFirstChunkResumesAfterItsLastCommittedOne() throws Exception {
    TestBatch batch = new TestBatch();
    batch.run(step(batch).build());
    written.clear();
    written.add("failed");
    restartAndDie(batch, false);
    restartAndDie(batch, true);
    restartAndDie(batch, false);

    JobExecution restarted = batch.run(step(batch).build());

    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    written.removeFirst();
    assertThat(written).isEqualTo(numbers(21, 40));
  }
}
