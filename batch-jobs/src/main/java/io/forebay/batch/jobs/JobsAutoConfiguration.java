/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.batch.JobSteps;
import io.forebay.batch.JobsTransactionManager;
import io.forebay.operations.GracefulStop;
import io.forebay.operations.Instance;
import io.forebay.system.SystemConnections;
import io.forebay.system.SystemDatabase;
import io.forebay.system.SystemLogin;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.UUID;
import org.aopalliance.intercept.MethodInterceptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.batch.core.configuration.JobRegistry;
import org.springframework.batch.core.configuration.annotation.BatchObservabilityBeanPostProcessor;
import org.springframework.batch.core.configuration.support.MapJobRegistry;
import org.springframework.batch.core.configuration.support.ScopeConfiguration;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.launch.support.TaskExecutorJobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.scope.StepScope;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Spring Batch on the system database, for an application with job beans. Without one it does
 * nothing. The database may be unavailable when the application starts.
 *
 * <p>A step that writes to the system database is made with {@link JobSteps} and uses the {@link
 * io.forebay.batch.JobsDataSource}: then a chunk and its progress in the repository are one
 * transaction. Other steps have a transaction manager of their own.
 */
@AutoConfiguration(
    afterName = {
      "io.forebay.system.SystemDatabaseAutoConfiguration",
      "io.forebay.spring.OperationsAutoConfiguration",
      "org.springframework.boot.batch.autoconfigure.BatchAutoConfiguration",
      "org.springframework.boot.batch.jdbc.autoconfigure.BatchJdbcAutoConfiguration"
    })
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBean({Job.class, SystemDatabase.class})
@ConditionalOnMissingBean({JobRepository.class, JobOperator.class})
@EnableConfigurationProperties(JobsProperties.class)
@Import({
  Owners.class,
  Executions.class,
  Starter.class,
  ExecutionViews.class,
  RepositoryJobOperations.class,
  RepositoryJobs.class
})
public class JobsAutoConfiguration {

  static final String DATABASE = "forebayJobsDatabase";
  static final String DATA_SOURCE = "forebayJobsDataSource";
  static final String TRANSACTIONS = "forebayJobsTransactionManager";
  static final String OPERATOR = "forebayJobOperator";
  static final String OWNERS = "forebayJobOwnersDataSource";
  private static final Logger log = LoggerFactory.getLogger(JobsAutoConfiguration.class);
  private static final Duration STOP = Duration.ofSeconds(10);

  /** How long a process may hang until it counts as dead. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  /** A query may take a part of the patience, so that one lost answer does not lose the lock. */
  private static final Duration ANSWER = Duration.ofSeconds(4);

  /** How long a statement may take on PostgreSQL; after that its connection is closed. */
  private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(60);

  /** One for the lock of this process. */
  private static final int OWNER_CONNECTIONS = 4;

  /** The system database with the role of jobs. */
  @Bean(name = DATABASE, defaultCandidate = false)
  SystemLogin forebayJobsDatabase(SystemDatabase database, JobsProperties properties) {
    JobsProperties.Database role = properties.database();
    if (role == null && database.isShared()) {
      log.warn(
          "Jobs connect with the role of tokens and audit, which a job can therefore change; set"
              + " forebay.jobs.database to another role (docs/security.md)");
    }
    return database.forJobs(
        role == null ? null : new SystemDatabase.Role(role.username(), role.password()));
  }

  @Bean(name = DATA_SOURCE, defaultCandidate = false)
  @ConditionalOnMissingBean(name = DATA_SOURCE)
  SystemConnections forebayJobsDataSource(
      @Qualifier(DATABASE) SystemLogin database, JobsProperties properties) {
    return database.open("forebay-jobs", properties.connections(), STATEMENT_TIMEOUT);
  }

  @Bean(name = TRANSACTIONS, defaultCandidate = false)
  @ConditionalOnMissingBean(name = TRANSACTIONS)
  JdbcTransactionManager forebayJobsTransactionManager(
      @Qualifier(DATA_SOURCE) SystemConnections database) {
    return new JdbcTransactionManager(database);
  }

  /** Connections for owners only; jobs can neither use them up nor delay them. */
  @Bean(name = OWNERS, defaultCandidate = false)
  SystemConnections forebayJobOwnersDataSource(@Qualifier(DATABASE) SystemLogin database) {
    return database.open("forebay-job-owners", OWNER_CONNECTIONS, ANSWER);
  }

  /** {@link JobsLifecycle} closes it, or else its connection is closed with the pool. */
  @Bean(destroyMethod = "")
  ProcessLock forebayJobProcessLock(
      @Qualifier(OWNERS) SystemConnections connections,
      SystemDatabase database,
      Instance instance) {
    String process = instance.name() + "#" + UUID.randomUUID().toString().substring(0, 8);
    return new ProcessLock(connections, process, database.isShared(), PATIENCE);
  }

  @Bean
  JobRepository forebayJobRepository(
      @Qualifier(DATA_SOURCE) SystemConnections connections,
      @Qualifier(TRANSACTIONS) JdbcTransactionManager transactions,
      Owners owners,
      ExecutionTable table,
      SystemDatabase database,
      JobsProperties properties)
      throws Exception {
    return OwnedRepositoryFactory.repository(
        connections, database.isShared(), transactions, owners, table, properties.keysKept());
  }

  @Bean
  JobSteps forebayJobSteps(
      JobRepository repository,
      @JobsTransactionManager PlatformTransactionManager transactions,
      JobsProperties properties,
      ObjectProvider<ObservationRegistry> observations) {
    return new JobSteps(
        repository,
        transactions,
        properties.connections() - 1,
        observations.getIfAvailable(() -> ObservationRegistry.NOOP));
  }

  /** Observes jobs and launches; {@link JobSteps} observes steps, which need not be beans. */
  @Bean
  static BatchObservabilityBeanPostProcessor forebayJobObservability() {
    return new BatchObservabilityBeanPostProcessor();
  }

  /** Registers all job beans. */
  @Bean
  @ConditionalOnMissingBean
  JobRegistry forebayJobRegistry() {
    return new MapJobRegistry();
  }

  @Bean(OPERATOR)
  JobOperator forebayJobOperator(
      JobRepository repository, JobRegistry registry, Executions executions) throws Exception {
    TaskExecutorJobOperator operator = new TaskExecutorJobOperator();
    operator.setJobRepository(repository);
    operator.setJobRegistry(registry);
    operator.setTaskExecutor(executions::execute);
    operator.afterPropertiesSet();
    ProxyFactory proxy = new ProxyFactory(operator);
    proxy.addAdvice((MethodInterceptor) executions::operate);
    return (JobOperator) proxy.getProxy();
  }

  @Bean
  ExecutionTable forebayJobExecutionTable(@Qualifier(DATA_SOURCE) SystemConnections connections) {
    return new ExecutionTable(JdbcClient.create(connections));
  }

  @Bean
  SkipReasons forebayJobSkipReasons(JobRegistry registry) {
    return new SkipReasons(registry);
  }

  /** Checked after the registry has all jobs, as schedules are. */
  @Bean
  DescribedJobs forebayDescribedJobs(
      JobRegistry registry, ObjectProvider<JobDescription> descriptions) {
    return new DescribedJobs(registry, descriptions);
  }

  @Bean
  Schedules forebayJobSchedules(
      @Qualifier(DATA_SOURCE) SystemConnections connections,
      Starter starter,
      DescribedJobs descriptions,
      JobsProperties properties) {
    return new Schedules(connections, starter, descriptions, properties.schedules());
  }

  @Bean
  JobsLifecycle forebayJobsLifecycle(
      Owners owners,
      ProcessLock lock,
      Executions executions,
      Starter starter,
      JobRepository repository,
      JobsProperties properties,
      ObjectProvider<GracefulStop> stop) {
    GracefulStop graceful = stop.getIfAvailable();
    return new JobsLifecycle(
        owners,
        lock,
        executions,
        starter,
        repository,
        properties.recover(),
        properties.keep(),
        graceful == null ? STOP : graceful.limit());
  }

  /** The scopes for step-scoped and job-scoped beans. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(StepScope.class)
  @Import(ScopeConfiguration.class)
  static class Scopes {}
}
