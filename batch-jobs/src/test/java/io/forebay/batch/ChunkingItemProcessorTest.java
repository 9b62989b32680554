/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.CallFailed;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.FlushReason;
import io.forebay.chunk.Reply;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.TraceParent;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.listener.ItemProcessListener;
import org.springframework.batch.core.listener.SkipListener;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class ChunkingItemProcessorTest {

  private final List<List<Long>> chunks = Collections.synchronizedList(new ArrayList<>());
  private final List<Object> written = new ArrayList<>();
  private TestBatch batch;
  private CallCollector collector;
  private ChunkedService<Long, String> names;

  @BeforeEach
  void open() throws Exception {
    open(new TestBatch());
  }

  private void open(TestBatch on) {
    batch = on;
    collector = new CallCollector();
    names =
        collector.service(
            "names",
            ChunkFunction.inOrder(numbers -> {
              chunks.add(List.copyOf(numbers));
              return numbers.stream().map(number -> "n" + number).toList();
            }),
            ChunkOptions.defaults().withLinger(Duration.ofHours(1)));
  }

  @AfterEach
  void close() {
    collector.close();
  }

  private <O> void write(Chunk<? extends O> items) {
    written.addAll(items.getItems());
  }

  private static StepExecution step(JobExecution execution) {
    return execution.getStepExecutions().iterator().next();
  }

  private ChunkingItemProcessor<Long, String> processor(
      ChunkingItemProcessor.KeyedBody<Long, String> body) {
    return ChunkingItemProcessor.keyedBy(number -> number, body);
  }

  private static List<String> names(long from, long to) {
    return LongStream.rangeClosed(from, to).mapToObj(number -> "n" + number).toList();
  }

  @Test
  void itemsAreWrittenInTheOrderInWhichTheyWereReadAndTheirCallsTravelInFullChunks()
      throws Exception {
    JobExecution execution =
        batch.run(
            batch
                .<String>step(1_050, 500)
                .processor(processor((number, _) -> names.call(number)))
                .writer(this::write)
                .build());

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 1_050));
    assertThat(chunks).hasSize(11).filteredOn(chunk -> chunk.size() == 100).hasSize(10);
    assertThat(step(execution).getReadCount()).isEqualTo(1_050);
    assertThat(step(execution).getWriteCount()).isEqualTo(1_050);
  }

  @Test
  void theLastAndTheChainedCallsOfAStepChunkDoNotWaitForAClock() throws Exception {
    batch.run(
        batch
            .<String>step(7, 7)
            .processor(processor((number, _) -> names.call(number) + names.call(number + 100)))
            .writer(this::write)
            .build());

    assertThat(written).hasSize(7).first().isEqualTo("n1n101");
    assertThat(chunks).extracting(List::size).containsExactly(7, 7);
    assertThat(names.figures().chunks(FlushReason.ALL_WAITING)).isEqualTo(2);
  }

  @Test
  void theCallsOfAStepCarryItsTrace() throws Exception {
    List<TraceParent> carried = Collections.synchronizedList(new ArrayList<>());
    try (RecordedSpans spans = new RecordedSpans();
        CallCollector home = new CallCollector(spans.tracing())) {
      ObservationRegistry observations = ObservationRegistry.create();
      observations
          .observationConfig()
          .observationHandler(new DefaultTracingObservationHandler(spans.tracer()));
      ChunkedService<Long, String> traced =
          home.service(
              "traced",
              ChunkFunction.inOrder(numbers -> {
                carried.add(ChunkFunction.trace());
                return numbers.stream().map(number -> "n" + number).toList();
              }),
              ChunkOptions.defaults());
      batch.run(
          new JobSteps(batch.repository(), batch.transactions(), 1, observations)
              .<Long, String>chunk("step", 5)
              .reader(new TestBatch.Numbers(0, 10))
              .processor(processor((number, _) -> traced.call(number)))
              .writer(this::write)
              .build());

      assertThat(written).isEqualTo(names(1, 10));
      SpanData step = spans.all().getLast();
      assertThat(step.getAttributes().toString()).contains("spring.batch.step");
      TraceParent expected = RecordedSpans.context(step);
      assertThat(carried).containsExactly(expected, expected);
    }
  }

  @Test
  void anItemWithoutAResultIsFilteredAndCounted() throws Exception {
    JobExecution execution =
        batch.run(
            batch
                .<String>step(100, 10)
                .processor(processor((number, _) -> number % 4 == 0 ? null : names.call(number)))
                .writer(this::write)
                .build());

    assertThat(step(execution).getFilterCount()).isEqualTo(25);
    assertThat(step(execution).getWriteCount()).isEqualTo(75);
    assertThat(written).hasSize(75).doesNotContain("n4").contains("n5");
  }

  private static final class NoName extends Exception {

    private static final long serialVersionUID = 1;
    final long number;

    NoName(long number) {
      super("no name for " + number);
      this.number = number;
    }
  }

  @Test
  void theStepGetsTheBodysExceptionAndSkipsThatItemOnly() throws Exception {
    List<Throwable> skipped = new ArrayList<>();
    List<Throwable> errors = new ArrayList<>();
    List<Long> processed = new ArrayList<>();
    JobExecution execution =
        batch.run(
            batch
                .<String>step(60, 20)
                .processor(
                    processor((number, _) -> {
                      String name = names.call(number);
                      if (number % 25 == 0) {
                        throw new NoName(number);
                      }
                      return name;
                    }))
                .writer(this::write)
                .faultTolerant()
                .skip(NoName.class)
                .skipLimit(5)
                .skipListener(
                    new SkipListener<Long, String>() {
                      @Override
                      public void onSkipInProcess(Long item, Throwable failure) {
                        skipped.add(failure);
                      }
                    })
                .listener(
                    new ItemProcessListener<Long, String>() {
                      @Override
                      public void afterProcess(Long item, @Nullable String result) {
                        processed.add(item);
                      }

                      @Override
                      public void onProcessError(Long item, Exception failure) {
                        errors.add(failure);
                      }
                    })
                .build());

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(step(execution).getProcessSkipCount()).isEqualTo(2);
    assertThat(skipped).extracting(failure -> ((NoName) failure).number).containsExactly(25L, 50L);
    assertThat(errors).hasSize(2);
    assertThat(processed).hasSize(58).isSorted();
    assertThat(written).hasSize(58).doesNotContain("n25", "n50");
  }

  @Test
  void aRetryRunsTheBodyOfThatItemAgainAndNoOther() throws Exception {
    Map<Long, AtomicInteger> runs = new ConcurrentHashMap<>();
    JobExecution execution =
        batch.run(
            batch
                .<String>step(30, 10)
                .processor(
                    processor((number, _) -> {
                      int run =
                          runs.computeIfAbsent(number, _ -> new AtomicInteger()).incrementAndGet();
                      String name = names.call(number);
                      if (number == 13 && run < 3) {
                        throw new NoName(number);
                      }
                      return name;
                    }))
                .writer(this::write)
                .faultTolerant()
                .retryPolicy(
                    RetryPolicy.builder()
                        .maxRetries(2)
                        .delay(Duration.ZERO)
                        .includes(NoName.class)
                        .build())
                .build());

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 30));
    assertThat(runs.remove(13L)).hasValue(3);
    assertThat(runs.values()).extracting(AtomicInteger::get).containsOnly(1);
  }

  @Test
  void aServiceThatFailsOneCallFailsOneItem() throws Exception {
    ChunkedService<Long, String> picky =
        collector.service(
            "picky",
            numbers -> {
              List<Reply<String>> replies = new ArrayList<>();
              for (Long number : numbers) {
                int index = replies.size();
                replies.add(
                    number == 7
                        ? new Reply.Failure<>(index, new NoName(number))
                        : new Reply.Result<>(index, "n" + number));
              }
              return CompletableFuture.completedFuture(replies);
            },
            ChunkOptions.defaults());
    List<Throwable> skipped = new ArrayList<>();
    batch.run(
        batch
            .<String>step(10, 10)
            .processor(processor((number, _) -> picky.call(number)))
            .writer(this::write)
            .faultTolerant()
            .skip(CallFailed.class)
            .skipLimit(1)
            .skipListener(
                new SkipListener<Long, String>() {
                  @Override
                  public void onSkipInProcess(Long item, Throwable failure) {
                    skipped.add(failure);
                  }
                })
            .build());

    assertThat(written).hasSize(9).doesNotContain("n7");
    assertThat(skipped)
        .singleElement()
        .satisfies(failure -> {
          assertThat(((CallFailed) failure).reason()).isEqualTo(CallFailed.Reason.FAILED);
          assertThat(failure).hasCauseInstanceOf(NoName.class);
        });
  }

  @Test
  void aSkipListenerWritesInTheTransactionOfTheChunk() throws Exception {
    JdbcTemplate rows = new JdbcTemplate(batch.database());
    rows.execute("create table failed (item bigint)");
    AtomicBoolean fails = new AtomicBoolean(true);
    Supplier<Step> step =
        () ->
            batch
                .<String>step(20, 10)
                .processor(
                    processor((number, _) -> {
                      if (number % 10 == 7) {
                        throw new NoName(number);
                      }
                      return names.call(number);
                    }))
                .writer(items -> {
                  if (items.getItems().contains("n15") && fails.getAndSet(false)) {
                    throw new IllegalStateException("the second chunk is rolled back");
                  }
                  write(items);
                })
                .faultTolerant()
                .skip(NoName.class)
                .skipLimit(2)
                .skipListener(
                    new SkipListener<Long, String>() {
                      @Override
                      public void onSkipInProcess(Long item, Throwable failure) {
                        rows.update("insert into failed values (?)", item);
                      }
                    })
                .build();

    assertThat(batch.run(step.get()).getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(rows.queryForList("select item from failed", Long.class)).containsExactly(7L);
    assertThat(batch.run(step.get()).getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(rows.queryForList("select item from failed order by item", Long.class))
        .containsExactly(7L, 17L);
  }

  @Test
  void aFailedStepResumesAfterTheLastCommittedChunkAndRepeatsTheKeysOfItsCalls() throws Exception {
    Map<String, AtomicInteger> keys = new ConcurrentHashMap<>();
    AtomicBoolean broken = new AtomicBoolean(true);
    ChunkingItemProcessor<Long, String> processor =
        processor((number, calls) -> {
          String first = calls.next();
          String second = calls.next();
          names.call(number);
          keys.computeIfAbsent(first, _ -> new AtomicInteger()).incrementAndGet();
          keys.computeIfAbsent(second, _ -> new AtomicInteger()).incrementAndGet();
          if (number == 25 && broken.get()) {
            throw new NoName(number);
          }
          return "n" + number;
        });

    JobExecution failed =
        batch.run(batch.<String>step(40, 10).processor(processor).writer(this::write).build());
    assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(failed.getAllFailureExceptions().getFirst()).hasRootCauseInstanceOf(NoName.class);
    assertThat(written).isEqualTo(names(1, 20));

    broken.set(false);
    JobExecution restarted =
        batch.run(batch.<String>step(40, 10).processor(processor).writer(this::write).build());
    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 40));
    assertThat(keys).hasSize(80);
    String prefix =
        "job/%d-%s/step/"
            .formatted(
                restarted.getJobInstance().getInstanceId(),
                restarted.getExecutionContext().getString(CallKeys.RANDOM));
    assertThat(keys.get(prefix + "25/0")).hasValue(2);
    assertThat(keys.get(prefix + "25/1")).hasValue(2);
    assertThat(keys.get(prefix + "31/0")).hasValue(1);
  }

  @Test
  void unrequestedBodiesOfAFailedChunkAreInterrupted() throws Exception {
    AtomicInteger sleeping = new AtomicInteger();
    AtomicInteger interrupted = new AtomicInteger();
    JobExecution execution =
        batch.run(
            batch
                .<String>step(10, 10)
                .processor(
                    processor((number, _) -> {
                      if (number == 1) {
                        throw new NoName(number);
                      }
                      sleeping.incrementAndGet();
                      try {
                        Thread.sleep(Duration.ofHours(1));
                      } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                        throw e;
                      }
                      return "never";
                    }))
                .writer(this::write)
                .build());

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.FAILED);
    await().untilAsserted(() -> assertThat(interrupted).hasValue(sleeping.get()));
  }

  @Test
  void anInterruptOfTheStepsThreadStopsTheStepAndItCanBeRestarted() throws Exception {
    Thread step = Thread.currentThread();
    AtomicBoolean first = new AtomicBoolean(true);
    ChunkingItemProcessor<Long, String> processor =
        processor((number, _) -> {
          if (number == 15 && first.compareAndSet(true, false)) {
            step.interrupt();
            Thread.sleep(Duration.ofHours(1));
          }
          return names.call(number);
        });

    JobExecution stopped =
        batch.run(batch.<String>step(30, 10).processor(processor).writer(this::write).build());
    Thread.interrupted(); // clears the flag if the step did not
    assertThat(stopped.getStatus()).isEqualTo(BatchStatus.STOPPED);

    JobExecution restarted =
        batch.run(batch.<String>step(30, 10).processor(processor).writer(this::write).build());
    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 30));
  }

  private JobExecution runSkippingAll(ChunkingItemProcessor<Long, String> processor)
      throws Exception {
    return batch.run(
        batch
            .<String>step(30, 10)
            .processor(processor)
            .writer(this::write)
            .faultTolerant()
            .skip(Exception.class)
            .skipLimit(100)
            .build());
  }

  @Test
  @Timeout(600)
  void anInterruptLosesNoItemsOfAStepThatSkipsEveryExceptionAndReachesTheBody() throws Exception {
    Thread step = Thread.currentThread();
    AtomicBoolean first = new AtomicBoolean(true);
    ChunkingItemProcessor<Long, String> processor =
        processor((number, _) -> {
          if (number == 11 && first.compareAndSet(true, false)) {
            step.interrupt();
            Thread.sleep(Duration.ofHours(1));
          }
          return names.call(number);
        });

    JobExecution stopped = runSkippingAll(processor);
    Thread.interrupted(); // clears the flag if the step did not
    assertThat(stopped.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(step(stopped).getProcessSkipCount()).isZero();
    assertThat(written).isEqualTo(names(1, 10));

    JobExecution restarted = runSkippingAll(processor((number, _) -> names.call(number)));
    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 30));
  }

  @Test
  @Timeout(600)
  void anApplicationThatClosesItsProcessorLosesNoItemsOfAStepThatSkipsEveryException()
      throws Exception {
    AtomicReference<ChunkingItemProcessor<Long, String>> closed = new AtomicReference<>();
    ChunkingItemProcessor<Long, String> processor =
        processor((number, _) -> {
          if (number == 11) {
            Thread application = Thread.ofPlatform().start(() -> closed.get().close());
            application.join();
          }
          return names.call(number);
        });
    closed.set(processor);

    assertThat(runSkippingAll(processor).getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(written).isEqualTo(names(1, 10));

    JobExecution restarted = runSkippingAll(processor((number, _) -> names.call(number)));
    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 30));
  }

  @Test
  void aStopIsHonouredWhenTheChunkIsWritten() throws Exception {
    ChunkingItemProcessor<Long, String> processor = processor((number, _) -> names.call(number));
    JobExecution stopped =
        batch.run(
            batch
                .<String>step(30, 10)
                .processor(processor)
                .writer(items -> {
                  write(items);
                  if (written.size() == 10) {
                    batch.stop(Objects.requireNonNull(batch.last()));
                  }
                })
                .build());
    assertThat(stopped.getStatus()).isEqualTo(BatchStatus.STOPPED);
    assertThat(written).isEqualTo(names(1, 10));

    batch.run(batch.<String>step(30, 10).processor(processor).writer(this::write).build());
    assertThat(written).isEqualTo(names(1, 30));
  }

  @Test
  void bodiesRunOnVirtualThreadsOutsideTheTransactionAndInTheScopeOfTheStep() throws Exception {
    List<Object> seen = Collections.synchronizedList(new ArrayList<>());
    batch.run(
        batch
            .<String>step(3, 3)
            .processor(
                processor((_, _) -> {
                  seen.add(Thread.currentThread().isVirtual());
                  seen.add(TransactionSynchronizationManager.isActualTransactionActive());
                  seen.add(
                      Objects.requireNonNull(StepSynchronizationManager.getContext())
                          .getStepName());
                  return null;
                }))
            .writer(this::write)
            .build());
    assertThat(seen).hasSize(9).containsOnly(true, false, "step");
  }

  @Test
  void theFiguresOfTheServicesAreStoredInTheStepAndStartOverWithARestart() throws Exception {
    AtomicBoolean broken = new AtomicBoolean(true);
    ChunkingItemProcessor<Long, String> processor =
        processor((number, _) -> {
          String name = names.call(number);
          if (number == 25 && broken.getAndSet(false)) {
            throw new NoName(number);
          }
          return name;
        });
    batch.run(batch.<String>step(40, 10).processor(processor).writer(this::write).build());
    JobExecution restarted =
        batch.run(batch.<String>step(40, 10).processor(processor).writer(this::write).build());

    StepExecution step = step(restarted);
    assertThat(TestBatch.figure(step, "names", "calls")).isEqualTo(20);
    assertThat(TestBatch.figure(step, "names", "chunks.ALL_WAITING")).isEqualTo(2);
    assertThat(TestBatch.figure(step, "names", "room")).isEqualTo(200);
  }

  @Test
  void equalItemsHaveSeparateBodies() throws Exception {
    Long same = 1_000_000L;
    List<Long> items = new ArrayList<>(List.of(same, same, same));
    AtomicInteger runs = new AtomicInteger();
    batch.run(
        batch
            .<String>step(3, 3)
            .reader(() -> items.isEmpty() ? null : items.removeFirst())
            .processor(processor((_, _) -> "run " + runs.incrementAndGet()))
            .writer(this::write)
            .build());
    assertThat(written).containsExactlyInAnyOrder("run 1", "run 2", "run 3");
  }

  private ChunkOrientedStepBuilder<Long, String> concurrent(int items, int chunk) {
    SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("items-");
    executor.setConcurrencyLimit(8);
    return batch.<String>step(items, chunk).taskExecutor(executor).writer(this::write);
  }

  @Test
  @Timeout(600)
  void aStepWithATaskExecutorWritesInOrderAndItsCallsTravelInChunksAndItsCountsAddUp()
      throws Exception {
    JobExecution execution =
        batch.run(
            concurrent(2_000, 500)
                .processor(
                    processor((number, _) -> {
                      if (number % 10 == 3) {
                        throw new NoName(number);
                      }
                      return number % 2 == 0 ? null : names.call(number);
                    }))
                .faultTolerant()
                .skip(NoName.class)
                .skipLimit(10_000)
                .build());

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written)
        .isEqualTo(
            LongStream.rangeClosed(1, 2_000)
                .filter(number -> number % 2 == 1 && number % 10 != 3)
                .mapToObj(number -> "n" + number)
                .toList());
    StepExecution step = step(execution);
    assertThat(step.getFilterCount()).isEqualTo(1_000);
    assertThat(step.getProcessSkipCount()).isEqualTo(200);
    assertThat(step.getWriteCount()).isEqualTo(800);
    assertThat(TestBatch.figure(step, "names", "calls")).isEqualTo(800);
    assertThat(chunks).anySatisfy(chunk -> assertThat(chunk).hasSizeGreaterThan(1));
  }

  @Test
  @Timeout(600)
  void aFailedStepWithATaskExecutorResumesAfterTheLastCommittedChunk() throws Exception {
    AtomicBoolean broken = new AtomicBoolean(true);
    Map<String, AtomicInteger> keys = new ConcurrentHashMap<>();
    ChunkingItemProcessor<Long, String> processor =
        processor((number, calls) -> {
          keys.computeIfAbsent(calls.next(), _ -> new AtomicInteger()).incrementAndGet();
          if (number == 25 && broken.get()) {
            throw new NoName(number);
          }
          return names.call(number);
        });

    JobExecution failed = batch.run(concurrent(40, 10).processor(processor).build());
    assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(written).isEqualTo(names(1, 20));

    broken.set(false);
    JobExecution restarted = batch.run(concurrent(40, 10).processor(processor).build());
    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(written).isEqualTo(names(1, 40));
    assertThat(keys).hasSize(40);
  }

  @Test
  void aProcessorThatItsStepDoesNotKnowIsRefused() throws Exception {
    ChunkingItemProcessor<Long, String> hidden = ChunkingItemProcessor.of(names::call);
    JobExecution execution =
        batch.run(batch.<String>step(3, 3).processor(hidden::process).writer(this::write).build());
    assertThat(execution.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(execution.getAllFailureExceptions().getFirst())
        .rootCause()
        .hasMessageContaining("register the processor as a listener and a stream");
  }

  @Test
  void outsideOfAStepTheProcessorRunsItsBody() throws Exception {
    assertThat(ChunkingItemProcessor.<Long, String>of(names::call).process(7L)).isEqualTo("n7");
  }

  @Test
  void aKeyNeedsAStepAndAnIdentityThatFits() throws Exception {
    assertThatThrownBy(() -> processor((_, keys) -> keys.next()).process(1L))
        .hasMessage("no step runs, so calls have no keys");

    JobExecution execution =
        batch.run(
            batch
                .<String>step(1, 1)
                .processor(
                    ChunkingItemProcessor.<Long, String>keyedBy(
                        _ -> "x".repeat(300), (_, keys) -> keys.next()))
                .writer(this::write)
                .build());
    assertThat(execution.getAllFailureExceptions().getFirst())
        .rootCause()
        .hasMessageContaining("1 to 255 printable ASCII characters");
  }
}
