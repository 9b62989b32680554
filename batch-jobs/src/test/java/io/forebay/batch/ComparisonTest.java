/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.listener.ItemProcessListener;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.core.step.item.ChunkProcessor;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ItemProcessor;
import org.springframework.batch.integration.async.AsyncItemProcessor;
import org.springframework.batch.integration.async.AsyncItemWriter;
import org.springframework.batch.integration.chunk.ChunkTaskExecutorItemWriter;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Demonstrates each line of {@code docs/jobs-compared.md}, for both sides. */
class ComparisonTest {

  private static final class NoName extends Exception {
    private static final long serialVersionUID = 1;
  }

  private final List<String> written = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger processErrors = new AtomicInteger();
  private TestBatch batch;

  @BeforeEach
  void open() throws Exception {
    again();
  }

  private void again() throws Exception {
    batch = new TestBatch();
    written.clear();
    processErrors.set(0);
  }

  private void write(Chunk<? extends String> items) {
    written.addAll(items.getItems());
  }

  private static List<String> names(long from, long to) {
    return LongStream.rangeClosed(from, to).mapToObj(number -> "n" + number).toList();
  }

  private static StepExecution step(JobExecution execution) {
    return execution.getStepExecutions().iterator().next();
  }

  private ChunkOrientedStepBuilder<Long, String> chunking(
      int items, ItemProcessor<Long, String> body) {
    return batch
        .<String>step(items, 10)
        .processor(ChunkingItemProcessor.of(body))
        .writer(this::write)
        .listener(errors());
  }

  private ChunkOrientedStepBuilder<Long, Future<String>> async(
      int items, ItemProcessor<Long, String> body) {
    AsyncItemProcessor<Long, String> processor = new AsyncItemProcessor<>(body);
    processor.setTaskExecutor(new SimpleAsyncTaskExecutor());
    return batch
        .<Future<String>>step(items, 10)
        .processor(processor)
        .writer(new AsyncItemWriter<String>(this::write))
        .listener(errors());
  }

  private <O> ItemProcessListener<Long, O> errors() {
    return new ItemProcessListener<>() {
      @Override
      public void onProcessError(Long item, Exception failure) {
        processErrors.incrementAndGet();
      }
    };
  }

  private static String name(Long number) {
    return "n" + number;
  }

  @Test
  void bothKeepTheOrder() throws Exception {
    batch.run(chunking(100, ComparisonTest::name).build());
    assertThat(written).isEqualTo(names(1, 100));

    again();
    batch.run(async(100, ComparisonTest::name).build());
    assertThat(written).isEqualTo(names(1, 100));
  }

  @Test
  void filteredItemsAreCountedByOneAndReportedAsWrittenByTheOther() throws Exception {
    ItemProcessor<Long, String> body = number -> number % 4 == 0 ? null : name(number);
    JobExecution chunking = batch.run(chunking(100, body).build());
    assertThat(step(chunking).getFilterCount()).isEqualTo(25);
    assertThat(step(chunking).getWriteCount()).isEqualTo(75);

    again();
    JobExecution async = batch.run(async(100, body).build());
    assertThat(step(async).getFilterCount()).isZero();
    assertThat(step(async).getWriteCount()).isEqualTo(100);
    assertThat(written).hasSize(75);
  }

  @Test
  void anItemThatFailsIsSkippedWhileProcessedByOneAndWhileWrittenByTheOther() throws Exception {
    ItemProcessor<Long, String> body =
        number -> {
          if (number == 15) {
            throw new NoName();
          }
          return name(number);
        };
    JobExecution chunking =
        batch.run(chunking(30, body).faultTolerant().skip(NoName.class).skipLimit(1).build());
    assertThat(step(chunking).getProcessSkipCount()).isEqualTo(1);
    assertThat(step(chunking).getRollbackCount()).isZero();
    assertThat(processErrors).hasValue(1);
    assertThat(written).hasSize(29);

    again();
    JobExecution async =
        batch.run(async(30, body).faultTolerant().skip(NoName.class).skipLimit(1).build());
    assertThat(step(async).getProcessSkipCount()).isZero();
    assertThat(step(async).getWriteSkipCount()).isEqualTo(1);
    assertThat(step(async).getRollbackCount()).isPositive();
    assertThat(processErrors).hasValue(0);
    assertThat(written).hasSize(29);
  }

  @Test
  void aRetryRunsTheItemAgainWithOneAndSeesTheSameFailureWithTheOther() throws Exception {
    Map<Long, AtomicInteger> runs = new ConcurrentHashMap<>();
    ItemProcessor<Long, String> body =
        number -> {
          int run = runs.computeIfAbsent(number, _ -> new AtomicInteger()).incrementAndGet();
          if (number == 15 && run == 1) {
            throw new NoName();
          }
          return name(number);
        };
    RetryPolicy once =
        RetryPolicy.builder().maxRetries(1).delay(Duration.ZERO).includes(NoName.class).build();
    JobExecution chunking = batch.run(chunking(30, body).faultTolerant().retryPolicy(once).build());
    assertThat(chunking.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(runs.get(15L)).hasValue(2);
    assertThat(written).isEqualTo(names(1, 30));

    again();
    runs.clear();
    JobExecution async = batch.run(async(30, body).faultTolerant().retryPolicy(once).build());
    assertThat(async.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(runs.get(15L)).hasValue(1);
  }

  /** Local chunking hands whole chunks to threads; remote chunking does so over a queue. */
  private ChunkTaskExecutorItemWriter<Long> local(ChunkProcessor<Long> worker) {
    return new ChunkTaskExecutorItemWriter<>(worker, new SimpleAsyncTaskExecutor());
  }

  @Test
  void localChunkingKeepsTheOrderWithinAChunkOnly() throws Exception {
    CountDownLatch second = new CountDownLatch(1);
    batch.run(
        batch
            .<Long>step(20, 10)
            .writer(
                local((chunk, _) -> {
                  if (chunk.getItems().contains(1L)) {
                    assertThat(second.await(120, TimeUnit.SECONDS)).isTrue();
                  }
                  chunk.forEach(number -> written.add(name(number)));
                  second.countDown();
                }))
            .build());
    assertThat(written).hasSize(20);
    assertThat(written.subList(0, 10)).isEqualTo(names(11, 20));
  }

  @Test
  void aRestartRepeatsTheFailedChunkButLosesItWithLocalChunking() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    ItemProcessor<Long, String> body =
        number -> {
          if (number == 15 && failures.getAndIncrement() == 0) {
            throw new NoName();
          }
          return name(number);
        };
    assertThat(batch.run(chunking(30, body).build()).getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(batch.run(chunking(30, body).build()).getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 30));

    again();
    failures.set(0);
    assertThat(batch.run(async(30, body).build()).getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(batch.run(async(30, body).build()).getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 30));

    again();
    failures.set(0);
    Step local =
        batch
            .<Long>step(30, 10)
            .writer(
                local((chunk, _) -> {
                  List<String> names = new ArrayList<>();
                  for (Long number : chunk) {
                    names.add(body.process(number));
                  }
                  written.addAll(names);
                }))
            .build();
    batch.run(local);
    assertThatThrownBy(() -> batch.run(local))
        .isInstanceOf(JobInstanceAlreadyCompleteException.class);
    assertThat(written).doesNotContain("n15").hasSize(20);
  }
}
