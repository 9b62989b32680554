/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * What the processor needs of Spring Batch's chunk step, where releases of it had problems: each
 * item is written once and each call takes effect once, and the counts are right.
 */
class ChunkStepContractTest {

  private static final int ITEMS = 30;
  private static final int CHUNK = 10;

  /** Each has an identity, so that it shows which run of the body made it. */
  private record Made(long item) {}

  private TestBatch batch;
  private JdbcTemplate database;

  /** The keys of the calls of each item. */
  private final Map<Long, Set<String>> keys = new ConcurrentHashMap<>();

  private final Map<Long, Integer> bodies = new ConcurrentHashMap<>();
  private final Set<Made> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Fails the write of a chunk with this item. */
  private long refused;

  /** Fails the scan once, at this item. */
  private long broken;

  @BeforeEach
  void open() throws Exception {
    batch = new TestBatch();
    database = new JdbcTemplate(batch.database());
    database.execute("create table written (item bigint)");
  }

  private ChunkingItemProcessor<Long, Made> processor() {
    return ChunkingItemProcessor.keyedBy(
        item -> item,
        (item, key) -> {
          bodies.merge(item, 1, Integer::sum);
          keys.computeIfAbsent(item, _ -> ConcurrentHashMap.newKeySet()).add(key.next());
          return new Made(item);
        });
  }

  private Step scanning() {
    return batch
        .<Made>step(ITEMS, CHUNK)
        .processor(processor())
        .writer(this::write)
        .faultTolerant()
        .skip(IllegalArgumentException.class)
        .skipLimit(ITEMS)
        .build();
  }

  private void write(Chunk<? extends Made> items) {
    for (Made made : items) {
      assertThat(seen.add(made)).as("an item that a rolled back transaction had is new").isTrue();
      if (made.item() == refused) {
        throw new IllegalArgumentException("refused");
      }
      if (made.item() == broken && items.size() == 1) {
        broken = 0;
        throw new IllegalStateException("broken");
      }
      database.update("insert into written values (?)", made.item());
    }
  }

  private void eachIsWrittenOnceExcept(long item) {
    assertThat(database.queryForList("select item from written order by item", Long.class))
        .isEqualTo(LongStream.rangeClosed(1, ITEMS).filter(it -> it != item).boxed().toList());
    assertThat(keys.values()).hasSize(ITEMS).allMatch(it -> it.size() == 1);
  }

  private static StepExecution step(JobExecution execution) {
    return execution.getStepExecutions().iterator().next();
  }

  /** #5188: threads of a task executor lost increments. */
  @Test
  void countsOfConcurrentStepsAddUp() throws Exception {
    int items = 4_000;
    StepExecution ended =
        step(
            batch.run(
                batch
                    .<Long>step(items, 500)
                    .processor(
                        ChunkingItemProcessor.<Long, Long>of(item -> {
                          if (item % 4 == 1) {
                            throw new IllegalArgumentException("skipped");
                          }
                          return item % 2 == 0 ? null : item;
                        }))
                    .writer(_ -> {})
                    .faultTolerant()
                    .skip(IllegalArgumentException.class)
                    .skipLimit(items)
                    .taskExecutor(new SimpleAsyncTaskExecutor())
                    .build()));
    assertThat(ended.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(ended.getReadCount()).isEqualTo(items);
    assertThat(ended.getFilterCount()).isEqualTo(items / 2);
    assertThat(ended.getProcessSkipCount()).isEqualTo(items / 4);
    assertThat(ended.getWriteCount()).isEqualTo(items / 4);
  }

  /** #5594: a restart lost or repeated items of a chunk that was scanned when the step failed. */
  @Test
  void aStepThatFailedInAScanResumesAfterTheItemsThatWereScanned() throws Exception {
    refused = 13;
    broken = 17;
    JobExecution failed = batch.run(scanning());
    assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(database.queryForList("select max(item) from written", Long.class))
        .containsExactly(16L);
    assertThat(batch.run(scanning()).getStatus()).isEqualTo(BatchStatus.COMPLETED);
    eachIsWrittenOnceExcept(refused);
  }

  /** #5599: after a rollback the step kept the counts and the position of the lost chunk. */
  @Test
  void aStepWhoseCommitWasRolledBackResumesBeforeThatChunk() throws Exception {
    AtomicBoolean fail = new AtomicBoolean();
    FailingCommits transactions = new FailingCommits(batch.database(), fail);
    Step step =
        batch
            .<Made>step(ITEMS, CHUNK)
            .processor(processor())
            .writer(items -> {
              write(items);
              fail.set(items.getItems().getFirst().item() == 11 && bodies.get(11L) == 1);
            })
            .transactionManager(transactions)
            .build();
    JobExecution failed = batch.run(step);
    assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(step(failed).getWriteCount()).isEqualTo(CHUNK);
    assertThat(step(failed).getExecutionContext().getInt("numbers.read.count")).isEqualTo(CHUNK);
    JobExecution restarted = batch.run(step);
    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(step(restarted).getWriteCount()).isEqualTo(ITEMS - CHUNK);
    eachIsWrittenOnceExcept(0);
  }

  /** Rolls a commit back and fails. */
  private static final class FailingCommits extends JdbcTransactionManager {

    private static final long serialVersionUID = 1;
    private final AtomicBoolean fail;

    private FailingCommits(DataSource database, AtomicBoolean fail) {
      super(database);
      this.fail = fail;
      setRollbackOnCommitFailure(true);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
      if (fail.getAndSet(false)) {
        throw new TransactionSystemException("commit failed");
      }
      super.doCommit(status);
    }
  }

  /** #5490: a scan wrote the results of the first, rolled back attempt. */
  @Test
  void aScanProcessesEachItemAgainAloneWithTheSameKeys() throws Exception {
    refused = 13;
    List<Long> twice = new ArrayList<>();
    JobExecution execution = batch.run(scanning());
    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    eachIsWrittenOnceExcept(refused);
    bodies.forEach((item, times) -> {
      if (times == 2) {
        twice.add(item);
      }
    });
    assertThat(new HashSet<>(twice))
        .isEqualTo(new HashSet<>(LongStream.rangeClosed(11, 20).boxed().toList()));
    assertThat(step(execution).getWriteSkipCount()).isEqualTo(1);
  }
}
