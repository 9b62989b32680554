/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.batch.JobSteps;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.batch.core.configuration.support.MapJobRegistry;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.support.TaskExecutorJobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.support.JdbcJobRepositoryFactoryBean;
import org.springframework.batch.core.step.Step;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Jobs of one step, with their repository in the database of the letters. */
final class LettersJobs {

  private final JdbcTransactionManager transactions;
  private final JobRepository repository;
  private final TaskExecutorJobOperator operator = new TaskExecutorJobOperator();
  private final JdbcTemplate jdbc;
  private long runs;

  LettersJobs(DataSource database) throws Exception {
    new ResourceDatabasePopulator(
            new ClassPathResource("org/springframework/batch/core/schema-postgresql.sql"))
        .execute(database);
    jdbc = new JdbcTemplate(database);
    transactions = new JdbcTransactionManager(database);
    JdbcJobRepositoryFactoryBean factory = new JdbcJobRepositoryFactoryBean();
    factory.setDataSource(database);
    factory.setTransactionManager(transactions);
    factory.afterPropertiesSet();
    repository = factory.getObject();
    operator.setJobRepository(repository);
    operator.setJobRegistry(new MapJobRegistry());
    operator.setTaskExecutor(new SyncTaskExecutor());
    operator.afterPropertiesSet();
  }

  JobSteps steps() {
    return new JobSteps(repository, transactions);
  }

  TransactionTemplate transactions() {
    return new TransactionTemplate(transactions);
  }

  /** Runs a new job instance on the caller's thread. */
  JobExecution run(Step step) throws Exception {
    return operator.start(
        new JobBuilder(step.getName(), repository).start(step).build(),
        new JobParametersBuilder().addLong("run", ++runs).toJobParameters());
  }

  /** A digest of the letters of a run, in the order of the contracts. */
  String md5OfLetters(long run) {
    return Objects.requireNonNull(
        jdbc.queryForObject(
            "select md5(string_agg(contract || ' ' || body, ';' order by contract)) from letter"
                + " where run = ?",
            String.class,
            run));
  }

  void truncate(String table) {
    jdbc.execute("truncate " + table);
  }
}
