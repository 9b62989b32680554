/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.forebay.batch.jobs.TestRepository;
import io.forebay.database.Migrations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.configuration.support.MapJobRegistry;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.support.TaskExecutorJobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.support.AbstractItemCountingItemStreamItemReader;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * The job repository in its own database, and an operator that runs jobs on the caller's thread.
 */
public final class TestBatch {

  static {
    // Steps that fail on purpose would be logged with their stack traces.
    ((Logger) LoggerFactory.getLogger("org.springframework.batch")).setLevel(Level.OFF);
  }

  private final DataSource database;
  private final JdbcTransactionManager transactions;
  private final TestRepository jobs;
  private final JobRepository repository;
  private final TaskExecutorJobOperator operator;

  public TestBatch() throws Exception {
    this(migrated(), new SyncTaskExecutor(), Duration.ofHours(96));
  }

  /**
   * @param database with the tables of Forebay
   * @param keysKept how long services remember keys
   */
  public TestBatch(DataSource database, TaskExecutor executor, Duration keysKept) throws Exception {
    this.database = database;
    transactions = new JdbcTransactionManager(database);
    jobs = new TestRepository(database, transactions, keysKept);
    repository = jobs.repository();
    operator = new TaskExecutorJobOperator();
    operator.setJobRepository(repository);
    operator.setJobRegistry(new MapJobRegistry());
    operator.setTaskExecutor(executor);
    operator.afterPropertiesSet();
  }

  private static DataSource migrated() throws Exception {
    DataSource database =
        new DriverManagerDataSource(
            "jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc", "SA", "");
    Migrations.run(database, "SA");
    return database;
  }

  /** A step that reads the numbers from 1. */
  <O> ChunkOrientedStepBuilder<Long, O> step(int items, int chunk) {
    return new StepBuilder("step", repository)
        .<Long, O>chunk(chunk)
        .reader(new Numbers(0, items))
        .transactionManager(transactions);
  }

  /** The numbers after a number; a restart resumes after the last committed one. */
  public static final class Numbers extends AbstractItemCountingItemStreamItemReader<Long> {

    private final long after;
    private long last;

    public Numbers(long after, int items) {
      this.after = after;
      setName("numbers");
      setMaxItemCount(items);
    }

    @Override
    protected Long doRead() {
      return after + ++last;
    }

    @Override
    protected void doOpen() {
      last = 0;
    }

    @Override
    protected void doClose() {}

    @Override
    protected void jumpToItem(int index) {
      last = index;
    }
  }

  public DataSource database() {
    return database;
  }

  public JdbcTransactionManager transactions() {
    return transactions;
  }

  public JobRepository repository() {
    return repository;
  }

  public JobSteps steps() {
    return new JobSteps(repository, transactions);
  }

  /** Starts a job of one step, or restarts it after it failed or was stopped. */
  public JobExecution run(String job, Step step) throws Exception {
    return operator.start(new JobBuilder(job, repository).start(step).build(), new JobParameters());
  }

  Job job(Step step) {
    return new JobBuilder("job", repository).start(step).build();
  }

  JobExecution run(Step step) throws Exception {
    return run("job", step);
  }

  /** Starts a job, or restarts it after it failed, was stopped or was killed. */
  public JobExecution run(Job job, JobParameters parameters) throws Exception {
    JobInstance instance = repository.getJobInstance(job.getName(), parameters);
    JobExecution last = instance == null ? null : repository.getLastJobExecution(instance);
    if (last != null && last.isRunning()) {
      recover(last);
    }
    return operator.start(job, parameters);
  }

  public void stop(JobExecution execution) throws Exception {
    operator.stop(execution);
  }

  /** Marks an execution as failed whose thread or process has died. */
  void recover(JobExecution execution) {
    jobs.recover(execution);
  }

  /** A figure of the calls of a service, as stored in the step's context. */
  static long figure(StepExecution step, String service, String name) {
    Object calls = step.getExecutionContext().get(JobProgress.CALLS);
    return ((Number) ((Map<?, ?>) ((Map<?, ?>) calls).get(service)).get(name)).longValue();
  }

  @Nullable JobExecution last() {
    List<JobExecution> executions =
        repository.getJobExecutions(
            Objects.requireNonNull(repository.getJobInstance("job", new JobParameters())));
    return executions.isEmpty() ? null : executions.getFirst();
  }
}
