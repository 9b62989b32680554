/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.batch.core.configuration.support.MapJobRegistry;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** The job repository of Forebay, without an application, in a database with its tables. */
public final class TestRepository {

  private final Owners owners;
  private final JobRepository repository;

  /**
   * @param keysKept how long services remember keys
   */
  public TestRepository(DataSource database, JdbcTransactionManager transactions, Duration keysKept)
      throws Exception {
    JdbcClient client = JdbcClient.create(database);
    String process = UUID.randomUUID().toString();
    owners =
        new Owners(
            database, database, new ProcessLock(database, process, false, Duration.ofSeconds(1)));
    repository =
        OwnedRepositoryFactory.repository(
            database,
            isPostgres(database),
            transactions,
            owners,
            new ExecutionTable(client),
            keysKept);
  }

  private static boolean isPostgres(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      return connection.getMetaData().getDatabaseProductName().equals("PostgreSQL");
    }
  }

  public JobRepository repository() {
    return repository;
  }

  /** Marks an execution as failed whose thread or process has died. */
  public void recover(JobExecution execution) {
    owners.letGo(execution.getId());
    new Executions(owners, repository, new MapJobRegistry()).recover(execution);
  }
}
