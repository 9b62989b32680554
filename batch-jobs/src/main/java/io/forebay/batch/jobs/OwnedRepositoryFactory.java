/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.sql.Types;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.dao.jdbc.JdbcJobExecutionDao;
import org.springframework.batch.core.repository.dao.jdbc.JdbcJobInstanceDao;
import org.springframework.batch.core.repository.dao.jdbc.JdbcStepExecutionDao;
import org.springframework.batch.core.repository.support.JdbcJobRepositoryFactoryBean;
import org.springframework.batch.infrastructure.item.database.support.DefaultDataFieldMaxValueIncrementerFactory;
import org.springframework.jdbc.support.incrementer.DataFieldMaxValueIncrementer;
import org.springframework.jdbc.support.incrementer.HsqlSequenceMaxValueIncrementer;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Isolation;

/** Creates the repository without accessing the database, which may be unavailable. */
final class OwnedRepositoryFactory extends JdbcJobRepositoryFactoryBean {

  private static final String TABLES = "forebay.batch_";

  private final Owners owners;
  private final ExecutionTable table;
  private final Duration keysKept;

  private OwnedRepositoryFactory(Owners owners, ExecutionTable table, Duration keysKept) {
    this.owners = owners;
    this.table = table;
    this.keysKept = keysKept;
  }

  /**
   * @param postgres whether the database is one; otherwise it is embedded
   * @param keysKept how long the services that jobs call remember idempotency keys
   */
  static JobRepository repository(
      DataSource database,
      boolean postgres,
      PlatformTransactionManager transactions,
      Owners owners,
      ExecutionTable table,
      Duration keysKept)
      throws Exception {
    OwnedRepositoryFactory factory = new OwnedRepositoryFactory(owners, table, keysKept);
    factory.setDataSource(database);
    factory.setTransactionManager(transactions);
    factory.setTablePrefix(TABLES);
    // Only sequences and the type of null texts depend on this, and both are set here.
    factory.setDatabaseType("POSTGRES");
    if (!postgres) {
      factory.setIncrementerFactory(new EmbeddedSequences(database));
    }
    factory.setClobType(Types.VARCHAR);
    factory.setSerializer(new JsonContexts());
    // Locks prevent duplicates; a serialization conflict here would fail a job.
    factory.setIsolationLevelForCreateEnum(Isolation.READ_COMMITTED);
    factory.afterPropertiesSet();
    return factory.getObject();
  }

  @Override
  protected Object getTarget() throws Exception {
    JdbcJobInstanceDao instances = createJobInstanceDao();
    JdbcJobExecutionDao executions = createJobExecutionDao();
    executions.setJobInstanceDao(instances);
    JdbcStepExecutionDao steps = createStepExecutionDao();
    steps.setJobExecutionDao(executions);
    return new OwnedJobRepository(
        instances, executions, steps, createExecutionContextDao(), owners, table, keysKept);
  }

  /** The sequences of Spring Batch in an embedded database. */
  static final class EmbeddedSequences extends DefaultDataFieldMaxValueIncrementerFactory {

    private final DataSource database;

    EmbeddedSequences(DataSource database) {
      super(database);
      this.database = database;
    }

    @Override
    public DataFieldMaxValueIncrementer getIncrementer(String type, String name) {
      return new HsqlSequenceMaxValueIncrementer(database, name);
    }
  }
}
