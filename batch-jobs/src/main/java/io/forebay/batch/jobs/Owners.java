/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The owners of executions: which process each belongs to, and whether that process is alive.
 * Thread-safe.
 *
 * <p>Each execution has one row that names its owner. Every write to an execution first updates
 * this row in the same transaction, on condition that it still names the writer. Taking an
 * execution over changes the row. The row lock orders the two: a write of the old owner either
 * commits before the take-over or is rolled back, even if {@link ProcessLock} treated a live owner
 * as dead.
 *
 * <p>A chunk that writes to the system database, in a transaction of the repository, is fenced as a
 * whole. A chunk that writes elsewhere may still commit there after it passed the check here; its
 * progress must be stored beside the data it writes.
 */
final class Owners {

  private final JdbcClient jobs;
  private final JdbcClient client;
  private final TransactionTemplate alone;
  private final String runner;
  private final ProcessLock lock;
  private final Runnable idleLimit;
  private final ThreadLocal<@Nullable JobExecution> made = new ThreadLocal<>();

  /** Executions that no thread of this process runs, and whose end is not written yet. */
  private final Set<Long> ended = ConcurrentHashMap.newKeySet();

  /**
   * @param jobs the repository's connections, in its transactions
   * @param client connections that jobs cannot use up
   * @param transactions the transactions of {@code client}
   * @param idleLimit limits how long the rest of a transaction of {@code jobs} may idle
   */
  Owners(
      JdbcClient jobs,
      JdbcClient client,
      PlatformTransactionManager transactions,
      ProcessLock lock,
      Runnable idleLimit) {
    this.jobs = jobs;
    this.client = client;
    this.lock = lock;
    this.idleLimit = idleLimit;
    runner = lock.process();
    alone = new TransactionTemplate(transactions);
    alone.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    alone.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
  }

  /**
   * @param runner the process that runs or ran it, also if another one recovered it; null if none
   *     is stored
   * @param alive whether it may still run the execution
   */
  record Owner(@Nullable String runner, String startedBy, boolean alive) {

    static final Owner NONE = new Owner(null, "", false);
  }

  /**
   * Makes this process the owner of a new execution, in the transaction that makes it. If the
   * answer to the commit is lost, the execution may exist, but it is not run.
   */
  void bind(JobExecution execution, String startedBy) {
    lock.hold();
    insert(jobs, execution.getId(), startedBy);
    made.set(execution);
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            if (status != STATUS_COMMITTED) {
              ended.add(execution.getId());
            }
          }
        });
  }

  /** Returns the execution that this thread bound last. */
  JobExecution takeMade() {
    JobExecution execution = Objects.requireNonNull(made.get(), "no execution was created");
    made.remove();
    return execution;
  }

  private void insert(JdbcClient by, long execution, String startedBy) {
    by.sql(
            "insert into forebay.job_owner (job_execution_id, runner, started_by, ended, writes)"
                + " values (?, ?, ?, false, 0)")
        .params(execution, runner, startedBy)
        .update();
  }

  /**
   * Ensures that the execution belongs to this process until the transaction ends. On PostgreSQL,
   * the transaction fails if it then idles for long.
   *
   * @throws JobTakenOver if it does not
   */
  void hold(long execution) {
    idleLimit.run(); // before it has the row lock that a take-over needs
    int held =
        jobs.sql(
                "update forebay.job_owner set writes = writes + 1"
                    + " where job_execution_id = ? and runner = ?")
            .params(execution, runner)
            .update();
    if (held == 0) {
      throw new JobTakenOver(execution);
    }
  }

  /** Records that no thread of this process runs the execution any more. */
  void end(long execution) {
    end(jobs, execution);
  }

  /** As {@link #end}, with the next {@link #endNow}. */
  void endLater(long execution) {
    ended.add(execution);
  }

  /** Writes what {@link #endLater} recorded, outside the repository's transactions. */
  void endNow(LongPredicate runs) {
    for (long execution : List.copyOf(ended)) {
      if (!runs.test(execution)) {
        end(client, execution);
      }
      ended.remove(execution);
    }
  }

  private void end(JdbcClient by, long execution) {
    by.sql("update forebay.job_owner set ended = true where job_execution_id = ? and runner = ?")
        .params(execution, runner)
        .update();
  }

  Owner owner(long execution) {
    return row(execution).map(this::owner).orElse(Owner.NONE);
  }

  private Owner owner(Row row) {
    return new Owner(row.ranBy() == null ? row.runner() : row.ranBy(), row.startedBy(), alive(row));
  }

  private boolean alive(Row row) {
    return !row.ended() && (row.runner().equals(runner) || lock.isAlive(row.runner()));
  }

  private record Row(String runner, @Nullable String ranBy, String startedBy, boolean ended) {}

  private Optional<Row> row(long execution) {
    return client
        .sql(
            "select runner, ran_by, started_by, ended from forebay.job_owner"
                + " where job_execution_id = ?")
        .param(execution)
        .query((found, _) ->
            new Row(
                found.getString(1), found.getString(2), found.getString(3), found.getBoolean(4)))
        .optional();
  }

  /**
   * Makes this process the owner of an execution whose owner is dead or has released it.
   *
   * @return whether it is the owner now; false if the owner is alive
   */
  boolean takeOver(long execution) {
    lock.hold();
    return Boolean.TRUE.equals(
        alone.execute(_ -> {
          if (lock(execution)) {
            Row row = row(execution).orElseThrow();
            if (alive(row)) {
              return false;
            }
            client
                .sql(
                    "update forebay.job_owner set ran_by = coalesce(ran_by, runner), runner = ?,"
                        + " ended = false where job_execution_id = ?")
                .params(runner, execution)
                .update();
          } else {
            insert(client, execution, "");
          }
          return true;
        }));
  }

  private boolean lock(long execution) {
    return client
            .sql("update forebay.job_owner set writes = writes + 1 where job_execution_id = ?")
            .param(execution)
            .update()
        > 0;
  }

  /** The result of a stop request. */
  enum Stop {
    ASKED,
    NOT_RUNNING,
    DEAD
  }

  /**
   * Asks the process that runs the execution to stop; it sees the request at the end of its chunk.
   */
  Stop askToStop(long execution) {
    return Objects.requireNonNull(
        alone.execute(transaction -> {
          lock(execution);
          if (setStopping(execution) == 0) {
            return Stop.NOT_RUNNING;
          }
          if (!owner(execution).alive()) {
            transaction.setRollbackOnly();
            return Stop.DEAD;
          }
          return Stop.ASKED;
        }));
  }

  /**
   * Marks an execution that failed or was stopped as abandoned, unless a later one of its instance
   * was started meanwhile.
   *
   * @return whether it did
   */
  boolean abandon(long execution, long instance) {
    return Boolean.TRUE.equals(
        alone.execute(_ -> {
          lockInstance(client, instance);
          return client
                  .sql(
                      "update forebay.batch_job_execution set status = 'ABANDONED',"
                          + " version = version + 1, last_updated = localtimestamp"
                          + " where job_execution_id = ? and status in ('FAILED', 'STOPPED')"
                          + " and job_execution_id = (select max(job_execution_id)"
                          + " from forebay.batch_job_execution where job_instance_id = ?)")
                  .params(execution, instance)
                  .update()
              > 0;
        }));
  }

  boolean isAskedToStop(long execution) {
    return client
        .sql(
            "select status from forebay.batch_job_execution where job_execution_id = ?"
                + " and status = 'STOPPING'")
        .param(execution)
        .query(String.class)
        .optional()
        .isPresent();
  }

  private int setStopping(long execution) {
    return client
        .sql(
            "update forebay.batch_job_execution set status = 'STOPPING', version = version + 1,"
                + " last_updated = localtimestamp"
                + " where job_execution_id = ? and status in ('STARTING', 'STARTED')")
        .param(execution)
        .update();
  }

  /**
   * Ensures that only one execution of an instance is created at a time, and that none is running.
   */
  boolean mayBegin(long instance) {
    lockInstance(jobs, instance);
    return jobs.sql(
            "select job_execution_id from forebay.batch_job_execution where job_instance_id = ?"
                + " and status not in ('FAILED', 'STOPPED') fetch first 1 rows only")
        .param(instance)
        .query(Long.class)
        .optional()
        .isEmpty();
  }

  /** Deletes an instance without executions, unless one was created meanwhile. */
  void forgetUnbegun(long instance) {
    alone.executeWithoutResult(_ -> {
      lockInstance(client, instance);
      client
          .sql(
              "delete from forebay.batch_job_instance where job_instance_id = ? and not exists"
                  + " (select 1 from forebay.batch_job_execution where job_instance_id = ?)")
          .params(instance, instance)
          .update();
    });
  }

  private static void lockInstance(JdbcClient by, long instance) {
    by.sql("update forebay.batch_job_instance set version = version where job_instance_id = ?")
        .param(instance)
        .update();
  }

  /**
   * Executions of any process that are running or whose status is unknown, including ended ones in
   * which the end of a step could not be written.
   */
  List<Long> running() {
    String open = " status in ('STARTING', 'STARTED', 'STOPPING', 'UNKNOWN')";
    return client
        .sql(
            "select job_execution_id from forebay.batch_job_execution where"
                + open
                + " or status in ('FAILED', 'STOPPED') and job_execution_id in"
                + " (select job_execution_id from forebay.batch_step_execution where"
                + open
                + ") order by job_execution_id")
        .query((row, _) -> row.getLong(1))
        .list();
  }

  /**
   * Limits how long the rest of a transaction may idle. A process that freezes between two
   * statements keeps its row locks; PostgreSQL then ends its session, and another process can take
   * its execution over.
   */
  static final class IdleLimit implements Runnable {

    private final DataSource database;
    private final Duration limit;

    IdleLimit(DataSource database, Duration limit) {
      this.database = database;
      this.limit = limit;
    }

    /** Limits the transaction of the calling thread. Has no effect on HSQLDB. */
    @Override
    public void run() {
      Connection connection = DataSourceUtils.getConnection(database);
      try (Statement statement = connection.createStatement()) {
        if ("PostgreSQL".equals(connection.getMetaData().getDatabaseProductName())) {
          statement.execute("set local idle_in_transaction_session_timeout = " + limit.toMillis());
        }
      } catch (SQLException e) {
        throw new SQLExceptionSubclassTranslator().translate("limit of a transaction", null, e);
      } finally {
        DataSourceUtils.releaseConnection(connection, database);
      }
    }
  }
}
