/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
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

  /** Instances with an execution that did not end before a time. */
  private static final String OPEN_AFTER =
      "select job_instance_id from forebay.batch_job_execution where (end_time is null"
          + " or end_time >= ? or status not in ('COMPLETED', 'FAILED', 'STOPPED', 'ABANDONED'))";

  private final JdbcClient jobs;
  private final JdbcClient client;
  private final TransactionTemplate alone;
  private final ProcessLock lock;
  private final String process;

  /** Executions that a thread of this process runs or recovers. */
  private final Map<Long, JobExecution> here = new ConcurrentHashMap<>();

  private final ThreadLocal<@Nullable JobExecution> made = new ThreadLocal<>();

  /**
   * @param jobs the repository's connections
   * @param own connections that jobs cannot use up
   */
  Owners(
      @Qualifier(JobsAutoConfiguration.DATA_SOURCE) DataSource jobs,
      @Qualifier(JobsAutoConfiguration.OWNERS) DataSource own,
      ProcessLock lock) {
    this.jobs = JdbcClient.create(jobs);
    client = JdbcClient.create(own);
    this.lock = lock;
    process = lock.process();
    alone = new TransactionTemplate(new JdbcTransactionManager(own));
    alone.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    alone.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
  }

  /**
   * @param process the process that may write the execution
   * @param runner the process that runs or ran it, also if another one recovered it; null if none
   *     is stored
   */
  record Owner(long execution, String process, @Nullable String runner, String startedBy) {}

  /**
   * Makes this process the owner of a new execution, in the transaction that makes it. If the
   * answer to the commit is lost, the execution may exist, but no thread runs it.
   */
  void bind(JobExecution execution, String startedBy) {
    long id = execution.getId();
    lock.hold();
    jobs.sql(
            "insert into forebay.job_owner (job_execution_id, runner, started_by) values (?, ?, ?)")
        .params(id, process, startedBy)
        .update();
    claim(execution);
    made.set(execution);
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            if (status != STATUS_COMMITTED) {
              letGo(id);
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

  /** Returns whether no other thread of this process runs or recovers the execution. */
  boolean claim(JobExecution execution) {
    return here.putIfAbsent(execution.getId(), execution) == null;
  }

  /** No thread of this process runs or recovers the execution any more. */
  void letGo(long execution) {
    here.remove(execution);
  }

  /** Executions that a thread of this process runs or recovers. */
  Map<Long, JobExecution> here() {
    return here;
  }

  /**
   * Ensures that the execution belongs to this process until the transaction ends. On PostgreSQL,
   * the server ends a transaction that then idles for long.
   *
   * @throws JobTakenOver if it does not
   */
  void hold(long execution) {
    if (lock.isShared()) {
      // A process that freezes with the row lock would otherwise prevent its take-over.
      jobs.sql("set local idle_in_transaction_session_timeout = " + lock.patience().toMillis())
          .update();
    }
    int held =
        jobs.sql(
                "update forebay.job_owner set writes = writes + 1"
                    + " where job_execution_id = ? and runner = ?")
            .params(execution, process)
            .update();
    if (held == 0) {
      throw new JobTakenOver(execution);
    }
  }

  Owner owner(long execution) {
    return client
        .sql(
            "select runner, coalesce(ran_by, runner), started_by from forebay.job_owner"
                + " where job_execution_id = ?")
        .param(execution)
        .query(
            (row, _) -> new Owner(execution, row.getString(1), row.getString(2), row.getString(3)))
        .optional()
        .orElse(new Owner(execution, "", null, ""));
  }

  /** Whether this process may write the execution. */
  boolean isMine(Owner owner) {
    return owner.process().equals(process);
  }

  /** Whether a thread of a live process may still run the execution. */
  boolean isAlive(Owner owner) {
    return isMine(owner) ? here.containsKey(owner.execution()) : lock.isAlive(owner.process());
  }

  /**
   * Makes this process the owner of an execution that it has {@linkplain #claim claimed}.
   *
   * @return whether it is the owner now; false if another process may be alive that owns it
   */
  boolean takeOver(long execution) {
    lock.hold();
    Owner owner = owner(execution);
    return (isMine(owner) || !lock.isAlive(owner.process()))
        && client
                .sql(
                    "update forebay.job_owner set ran_by = coalesce(ran_by, runner), runner = ?"
                        + " where job_execution_id = ? and runner = ?")
                .params(process, execution, owner.process())
                .update()
            > 0;
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
                          + " version = version + 1, last_updated = current_timestamp"
                          + " where job_execution_id = ? and status in ('FAILED', 'STOPPED')"
                          + " and job_execution_id = (select max(job_execution_id)"
                          + " from forebay.batch_job_execution where job_instance_id = ?)")
                  .params(execution, instance)
                  .update()
              > 0;
        }));
  }

  /** Executions of any process that were asked to stop. */
  List<Long> askedToStop() {
    return client
        .sql("select job_execution_id from forebay.batch_job_execution where status = 'STOPPING'")
        .query((row, _) -> row.getLong(1))
        .list();
  }

  /**
   * Asks the process that runs the execution to stop; it sees the request at the end of its chunk.
   *
   * @return false if it is not running, or was asked before
   */
  boolean askToStop(long execution) {
    return client
            .sql(
                "update forebay.batch_job_execution set status = 'STOPPING', version = version + 1,"
                    + " last_updated = current_timestamp"
                    + " where job_execution_id = ? and status in ('STARTING', 'STARTED')")
            .param(execution)
            .update()
        > 0;
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

  /** Instances whose executions all ended before a time. */
  List<Long> endedBefore(Instant time) {
    return client
        .sql(
            "select distinct job_instance_id from forebay.batch_job_execution"
                + " where job_instance_id not in (%s)".formatted(OPEN_AFTER))
        .param(Timestamp.from(time))
        .query((row, _) -> row.getLong(1))
        .list();
  }

  /**
   * Deletes an instance with its executions, unless one did not end before a time. Locks it as a
   * start does, so that nobody starts it meanwhile.
   *
   * @return whether it did
   */
  boolean delete(long instance, Instant before) {
    return Boolean.TRUE.equals(
        alone.execute(_ -> {
          lockInstance(client, instance);
          return client
                  .sql(
                      "delete from forebay.batch_job_instance where job_instance_id = ?"
                          + " and job_instance_id not in (%s and job_instance_id = ?)"
                              .formatted(OPEN_AFTER))
                  .params(instance, Timestamp.from(before), instance)
                  .update()
              > 0;
        }));
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
}
