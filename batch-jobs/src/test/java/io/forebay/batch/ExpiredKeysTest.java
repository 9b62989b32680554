/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.core.task.SyncTaskExecutor;

/** A service forgets keys, so a restart that comes later would perform calls again. */
class ExpiredKeysTest {

  private static final int ITEMS = 40;

  private final Set<String> remembered = ConcurrentHashMap.newKeySet();
  private final AtomicInteger effects = new AtomicInteger();
  private boolean fail = true;

  private Step step(TestBatch batch) {
    return batch
        .<Long>step(ITEMS, 10)
        .processor(
            ChunkingItemProcessor.<Long, Long>keyedBy(
                item -> item,
                (item, keys) -> {
                  if (remembered.add(keys.next())) {
                    effects.incrementAndGet();
                  }
                  return item;
                }))
        .writer(items -> {
          if (fail && items.getItems().contains(25L)) {
            throw new IllegalStateException("the process ends here");
          }
        })
        .build();
  }

  /** As if the step had committed that much earlier. */
  private static void age(TestBatch batch, Duration age) {
    StepExecution step = Objects.requireNonNull(batch.last()).getStepExecutions().iterator().next();
    ExecutionContext context = step.getExecutionContext();
    context.putLong(
        "forebay.keys-since", context.getLong("forebay.keys-since", 0) - age.toMillis());
    batch.repository().updateExecutionContext(step);
  }

  @Test
  void aRestartAfterTheKeysHaveExpiredIsRefusedAndNamesTheChunk() throws Exception {
    TestBatch batch = new TestBatch();
    batch.run(step(batch));
    assertThat(effects).hasValue(30);
    age(batch, Duration.ofHours(97));
    remembered.clear();
    fail = false;

    for (int i = 0; i < 2; i++) {
      JobExecution refused = batch.run(step(batch));
      assertThat(refused.getStatus()).isEqualTo(BatchStatus.FAILED);
      assertThat(refused.getAllFailureExceptions())
          .singleElement()
          .asString()
          .contains("step step is not restarted", "after 20 items", "may have taken effect");
    }
    assertThat(effects).as("nothing took effect again").hasValue(30);

    TestBatch insisting =
        new TestBatch(batch.database(), new SyncTaskExecutor(), Duration.ofHours(200));
    JobExecution insisted = insisting.run(step(insisting));
    assertThat(insisted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
  }

  @Test
  void aRestartWhileTheKeysAreRememberedRepeatsNothing() throws Exception {
    TestBatch batch = new TestBatch();
    batch.run(step(batch));
    age(batch, Duration.ofHours(95));
    fail = false;
    assertThat(batch.run(step(batch)).getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(effects).hasValue(ITEMS);
  }
}
