/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.batch.jobs.Jobs;
import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobStepView;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.partition.Partitioner;
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

/** The figures of partitions in the job repository of Forebay, and of their restart. */
class LocalPartitionsTest {

  private static final Actor BY = new Actor(Actor.Kind.APPLICATION, "tester", "operator", "local");
  private static final int PARTITIONS = 4;
  private static final int EACH = 20;
  private static final int CHUNK = 5;

  /** Fails in its second chunk, once. */
  private static final String BROKEN = "part:2";

  private static final AtomicBoolean BREAKS = new AtomicBoolean(true);

  /** Reached if all partitions run at the same time. */
  private static final CountDownLatch RUNNING = new CountDownLatch(PARTITIONS);

  @TempDir Path data;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    MeterRegistry meters() {
      return new SimpleMeterRegistry();
    }

    /** As Spring Boot makes it. */
    @Bean
    ObservationRegistry observations(MeterRegistry meters) {
      ObservationRegistry registry = ObservationRegistry.create();
      registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
      return registry;
    }

    @Bean
    Job rows(JobSteps steps, @JobsDataSource DataSource database) {
      JdbcTemplate sql = new JdbcTemplate(database);
      Step part =
          new FreshStep(
              "part",
              _ ->
                  steps
                      .<Long, Long>chunk("part", CHUNK)
                      .reader(new TestBatch.Numbers(0, EACH))
                      .processor((Long item) -> look(database, item))
                      .writer(items -> write(sql, items))
                      .listener(new Figures())
                      .build());
      Partitioner partitioner = LocalPartitionsTest::partition;
      Step whole = steps.partitioned("whole", partitioner, part).gridSize(PARTITIONS).build();
      return steps.job("rows").start(whole).build();
    }
  }

  private static final class Figures implements StepExecutionListener {
    @Override
    public void beforeStep(StepExecution step) {
      ExecutionContext context = step.getExecutionContext();
      Map<String, Long> prices = Map.of("calls", 7L, "sent", 5L, "room", 20L, "chunks.ITEMS", 2L);
      context.put(JobProgress.CALLS, new HashMap<>(Map.of("prices", new HashMap<>(prices))));
    }
  }

  private static Map<String, ExecutionContext> partition(int count) {
    Map<String, ExecutionContext> partitions = new HashMap<>();
    for (int i = 0; i < count; i++) {
      ExecutionContext context = new ExecutionContext();
      JobProgress.total(context, EACH);
      partitions.put(String.valueOf(i), context);
    }
    return partitions;
  }

  /** Uses a connection while the chunks of all running partitions hold theirs. */
  private static Long look(DataSource database, Long item) throws Exception {
    RUNNING.countDown();
    boolean _ = RUNNING.await(2, TimeUnit.SECONDS);
    database.getConnection().close();
    return item;
  }

  private static void write(JdbcTemplate sql, Chunk<? extends Long> items) {
    String step = Objects.requireNonNull(StepSynchronizationManager.getContext()).getStepName();
    items.forEach(
        item -> sql.update("insert into job_rows (run, number) values (?, ?)", step, item));
    if (step.equals(BROKEN)
        && items.getItems().getFirst() == CHUNK + 1
        && BREAKS.getAndSet(false)) {
      throw new IllegalStateException("the chunk is refused");
    }
  }

  @Test
  void aRestartContinuesTheFailedPartitionAndTheFiguresHaveWhatWasDoneBefore() throws Exception {
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .run(
                "--forebay.data=" + data,
                "--forebay.backend=memory",
                "--forebay.jobs.connections=" + PARTITIONS,
                "--forebay.gateways.main.migrations=classpath:io/forebay/batch/jobs/tables")) {
      JobOperations jobs = context.getBean(JobOperations.class);
      await().ignoreExceptions().until(() -> jobs.execution(1).isEmpty());

      long id = jobs.start("rows", Map.of(), BY).id();
      JobExecutionView failed =
          await().until(() -> jobs.execution(id).orElseThrow(), it -> it.state().equals("FAILED"));
      for (JobStepView part : failed.steps()) {
        if (part.name().equals(BROKEN)) {
          assertThat(part.failure()).contains("the chunk is refused");
        } else if (part.name().equals("whole")) {
          assertThat(part.partOf()).isNull();
          assertThat(part.services())
              .singleElement()
              .returns(7L * PARTITIONS, JobStepView.Chunks::calls)
              .returns(Map.of("ITEMS", 2L * PARTITIONS), JobStepView.Chunks::reasons)
              .returns(0.25, JobStepView.Chunks::fill);
          assertThat(part.failure())
              .contains("partition %s failed: ".formatted(BROKEN), "the chunk is refused");
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
      assertThat(failed.failure()).contains("partition %s failed:".formatted(BROKEN));

      JobExecution done = context.getBean(Jobs.class).runAndWait("rows", Map.of());
      assertThat(done.getStepExecutions())
          .extracting(
              StepExecution::getStepName, StepExecution::getStatus, StepExecution::getWriteCount)
          .containsExactly(
              tuple("whole", BatchStatus.COMPLETED, (long) EACH - CHUNK),
              tuple(BROKEN, BatchStatus.COMPLETED, (long) EACH - CHUNK));
      List<JobStepView> again = jobs.execution(done.getId()).orElseThrow().steps();
      assertThat(again.getLast().progress())
          .as("with what it read in the first execution")
          .isEqualTo(new JobStepView.Progress("items", EACH, EACH, null));
      assertThat(again.getFirst().progress())
          .as("three of them were complete before")
          .isEqualTo(new JobStepView.Progress("items", PARTITIONS * EACH, PARTITIONS * EACH, null));
      JdbcTemplate sql =
          new JdbcTemplate(context.getBean("forebayJobsDataSource", DataSource.class));
      for (int i = 0; i < PARTITIONS; i++) {
        assertThat(
                sql.queryForList(
                    "select number from job_rows where run = ?", Long.class, "part:" + i))
            .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, EACH).boxed().toList());
      }
      MeterRegistry meters = context.getBean(MeterRegistry.class);
      assertThat(timed(meters, "spring.batch.job", "spring.batch.job.name", "rows")).isEqualTo(2);
      assertThat(timed(meters, "spring.batch.step", "spring.batch.step.name", "whole"))
          .isEqualTo(2);
      assertThat(timed(meters, "spring.batch.step", "spring.batch.step.name", BROKEN)).isEqualTo(2);
    }
  }

  private static long timed(MeterRegistry meters, String name, String tag, String value) {
    return meters.get(name).tag(tag, value).timers().stream().mapToLong(Timer::count).sum();
  }
}
