/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.awaitility.Awaitility.await;

import io.forebay.batch.jobs.JobProcess;
import io.forebay.chunk.Chunked;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.ListService;
import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobRefused;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.partition.Partitioner;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.scope.context.StepSynchronizationManager;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.batch.infrastructure.item.ItemReader;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * An application with a job of two steps: the first has a task executor, the second has partitions,
 * each with a task executor. It starts or restarts the job and waits for its end.
 */
public final class PartitionedProcess {

  static final int PARTITIONS = 6;
  static final int EACH = 450;
  static final int CHUNK = 30;

  /** A call; its key makes it take effect once. */
  record Call(String key, long item) {}

  record Named(long item, String name) {}

  private static final Actor BY = new Actor(Actor.Kind.APPLICATION, "tester", "operator", "local");

  private PartitionedProcess() {}

  public static void main(String[] words) throws Exception {
    JobProcess.arm();
    SpringApplication application = new SpringApplication(Jobs.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    try (ConfigurableApplicationContext context = application.run(words)) {
      JobRepository repository = context.getBean(JobRepository.class);
      JobOperator operator = context.getBean(JobOperator.class);
      await().ignoreExceptions().until(() -> repository.getJobNames() != null);
      recover(repository, context.getBean(JobOperations.class));
      System.out.println(KilledProcess.RUNNING);
      JobExecution ended = ended(repository, operator, context.getBean(Job.class));
      System.out.println(KilledProcess.ENDED + ended.getExitStatus());
    }
    System.exit(0);
  }

  /** Starts the job and waits for its end, unless it was complete when the last process died. */
  private static JobExecution ended(JobRepository repository, JobOperator operator, Job job)
      throws Exception {
    try {
      JobExecution started = operator.start(job, new JobParameters());
      await()
          .atMost(Duration.ofMinutes(5))
          .until(() ->
              !Objects.requireNonNull(repository.getJobExecution(started.getId())).isRunning());
      return Objects.requireNonNull(repository.getJobExecution(started.getId()));
    } catch (JobInstanceAlreadyCompleteException e) {
      return Objects.requireNonNull(
          repository.getLastJobExecution(job.getName(), new JobParameters()));
    }
  }

  /** Recovers the execution of a killed process, as soon as that process is known to be dead. */
  private static void recover(JobRepository repository, JobOperations operations) {
    JobExecution last = repository.getLastJobExecution("names", new JobParameters());
    if (last != null) {
      await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptionsMatching(
              e -> e instanceof JobRefused refused && refused.reason() == JobRefused.Reason.ALIVE)
          .until(() -> {
            try {
              operations.recover(last.getId(), BY);
            } catch (JobRefused refused) {
              if (refused.reason() == JobRefused.Reason.ALIVE) {
                throw refused;
              }
            }
            return true;
          });
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Jobs {

    @Bean
    ListService<Call, String> names(@JobsDataSource DataSource database) {
      JdbcTemplate sql = new JdbcTemplate(database);
      return ListService.inOrder(
          "names", ChunkCodec.of(Call.class, String.class), calls -> asked(sql, calls));
    }

    private static List<String> asked(JdbcTemplate sql, List<Call> calls) {
      sql.batchUpdate(
          "insert into asked (call_key, item) values (?, ?) on conflict (call_key) do nothing",
          calls.stream().map(call -> new Object[] {call.key(), call.item()}).toList());
      return calls.stream().map(call -> "name " + call.item()).toList();
    }

    @Bean
    ChunkingItemProcessor<Long, Named> naming(
        @Chunked("names") ChunkedService<Call, String> names) {
      return ChunkingItemProcessor.keyedBy(
          item -> item, (item, keys) -> new Named(item, names.call(new Call(keys.next(), item))));
    }

    @Bean
    Job job(
        JobSteps steps,
        ChunkingItemProcessor<Long, Named> naming,
        @JobsDataSource DataSource database) {
      JdbcTemplate sql = new JdbcTemplate(database);
      Step concurrent =
          new FreshStep("concurrent", _ -> chunks(steps, "concurrent", 0, naming, sql).build());
      Step part =
          new FreshStep(
              "part", execution -> chunks(steps, "part", after(execution), naming, sql).build());
      Partitioner partitioner = Jobs::partition;
      Step whole = steps.partitioned("whole", partitioner, part).gridSize(PARTITIONS).build();
      return steps.job("names").start(concurrent).next(whole).build();
    }

    private static ChunkOrientedStepBuilder<Long, Named> chunks(
        JobSteps steps,
        String name,
        long after,
        ChunkingItemProcessor<Long, Named> naming,
        JdbcTemplate sql) {
      SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("items-");
      executor.setVirtualThreads(true);
      ItemReader<Long> numbers = new TestBatch.Numbers(after, EACH);
      return steps
          .<Long, Named>chunk(name, CHUNK)
          .reader(numbers)
          .processor(naming)
          .writer(items -> write(sql, items))
          .taskExecutor(executor);
    }

    private static void write(JdbcTemplate sql, Chunk<? extends Named> items) {
      String step = Objects.requireNonNull(StepSynchronizationManager.getContext()).getStepName();
      for (Named named : items) {
        sql.update(
            "insert into written (step, item, name) values (?, ?, ?)",
            step,
            named.item(),
            named.name());
      }
    }

    private static Map<String, ExecutionContext> partition(int count) {
      Map<String, ExecutionContext> partitions = new HashMap<>();
      for (int i = 1; i <= count; i++) {
        ExecutionContext context = new ExecutionContext();
        context.putLong("after", (long) i * EACH);
        partitions.put("part" + i, context);
      }
      return partitions;
    }

    private static long after(StepExecution partition) {
      return partition.getExecutionContext().getLong("after");
    }
  }
}
