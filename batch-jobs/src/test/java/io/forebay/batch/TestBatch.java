/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.configuration.support.MapJobRegistry;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.support.TaskExecutorJobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.dao.JacksonExecutionContextStringSerializer;
import org.springframework.batch.core.repository.support.JdbcJobRepositoryFactoryBean;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.core.step.builder.ChunkOrientedStepBuilder;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.support.AbstractItemCountingItemStreamItemReader;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A job repository in its own database, and an operator that runs jobs on the caller's thread. */
public final class TestBatch {

  static {
    // Steps that fail on purpose would be logged with their stack traces.
    ((Logger) LoggerFactory.getLogger("org.springframework.batch")).setLevel(Level.OFF);
  }

  private final DataSource database;
  private final JdbcTransactionManager transactions;
  private final JobRepository repository;
  private final TaskExecutorJobOperator operator;

  public TestBatch() throws Exception {
    this(
        new DriverManagerDataSource(
            "jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc", "SA", ""),
        new SyncTaskExecutor());
    new ResourceDatabasePopulator(
            new ClassPathResource("org/springframework/batch/core/schema-hsqldb.sql"))
        .execute(database);
  }

  public TestBatch(DataSource database, TaskExecutor executor) throws Exception {
    this.database = database;
    transactions = new JdbcTransactionManager(database);
    JdbcJobRepositoryFactoryBean factory = new JdbcJobRepositoryFactoryBean();
    factory.setDataSource(database);
    factory.setTransactionManager(transactions);
    factory.setSerializer(new JacksonExecutionContextStringSerializer());
    factory.afterPropertiesSet();
    repository = factory.getObject();
    operator = new TaskExecutorJobOperator();
    operator.setJobRepository(repository);
    operator.setJobRegistry(new MapJobRegistry());
    operator.setTaskExecutor(executor);
    operator.afterPropertiesSet();
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
    if (instance != null && last == null) {
      // a process died before it made an execution; Spring Batch would refuse every start
      repository.deleteJobInstance(instance);
    }
    if (last != null && last.isRunning()) {
      operator.recover(last);
    }
    return operator.start(job, parameters);
  }

  public void stop(JobExecution execution) throws Exception {
    operator.stop(execution);
  }

  void recover(JobExecution execution) {
    operator.recover(execution);
  }

  /** Marks a step as failed, as the recovery of its execution does. */
  void fail(StepExecution step) {
    step.setStatus(BatchStatus.FAILED);
    repository.update(step);
  }

  @Nullable JobExecution last() {
    List<JobExecution> executions =
        repository.getJobExecutions(
            Objects.requireNonNull(repository.getJobInstance("job", new JobParameters())));
    return executions.isEmpty() ? null : executions.getFirst();
  }
}
