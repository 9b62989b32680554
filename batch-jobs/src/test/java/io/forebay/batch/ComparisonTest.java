/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.Reply;
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
import org.springframework.batch.core.listener.ChunkListener;
import org.springframework.batch.core.listener.ItemProcessListener;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ItemProcessor;
import org.springframework.batch.integration.async.AsyncItemProcessor;
import org.springframework.batch.integration.async.AsyncItemWriter;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Compares ways to call services from a step; {@code docs/jobs.md} says what matters of it. */
class ComparisonTest {

  private static final class NoName extends Exception {
    private static final long serialVersionUID = 1;
  }

  /** Makes a step that names the numbers from 1, in step chunks of ten. */
  @FunctionalInterface
  private interface Way {
    ChunkOrientedStepBuilder<Long, ?> step(int items, ItemProcessor<Long, String> body);
  }

  private final List<String> written = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger processErrors = new AtomicInteger();
  private final AtomicInteger requests = new AtomicInteger();
  private TestBatch batch;

  @BeforeEach
  void open() throws Exception {
    again();
  }

  private void again() throws Exception {
    batch = new TestBatch();
    written.clear();
    processErrors.set(0);
    requests.set(0);
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

  /** The writer sends a step chunk as one call of the service, which performs the body per item. */
  private ChunkOrientedStepBuilder<Long, Long> listCall(
      int items, ItemProcessor<Long, String> body) {
    return batch
        .<Long>step(items, 10)
        .writer(chunk -> {
          requests.incrementAndGet();
          List<String> names = new ArrayList<>();
          for (Long number : chunk) {
            String name = body.process(number);
            if (name != null) {
              names.add(name);
            }
          }
          written.addAll(names);
        })
        .listener(errors());
  }

  private ChunkOrientedStepBuilder<Long, String> concurrent(
      int items, ItemProcessor<Long, String> body) {
    return batch
        .<String>step(items, 10)
        .processor(body)
        .writer(this::write)
        .taskExecutor(new SimpleAsyncTaskExecutor())
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
  void allKeepTheOrder() throws Exception {
    for (Way way : List.<Way>of(this::chunking, this::async, this::concurrent)) {
      again();
      batch.run(way.step(100, lastOfEachChunkFirst()).build());
      assertThat(written).isEqualTo(names(1, 100));
    }

    again();
    batch.run(listCall(100, ComparisonTest::name).build());
    assertThat(written).isEqualTo(names(1, 100));
  }

  private static ItemProcessor<Long, String> lastOfEachChunkFirst() {
    Map<Long, CountDownLatch> chunks = new ConcurrentHashMap<>();
    return number -> {
      CountDownLatch last = chunks.computeIfAbsent((number - 1) / 10, _ -> new CountDownLatch(1));
      if (number % 10 == 0) {
        last.countDown();
      } else {
        assertThat(last.await(120, TimeUnit.SECONDS)).isTrue();
      }
      return name(number);
    };
  }

  @Test
  void anItemWithoutAResultIsCountedAsFilteredOrAsWritten() throws Exception {
    ItemProcessor<Long, String> body = number -> number % 4 == 0 ? null : name(number);
    for (Way way : List.<Way>of(this::chunking, this::concurrent)) {
      again();
      StepExecution step = step(batch.run(way.step(100, body).build()));
      assertThat(step.getFilterCount()).isEqualTo(25);
      assertThat(step.getWriteCount()).isEqualTo(75);
      assertThat(written).hasSize(75);
    }
    for (Way way : List.<Way>of(this::listCall, this::async)) {
      again();
      StepExecution step = step(batch.run(way.step(100, body).build()));
      assertThat(step.getFilterCount()).isZero();
      assertThat(step.getWriteCount()).isEqualTo(100);
      assertThat(written).hasSize(75);
    }
  }

  @Test
  void anItemThatFailsIsSkippedWhileItIsProcessedOrWritten() throws Exception {
    ItemProcessor<Long, String> body =
        number -> {
          if (number == 15) {
            throw new NoName();
          }
          return name(number);
        };
    for (Way way : List.<Way>of(this::chunking, this::concurrent)) {
      again();
      StepExecution step = step(skipping(way.step(30, body)));
      assertThat(step.getProcessSkipCount()).isEqualTo(1);
      assertThat(step.getRollbackCount()).isZero();
      assertThat(processErrors).hasValue(1);
      assertThat(written).hasSize(29);
    }
    for (Way way : List.<Way>of(this::async, this::listCall)) {
      again();
      StepExecution step = step(skipping(way.step(30, body)));
      assertThat(step.getProcessSkipCount()).isZero();
      assertThat(step.getWriteSkipCount()).isEqualTo(1);
      assertThat(step.getRollbackCount()).isPositive();
      assertThat(processErrors).hasValue(0);
      assertThat(written).hasSize(29);
    }
    assertThat(requests).as("list calls of three chunks, and of each item of one").hasValue(3 + 10);
  }

  private JobExecution skipping(ChunkOrientedStepBuilder<Long, ?> step) throws Exception {
    return batch.run(step.faultTolerant().skip(NoName.class).skipLimit(1).build());
  }

  @Test
  void aRetryRunsTheItemOrItsChunkAgainOrSeesTheSameFailure() throws Exception {
    Map<Long, AtomicInteger> runs = new ConcurrentHashMap<>();
    ItemProcessor<Long, String> body =
        number -> {
          int run = runs.computeIfAbsent(number, _ -> new AtomicInteger()).incrementAndGet();
          if (number == 15 && run == 1) {
            throw new NoName();
          }
          return name(number);
        };
    for (Way way : List.<Way>of(this::chunking, this::concurrent, this::listCall)) {
      again();
      runs.clear();
      JobExecution execution = retrying(way.step(30, body));
      assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
      assertThat(runs.get(15L)).hasValue(2);
      assertThat(runs.get(14L)).as("of the same chunk").hasValue(requests.get() == 0 ? 1 : 2);
      assertThat(written).isEqualTo(names(1, 30));
    }

    again();
    runs.clear();
    assertThat(retrying(async(30, body)).getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(runs.get(15L)).hasValue(1);
  }

  private JobExecution retrying(ChunkOrientedStepBuilder<Long, ?> step) throws Exception {
    RetryPolicy once =
        RetryPolicy.builder().maxRetries(1).delay(Duration.ZERO).includes(NoName.class).build();
    return batch.run(step.faultTolerant().retryPolicy(once).build());
  }

  @Test
  void aRestartRepeatsTheFailedChunk() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    ItemProcessor<Long, String> body =
        number -> {
          if (number == 15 && failures.getAndIncrement() == 0) {
            throw new NoName();
          }
          return name(number);
        };
    for (Way way : List.<Way>of(this::chunking, this::listCall, this::async, this::concurrent)) {
      again();
      failures.set(0);
      assertThat(batch.run(way.step(30, body).build()).getStatus()).isEqualTo(BatchStatus.FAILED);
      assertThat(batch.run(way.step(30, body).build()).getStatus())
          .isEqualTo(BatchStatus.COMPLETED);
      assertThat(written).isEqualTo(names(1, 30));
    }
  }

  @Test
  void aConcurrentStepDoesNotCallChunkListeners() throws Exception {
    assertThat(chunks(chunking(30, ComparisonTest::name))).isEqualTo(3);
    assertThat(chunks(listCall(30, ComparisonTest::name))).isEqualTo(3);
    assertThat(chunks(async(30, ComparisonTest::name))).isEqualTo(3);
    assertThat(chunks(concurrent(30, ComparisonTest::name))).isZero();
  }

  /** Runs the step, and returns how often it called a listener of chunks. */
  private <O> int chunks(ChunkOrientedStepBuilder<Long, O> step) throws Exception {
    AtomicInteger chunks = new AtomicInteger();
    ChunkListener<Long, O> listener =
        new ChunkListener<>() {
          @Override
          public void beforeChunk(Chunk<Long> chunk) {
            chunks.incrementAndGet();
          }
        };
    assertThat(batch.run(step.listener(listener).build()).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
    again();
    return chunks.get();
  }

  @Test
  void callsAreSentInChunksOrOneByOne() throws Exception {
    ChunkFunction<Long, String> service =
        ChunkFunction.inOrder(numbers -> {
          requests.incrementAndGet();
          return numbers.stream().map(ComparisonTest::name).toList();
        });
    ItemProcessor<Long, String> single =
        number ->
            ((Reply.Result<String>)
                    service.perform(List.of(number)).toCompletableFuture().get().getFirst())
                .value();
    try (CallCollector collector = new CallCollector()) {
      ChunkedService<Long, String> names =
          collector.service("names", service, ChunkOptions.defaults());
      batch.run(chunking(100, names::call).build());
      assertThat(requests).hasValue(10);
    }

    again();
    batch.run(listCall(100, ComparisonTest::name).build());
    assertThat(requests).hasValue(10);

    again();
    batch.run(async(100, single).build());
    assertThat(requests).hasValue(100);

    again();
    batch.run(concurrent(100, single).build());
    assertThat(requests).hasValue(100);
  }
}
