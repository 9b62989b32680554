/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.HttpChunks;
import io.forebay.testing.Ports;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.partition.Partitioner;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/** Steps in partitions that share a processor. */
@Timeout(600)
class PartitionedStepTest {

  private static final int PARTITIONS = 4;
  private static final int EACH = 250;

  private final Map<String, List<Object>> written = new ConcurrentHashMap<>();
  private final Set<String> keys = ConcurrentHashMap.newKeySet();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicBoolean broken = new AtomicBoolean();
  private Action afterWrite = () -> {};
  private TestBatch batch;
  private CallCollector collector;
  private ChunkingItemProcessor<Long, String> processor;

  @BeforeEach
  void open() throws Exception {
    batch = new TestBatch();
    collector = new CallCollector();
    ChunkedService<Long, String> names =
        collector.service(
            "names",
            ChunkFunction.inOrder(numbers -> numbers.stream().map(number -> "n" + number).toList()),
            ChunkOptions.defaults());
    processor =
        ChunkingItemProcessor.keyedBy(
            number -> number,
            (number, calls) -> {
              keys.add(calls.next());
              if (number == 2 * EACH + 25 && broken.get()) {
                throw new IllegalStateException("number refused");
              }
              return names.call(number);
            });
  }

  @AfterEach
  void close() {
    collector.close();
  }

  /** Each partition has the numbers from {@code after} + 1; the contexts differ for each call. */
  private Map<String, ExecutionContext> partition(int count) {
    long shift = asked.getAndIncrement();
    Map<String, ExecutionContext> partitions = new HashMap<>();
    for (int i = 0; i < count; i++) {
      ExecutionContext context = new ExecutionContext();
      context.putLong("after", (long) EACH * i + shift);
      partitions.put("part" + i, context);
    }
    return partitions;
  }

  private interface Action {
    void run() throws Exception;
  }

  private void write(Chunk<? extends String> items) throws Exception {
    String step = StepSynchronizationManager.getContext().getStepName();
    written.computeIfAbsent(step, _ -> new ArrayList<>()).addAll(items.getItems());
    afterWrite.run();
  }

  private Step step(JobRepository repository) {
    JobSteps steps = new JobSteps(repository, batch.transactions());
    Step worker =
        new FreshStep(
            "part",
            execution ->
                steps
                    .<Long, String>chunk("part", 20)
                    .reader(
                        new TestBatch.Numbers(
                            execution.getExecutionContext().getLong("after"), EACH))
                    .processor(processor)
                    .writer(this::write)
                    .build());
    Partitioner partitioner = this::partition;
    return steps.partitioned("whole", partitioner, worker).gridSize(PARTITIONS).build();
  }

  private static List<Object> names(int partition) {
    return LongStream.rangeClosed(1, EACH)
        .<Object>mapToObj(number -> "n" + (number + (long) partition * EACH))
        .toList();
  }

  private void assertAllWrittenOnceAndInOrder() {
    assertThat(written).hasSize(PARTITIONS);
    for (int i = 0; i < PARTITIONS; i++) {
      assertThat(written.get("part:part" + i)).isEqualTo(names(i));
    }
  }

  private static StepExecution step(JobExecution execution, String name) {
    return execution.getStepExecutions().stream()
        .filter(it -> it.getStepName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void eachPartitionKeepsItsOrderAndItsFiguresAndNoTwoItemsShareAKey() throws Exception {
    JobExecution execution = batch.run(step(batch.repository()));

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertAllWrittenOnceAndInOrder();
    assertThat(keys).hasSize(PARTITIONS * EACH);
    for (int i = 0; i < PARTITIONS; i++) {
      StepExecution part = step(execution, "part:part" + i);
      assertThat(part.getWriteCount()).isEqualTo(EACH);
      assertThat(TestBatch.figure(part, "names", "calls")).isEqualTo(EACH);
      assertThat(TestBatch.figure(part, "names", "results")).isEqualTo(EACH);
    }
    assertThat(step(execution, "whole").getWriteCount()).isEqualTo(PARTITIONS * EACH);
  }

  @Test
  void aRestartRepeatsOnlyTheFailedPartitionFromItsLastChunkWithTheSameRangeAndKeys()
      throws Exception {
    broken.set(true);
    JobExecution failed = batch.run(step(batch.repository()));
    assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(written.get("part:part2")).isEqualTo(names(2).subList(0, 20));

    broken.set(false);
    JobExecution restarted = batch.run(step(batch.repository()));

    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(restarted.getStepExecutions())
        .extracting(StepExecution::getStepName)
        .containsExactlyInAnyOrder("whole", "part:part2");
    assertAllWrittenOnceAndInOrder();
    assertThat(keys).hasSize(PARTITIONS * EACH);
    assertThat(TestBatch.figure(step(restarted, "part:part2"), "names", "results"))
        .as("of this execution alone")
        .isBetween(1L, EACH - 1L);
    assertThat(asked).as("the partitioner was asked once").hasValue(1);
  }

  @Test
  void theFailureOfPartitionsNamesTheServiceAndItsAddress() throws Exception {
    URI nowhere = URI.create("http://localhost:%d/chunks/rates".formatted(Ports.free()));
    try (HttpChunks<Long, String> rates =
        HttpChunks.to(nowhere, ChunkCodec.of(Long.class, String.class))) {
      processor =
          ChunkingItemProcessor.of(
              collector.service("rates", rates, ChunkOptions.defaults())::call);
      JobExecution failed = batch.run(step(batch.repository()));
      assertThat(step(failed, "whole").getFailureExceptions())
          .first(THROWABLE)
          .message()
          .startsWith("partition part:part0 failed, and 3 more: service rates: ")
          .contains("no connection to " + nowhere + "; nothing was performed (java.")
          .hasLineCount(1);
    }
  }

  @Test
  void aStopEndsEachPartitionAtItsChunkAndARestartContinuesThere() throws Exception {
    AtomicBoolean stops = new AtomicBoolean(true);
    afterWrite =
        () -> {
          if (stops.getAndSet(false)) {
            batch.stop(Objects.requireNonNull(batch.last()));
          }
        };
    assertThat(batch.run(step(batch.repository())).getStatus()).isEqualTo(BatchStatus.STOPPED);
    assertThat(written.values().stream().mapToInt(List::size).sum()).isLessThan(PARTITIONS * EACH);

    assertThat(batch.run(step(batch.repository())).getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertAllWrittenOnceAndInOrder();
    assertThat(keys).hasSize(PARTITIONS * EACH);
  }

  /** A repository that loses the process before it writes the contexts of partitions. */
  private JobRepository dyingBeforeContexts(AtomicBoolean dies) {
    return (JobRepository)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {JobRepository.class},
            (_, method, arguments) -> {
              if (dies.get()
                  && method.getName().equals("updateExecutionContext")
                  && arguments[0] instanceof StepExecution step
                  && step.getStepName().equals("part:part1")) {
                throw new IllegalStateException("killed");
              }
              try {
                return method.invoke(batch.repository(), arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aPartitionWhoseContextWasNeverWrittenHasItsRangeAfterARestart() throws Exception {
    AtomicBoolean dies = new AtomicBoolean(true);
    Step step = step(dyingBeforeContexts(dies));
    assertThat(batch.run(step).getStatus()).isEqualTo(BatchStatus.FAILED);
    JobExecution killed = batch.last();
    assertThat(step(killed, "part:part1").getExecutionContext().containsKey("after")).isFalse();
    batch.recover(killed);

    dies.set(false);
    assertThat(batch.run(step).getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertAllWrittenOnceAndInOrder();
  }
}
