/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.partitions;

import io.forebay.service.CrashPoint;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Which process performs which partition. Thread-safe.
 *
 * <p>Each open partition has one row. The process that runs the job inserts it; a process claims
 * the partition by a compare-and-set of {@code runner}, and deletes the row at the end of the
 * partition. Every write to the partition's step execution first updates the row in the same
 * transaction, on condition that it still names the writer. So the chunk of a process that lost its
 * claim is rolled back. The partition of a dead process can be claimed again: the same step
 * execution continues with the execution context of its last commit.
 *
 * <p>When the execution of the job is taken over, its rows name {@link #TAKEN_OVER}: then no
 * process can write to its partitions any more. The next execution counts the tries on from them,
 * because the process that ran the job may have died at the same chunk. A process that performed
 * one and lives takes its try back when it notices.
 */
public final class PartitionClaims {

  /** How many processes may die one after the other while they perform the same chunk. */
  static final int TRIES = 3;

  private static final Logger log = LoggerFactory.getLogger(PartitionClaims.class);

  /** In column {@code runner}: no process has claimed the partition. */
  private static final String NOBODY = "";

  /** In column {@code runner}: the execution of the job was taken over. */
  public static final String TAKEN_OVER = "taken over";

  private static final String CARRIED =
      "select mine.step_execution_id, max(p.tries) from forebay.job_partition p"
          + " join forebay.batch_job_execution e on e.job_execution_id = p.job_execution_id"
          + " join forebay.batch_job_execution m on m.job_instance_id = e.job_instance_id"
          + " join forebay.batch_step_execution s on s.step_execution_id = p.step_execution_id"
          + " join forebay.batch_step_execution mine on mine.job_execution_id = m.job_execution_id"
          + " and mine.step_name = s.step_name"
          + " where m.job_execution_id = ? and p.step = ? and p.runner = ?"
          + " group by mine.step_execution_id";

  private static final String OPEN =
      "select p.step_execution_id, i.job_name, p.step, p.runner, p.tries"
          + " from forebay.job_partition p"
          + " join forebay.batch_job_execution e on e.job_execution_id = p.job_execution_id"
          + " join forebay.batch_job_instance i on i.job_instance_id = e.job_instance_id"
          + " where %s and p.runner <> '"
          + TAKEN_OVER
          + "' order by p.step_execution_id";

  private final JdbcClient jobs;
  private final TransactionTemplate transaction;
  private final JdbcClient client;
  private final Processes processes;

  /** Partitions that this process has claimed or is about to claim. */
  private final Set<Long> held = ConcurrentHashMap.newKeySet();

  /** Ends of partitions that are not written yet. */
  private final Map<Long, End> ends = new ConcurrentHashMap<>();

  /** Those that threads of this process perform, by identity: the repository has other objects. */
  private final Set<StepExecution> performed =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

  /**
   * @param jobs the repository's connections, in its transactions
   * @param client connections that jobs can neither use up nor delay
   */
  public PartitionClaims(
      JdbcClient jobs,
      PlatformTransactionManager transactions,
      JdbcClient client,
      Processes processes) {
    this.jobs = jobs;
    this.transaction = new TransactionTemplate(transactions);
    this.client = client;
    this.processes = processes;
  }

  /**
   * An open partition.
   *
   * @param id its step execution
   * @param step the step that is divided
   * @param tries how many processes claimed it since its last commit
   */
  record Partition(long id, String job, String step, String runner, int tries) {}

  /** What a process did with its partition. */
  enum End {
    /** It is over, and its end is written. */
    OVER,
    /** It did not begin, or the process shuts down; it continues after its last commit. */
    HANDED_BACK,
    /** How it ended could not be written; it continues after its last commit. */
    LOST
  }

  /** Offers partitions of an execution that belongs to this process. */
  void offer(long execution, String step, Collection<Long> partitions) {
    transaction.executeWithoutResult(_ -> {
      processes.hold(execution);
      Map<Long, Integer> tries = new HashMap<>();
      jobs.sql(CARRIED)
          .params(execution, step, TAKEN_OVER)
          .query(row -> {
            tries.put(row.getLong(1), row.getInt(2));
          });
      for (long id : partitions) {
        jobs.sql(
                "insert into forebay.job_partition"
                    + " (step_execution_id, job_execution_id, step, runner, tries, commits)"
                    + " values (?, ?, ?, ?, ?, 0)")
            .params(id, execution, step, NOBODY, tries.getOrDefault(id, 0))
            .update();
      }
      jobs.sql(
              "delete from forebay.job_partition where step = ? and runner = ?"
                  + " and job_execution_id in (select e.job_execution_id"
                  + " from forebay.batch_job_execution e join forebay.batch_job_execution m"
                  + " on m.job_instance_id = e.job_instance_id where m.job_execution_id = ?)")
          .params(step, TAKEN_OVER, execution)
          .update();
    });
  }

  /** The open partitions of a step. */
  List<Partition> open(long execution, String step) {
    return open("p.job_execution_id = ? and p.step = ?", execution, step);
  }

  private List<Partition> open(String condition, Object... values) {
    return client
        .sql(OPEN.formatted(condition))
        .params(values)
        .query((row, _) ->
            new Partition(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getInt(5)))
        .list();
  }

  /** The partitions that this process may claim, those that were offered first first. */
  List<Partition> claimable() {
    Map<String, Boolean> alive = new HashMap<>();
    return open("e.status = 'STARTED' and p.tries < ?", TRIES).stream()
        .filter(it -> isAbandoned(it, alive))
        .toList();
  }

  /** Those of the given partitions that no live process performs. */
  List<Partition> abandoned(List<Partition> partitions) {
    Map<String, Boolean> alive = new HashMap<>();
    return partitions.stream().filter(it -> isAbandoned(it, alive)).toList();
  }

  private boolean isAbandoned(Partition partition, Map<String, Boolean> alive) {
    String runner = partition.runner();
    if (runner.equals(processes.self())) {
      return !held.contains(partition.id()); // the answer to a claim was lost
    }
    return runner.equals(NOBODY) || !alive.computeIfAbsent(runner, processes::isAlive);
  }

  /**
   * Claims a partition.
   *
   * @return false if another process was faster
   */
  boolean claim(Partition partition) {
    processes.enter();
    if (!held.add(partition.id())) {
      return false; // a thread that lost its claim has not ended yet
    }
    boolean claimed = false;
    try {
      claimed =
          client
                  .sql(
                      "update forebay.job_partition set runner = ?, tries = tries + 1"
                          + " where step_execution_id = ? and runner = ?")
                  .params(processes.self(), partition.id(), partition.runner())
                  .update()
              > 0;
    } finally {
      if (!claimed) {
        held.remove(partition.id());
      }
    }
    if (claimed) {
      CrashPoint.hit("after-partition-claim");
    }
    return claimed;
  }

  /** The name of this process. */
  String self() {
    return processes.self();
  }

  /** How many partitions this process holds. */
  int held() {
    return held.size();
  }

  /** From now on this object is written with {@link #hold}. */
  void begin(StepExecution partition) {
    performed.add(partition);
  }

  /** The partitions that threads of this process perform. */
  List<StepExecution> performed() {
    synchronized (performed) {
      return List.copyOf(performed);
    }
  }

  /** Whether a thread of this process performs a partition with this object. */
  public boolean isPerformed(StepExecution step) {
    return performed.contains(step);
  }

  /**
   * Ensures that a partition belongs to this process until the transaction ends.
   *
   * @return false if it does not
   */
  public boolean hold(StepExecution partition) {
    long commits = partition.getCommitCount();
    processes.limitIdle(); // before it has the row lock
    boolean holds =
        jobs.sql(
                    "update forebay.job_partition"
                        + " set tries = case when commits < ? then 1 else tries end, commits = ?"
                        + " where step_execution_id = ? and runner = ?")
                .params(commits, commits, partition.getId(), processes.self())
                .update()
            > 0;
    CrashPoint.hit("after-partition-hold");
    return holds;
  }

  /** No thread of this process performs the partition any more. */
  void end(long id, @Nullable StepExecution partition, End end) {
    ends.put(id, end);
    if (partition != null) {
      performed.remove(partition);
    }
    try {
      letGo();
    } catch (RuntimeException e) {
      log.warn(
          "the end of partition {} could not be written ({}); it is retried",
          id,
          e.getClass().getName());
    }
  }

  /** Writes the ends of partitions. If that is not possible now, the next call retries it. */
  synchronized void letGo() {
    ends.forEach((id, end) -> {
      write(id, end);
      ends.remove(id);
      held.remove(id);
    });
  }

  private void write(long id, End end) {
    String sql =
        switch (end) {
          case OVER -> "delete from forebay.job_partition";
          case HANDED_BACK -> "update forebay.job_partition set runner = '', tries = tries - 1";
          case LOST -> "update forebay.job_partition set runner = ''";
        };
    String row = " where step_execution_id = ? and runner = ?";
    boolean written = client.sql(sql + row).params(id, processes.self()).update() > 0;
    if (!written && end != End.OVER) { // of those that were taken over, only the dead ones count
      client
          .sql("update forebay.job_partition set tries = tries - 1" + row + " and tries > 0")
          .params(id, TAKEN_OVER)
          .update();
    }
  }

  /** Withdraws a partition, unless another process claimed it meanwhile. */
  void withdraw(Partition partition) {
    client
        .sql("delete from forebay.job_partition where step_execution_id = ? and runner = ?")
        .params(partition.id(), partition.runner())
        .update();
  }

  /** Withdraws all partitions of a step, whoever performs them. */
  void withdrawAll(long execution, String step) {
    client
        .sql("delete from forebay.job_partition where job_execution_id = ? and step = ?")
        .params(execution, step)
        .update();
  }
}
