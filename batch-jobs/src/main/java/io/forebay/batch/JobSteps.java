/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.operations.jobs.FailureSummary;
import io.micrometer.observation.ObservationRegistry;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecutionException;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.partition.Partitioner;
import org.springframework.batch.core.partition.support.DefaultStepExecutionAggregator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.core.step.builder.PartitionStepBuilder;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.core.step.builder.TaskletStepBuilder;
import org.springframework.batch.core.step.tasklet.Tasklet;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Begins jobs and steps that have what every job needs here: the job repository and the
 * transactions of its database. All methods of Spring Batch's builders can follow:
 *
 * <pre>{@code
 * @Bean
 * Job reprice(JobSteps steps, …) {
 *   return steps.job("reprice")
 *       .start(steps.<Article, Priced>chunk("reprice", 5_000)
 *           .reader(articles).processor(pricing).writer(priced)
 *           .build())
 *       .build();
 * }
 * }</pre>
 *
 * <p>Thread-safe. The application has a bean of this type.
 */
public final class JobSteps {

  private final JobRepository repository;
  private final PlatformTransactionManager transactions;
  private final int partitions;
  private final ObservationRegistry observations;

  /**
   * @param transactions the transactions of the repository's database
   */
  public JobSteps(JobRepository repository, PlatformTransactionManager transactions) {
    this(
        repository,
        transactions,
        SimpleAsyncTaskExecutor.UNBOUNDED_CONCURRENCY,
        ObservationRegistry.NOOP);
  }

  /**
   * @param transactions the transactions of the repository's database
   * @param partitions how many partitions of a step run at the same time: fewer than there are
   *     connections, so that code outside their transactions gets one
   * @param observations observe all steps, as Spring Batch documents
   */
  public JobSteps(
      JobRepository repository,
      PlatformTransactionManager transactions,
      int partitions,
      ObservationRegistry observations) {
    this.repository = repository;
    this.transactions = transactions;
    this.partitions = partitions;
    this.observations = observations;
  }

  /** Begins a job. */
  public JobBuilder job(String name) {
    return new JobBuilder(name, repository);
  }

  /**
   * Begins a step whose chunks are committed together with its progress, if they are written with
   * {@link JobsDataSource}. A step that writes elsewhere sets another transaction manager.
   *
   * @param name unique in its job
   * @param size how many items are committed together
   */
  public <I, O> ChunkOrientedStepBuilder<I, O> chunk(String name, int size) {
    return step(name).<I, O>chunk(size).transactionManager(transactions);
  }

  /**
   * Begins a step of one tasklet, which is committed together with its progress, if it writes with
   * {@link JobsDataSource}.
   *
   * @param name unique in its job
   */
  public TaskletStepBuilder tasklet(String name, Tasklet tasklet) {
    return step(name).tasklet(tasklet, transactions);
  }

  private StepBuilder step(String name) {
    return new StepBuilder(name, repository).observationRegistry(observations);
  }

  /**
   * Begins a step that is performed in partitions, each by an own thread. Set {@code gridSize} to
   * their number. One fewer than there are {@code forebay.jobs.connections} run at the same time;
   * set {@code taskExecutor} to run fewer. Each partition keeps the order of its items, commits its
   * chunks and restarts on its own; those that are complete are not repeated.
   *
   * @param name unique in its job
   * @param partitioner called once for each job instance; its contexts may contain what the context
   *     of a step may contain
   * @param worker performs one partition, whose context it finds in {@code stepExecutionContext};
   *     made with {@link #chunk}, with a reader of step scope
   */
  public PartitionStepBuilder partitioned(String name, Partitioner partitioner, Step worker) {
    SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor(name + "-");
    threads.setConcurrencyLimit(partitions);
    return new PartitionStepBuilder(step(name))
        .step(worker)
        .splitter(new KeptPartitions(repository, worker.getName(), partitioner))
        .aggregator(JobSteps::aggregate)
        .taskExecutor(threads);
  }

  /** Adds the figures of the partitions, and why they failed, to the whole step. */
  private static void aggregate(StepExecution whole, Collection<StepExecution> partitions) {
    new DefaultStepExecutionAggregator().aggregate(whole, partitions);
    List<StepExecution> failed =
        partitions.stream()
            .filter(it -> it.getStatus() == BatchStatus.FAILED)
            .sorted(Comparator.comparing(StepExecution::getStepName, NaturalOrder.OF_NAMES))
            .toList();
    if (!failed.isEmpty()) {
      StepExecution first = failed.getFirst();
      String cause = FailureSummary.of(first.getExitStatus().getExitDescription());
      whole.addFailureException(
          new JobExecutionException(
              "partition %s failed%s: %s"
                  .formatted(
                      first.getStepName(),
                      failed.size() == 1 ? "" : ", and %d more".formatted(failed.size() - 1),
                      cause.isEmpty() ? "no reason is known" : cause)));
    }
  }
}
