/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.batch.jobs.Jobs;
import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobStepView;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.partition.Partitioner;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Partitions across processes in one process, whose rows in the database the test changes. */
class SharedPartitionsTest {

  private static final Actor BY = new Actor(Actor.Kind.APPLICATION, "tester", "operator", "local");
  private static final int PARTITIONS = 4;
  private static final int EACH = 20;
  private static final int CHUNK = 5;

  /** Holds each partition in its second chunk. */
  private static final CountDownLatch GATE = new CountDownLatch(1);

  private static final CountDownLatch WAITING = new CountDownLatch(PARTITIONS - 1);

  @TempDir Path data;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    Job rows(JobSteps steps, @JobsDataSource DataSource database) {
      return steps.job("rows").start(whole(steps, new JdbcTemplate(database))).build();
    }
  }

  private static Step whole(JobSteps steps, JdbcTemplate sql) {
    Step part =
        new FreshStep(
            "part",
            _ ->
                steps
                    .<Long, Long>chunk("part", CHUNK)
                    .reader(new TestBatch.Numbers(0, EACH))
                    .writer(items -> write(sql, items))
                    .listener(new Progress())
                    .build());
    Partitioner partitioner = SharedPartitionsTest::partition;
    return steps
        .partitioned("whole", partitioner, part)
        .gridSize(PARTITIONS)
        .acrossProcesses()
        .build();
  }

  private static final class Progress implements StepExecutionListener {
    @Override
    public void beforeStep(StepExecution step) {
      ExecutionContext context = step.getExecutionContext();
      JobProgress.total(step, EACH);
      context.putLong("forebay.chunk.prices.calls", 7);
      context.putLong("forebay.chunk.prices.maxItems", 10);
      context.putLong("forebay.chunk.prices.chunks.ITEMS", 2);
    }
  }

  private static Map<String, ExecutionContext> partition(int count) {
    Map<String, ExecutionContext> partitions = new HashMap<>();
    for (int i = 0; i < count; i++) {
      partitions.put(String.valueOf(i), new ExecutionContext());
    }
    return partitions;
  }

  private static void write(JdbcTemplate sql, Chunk<? extends Long> items)
      throws InterruptedException {
    String step = Objects.requireNonNull(StepSynchronizationManager.getContext()).getStepName();
    items.forEach(
        item -> sql.update("insert into job_rows (run, number) values (?, ?)", step, item));
    if (items.getItems().getFirst() == CHUNK + 1) {
      WAITING.countDown();
      GATE.await();
    }
  }

  @Test
  void aPartitionContinuesAfterItsLastCommitUnlessThreeProcessesDiedAtTheSameChunk()
      throws Exception {
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .run(
                "--forebay.data=" + data,
                "--forebay.backend=memory",
                "--forebay.jobs.partitions=" + (PARTITIONS - 1),
                "--forebay.gateways.main.migrations=classpath:io/forebay/batch/jobs/tables")) {
      JobOperations jobs = context.getBean(JobOperations.class);
      await().ignoreExceptions().until(() -> jobs.execution(1).isEmpty());
      JdbcTemplate sql =
          new JdbcTemplate(context.getBean("forebayJobsDataSource", DataSource.class));

      long id = jobs.start("rows", Map.of(), BY).id();
      WAITING.await();
      JobStepView whole = jobs.execution(id).orElseThrow().steps().getFirst();
      assertThat(whole.counts().read()).isEqualTo((PARTITIONS - 1) * CHUNK);
      assertThat(whole.counts().written()).isEqualTo((PARTITIONS - 1) * CHUNK);
      assertThat(whole.progress())
          .as("one partition has not begun, so its items are unknown")
          .isEqualTo(new JobStepView.Progress("partitions", 0, PARTITIONS, null));
      List<Long> rows =
          sql.queryForList(
              "select step_execution_id from forebay.job_partition order by runner desc, 1",
              Long.class);
      String change =
          "update forebay.job_partition set runner = ?, tries = ? where step_execution_id = ?";
      sql.update(change, "dead", 3, rows.get(0));
      sql.update(change, "dead", 2, rows.get(1));
      String self = sql.queryForObject("select runner from forebay.job_owner", String.class);
      sql.update(change, self, 1, rows.get(3)); // as if the answer to its claim was lost
      GATE.countDown();

      JobExecutionView failed =
          await().until(() -> jobs.execution(id).orElseThrow(), it -> it.state().equals("FAILED"));
      String poisoned =
          sql.queryForObject(
              "select step_name from forebay.batch_step_execution where step_execution_id = ?",
              String.class,
              rows.getFirst());
      for (JobStepView part : failed.steps()) {
        if (part.name().equals(poisoned)) {
          assertThat(part.failure())
              .contains(
                  "3 processes ended, or lost the database, while they performed the same chunk");
        } else if (part.name().equals("whole")) {
          assertThat(part.partOf()).isNull();
          assertThat(part.services())
              .singleElement()
              .returns(7L * PARTITIONS, JobStepView.Chunks::calls)
              .returns(Map.of("ITEMS", 2L * PARTITIONS), JobStepView.Chunks::reasons)
              .satisfies(prices -> assertThat(prices.limits().maxItems()).isEqualTo(10));
          assertThat(part.failure())
              .contains("partition %s failed: 3 processes ended".formatted(poisoned));
          assertThat(part.progress())
              .isEqualTo(
                  new JobStepView.Progress(
                      "items", (PARTITIONS - 1) * EACH + CHUNK, PARTITIONS * EACH, null));
        } else {
          assertThat(part.partOf()).isEqualTo("whole");
          assertThat(part.state()).isEqualTo("COMPLETED");
          assertThat(part.counts().written()).isEqualTo(EACH);
          assertThat(part.progress())
              .isEqualTo(new JobStepView.Progress("items", EACH, EACH, null));
        }
      }

      assertThat(failed.failure()).contains("partition %s failed:".formatted(poisoned));

      JobRepository repository = context.getBean(JobRepository.class);
      StepExecution continued = Objects.requireNonNull(repository.getStepExecution(rows.get(1)));
      assertThat(continued.getExecutionContext().getLong(JobProgress.READ_BEFORE))
          .as("what was read before the chunk that was rolled back")
          .isEqualTo(CHUNK);

      JobExecution done = context.getBean(Jobs.class).runAndWait("rows", Map.of());
      assertThat(done.getStepExecutions())
          .extracting(
              StepExecution::getStepName, StepExecution::getStatus, StepExecution::getWriteCount)
          .containsExactly(
              tuple("whole", BatchStatus.COMPLETED, (long) EACH - CHUNK),
              tuple(poisoned, BatchStatus.COMPLETED, (long) EACH - CHUNK));
      List<JobStepView> again = jobs.execution(done.getId()).orElseThrow().steps();
      assertThat(again.getLast().progress())
          .as("with what it read in the first execution")
          .isEqualTo(new JobStepView.Progress("items", EACH, EACH, null));
      assertThat(again.getFirst().progress())
          .as("three of them were complete before")
          .isEqualTo(new JobStepView.Progress("items", PARTITIONS * EACH, PARTITIONS * EACH, null));
      for (int i = 0; i < PARTITIONS; i++) {
        assertThat(
                sql.queryForList(
                    "select number from job_rows where run = ?", Long.class, "part:" + i))
            .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, EACH).boxed().toList());
      }

      JobSteps steps = context.getBean(JobSteps.class);
      Job noBean = steps.job("no-bean").start(whole(steps, sql)).build();
      long refused = context.getBean(JobOperator.class).start(noBean, new JobParameters()).getId();
      await().until(() -> jobs.execution(refused).orElseThrow(), it -> it.state().equals("FAILED"));
      assertThat(jobs.execution(refused).orElseThrow().failure())
          .contains("job no-bean is not a bean");
    }
  }

  @Test
  void partitionsAcrossProcessesNeedTheJobRepositoryOfForebay() throws Exception {
    JobSteps steps = new TestBatch().steps();
    assertThatThrownBy(() -> whole(steps, new JdbcTemplate()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("inject the bean JobSteps");
  }
}
