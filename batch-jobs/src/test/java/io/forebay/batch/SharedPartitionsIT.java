/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.batch.jobs.JobProcess;
import io.forebay.database.TestPostgres;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Several real processes with the same command perform the partitions of one job. The first is the
 * one that runs the job. Their database is one PostgreSQL.
 */
@Timeout(600)
class SharedPartitionsIT {

  private static final int SIGTERM = 143;
  private static final int KILLED = 137;
  private static final int STOPPED = 3;
  private static final Set<String> ALL =
      IntStream.rangeClosed(1, PartitionedProcess.PARTITIONS)
          .mapToObj(i -> "part:part" + i)
          .collect(Collectors.toCollection(TreeSet::new));

  @TempDir Path directory;

  private final TestPostgres postgres = TestPostgres.shared();
  private final JdbcTemplate sql = new JdbcTemplate(postgres.owner());
  private final List<ChildProcess> started = new ArrayList<>();

  @BeforeEach
  void begin() {
    postgres.createTable("create table asked (call_key text primary key, item bigint)");
    postgres.createTable(
        "create table written (seq bigint generated always as identity, step text, item bigint, name text)");
  }

  @AfterEach
  void end() {
    started.forEach(ChildProcess::close);
    postgres.close();
  }

  /**
   * @param partitions how many partitions the process performs at a time
   */
  private ChildProcess start(int partitions, String crashPoint) {
    ProcessBuilder builder =
        ChildProcess.java(
            ChildProcess.options("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            PartitionedProcess.class,
            "--forebay.jobs.run=names",
            "--pause=150",
            "--forebay.data=" + directory.resolve("data" + started.size()),
            "--forebay.backend=memory",
            "--forebay.jobs.recover=none",
            "--forebay.jobs.lease=2s",
            "--forebay.jobs.partitions=" + partitions,
            "--forebay.system.datasource.url=" + postgres.url(),
            "--forebay.system.datasource.username=forebay_gateway",
            "--forebay.system.datasource.password=",
            "--forebay.system.owner.url=" + postgres.url(),
            "--forebay.system.owner.username=forebay_owner",
            "--forebay.system.owner.password=");
    builder.environment().put(JobProcess.CRASH_POINT, crashPoint);
    ChildProcess process = ChildProcess.start(builder);
    started.add(process);
    return process;
  }

  private ChildProcess start() {
    return start(1, "none");
  }

  /** Starts the process that runs the job; it performs no partition itself. */
  private ChildProcess startManager() {
    ChildProcess manager = start(0, "none");
    manager.until(() -> runsTheJob(manager));
    return manager;
  }

  private static boolean runsTheJob(ChildProcess process) {
    return process.output().contains("execution 1: started");
  }

  /** The partitions that a process claimed, in this order. */
  private static List<String> claimed(ChildProcess process) {
    return Pattern.compile("(part:part\\d+): performed by this process")
        .matcher(process.output())
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  /** Waits until a process has committed a chunk of its first partition, and returns that. */
  private String inTheMiddle(ChildProcess process) {
    process.until(() -> !claimed(process).isEmpty());
    String partition = claimed(process).getFirst();
    process.until(() -> !items(partition).isEmpty());
    return partition;
  }

  /** Waits until one of the processes performs a partition that another one has begun. */
  private static void takesOver(String partition, ChildProcess... processes) {
    await()
        .until(() ->
            Stream.of(processes)
                .flatMap(it -> readBefore(it, partition))
                .anyMatch(items -> items >= PartitionedProcess.CHUNK));
  }

  private static Stream<Integer> readBefore(ChildProcess process, String partition) {
    return Pattern.compile(partition + ": performed by this process from now on \\((\\d+) items")
        .matcher(process.output())
        .results()
        .map((MatchResult match) -> Integer.valueOf(match.group(1)));
  }

  /** The items that a partition wrote, in the order in which it wrote them. */
  private List<Long> items(String partition) {
    return sql.queryForList(
        "select item from written where step = ? order by seq", Long.class, partition);
  }

  private Set<String> steps(long execution, String condition) {
    return new TreeSet<>(
        sql.queryForList(
            "select step_name from forebay.batch_step_execution where job_execution_id = ?"
                + " and step_name like 'part:%' and "
                + condition,
            String.class,
            execution));
  }

  private void assertEachItemOnceAndInOrder() {
    for (int i = 1; i <= PartitionedProcess.PARTITIONS; i++) {
      long before = (long) i * PartitionedProcess.EACH;
      assertThat(items("part:part" + i))
          .isEqualTo(
              LongStream.rangeClosed(before + 1, before + PartitionedProcess.EACH)
                  .boxed()
                  .toList());
    }
    assertThat(sql.queryForObject("select count(*) from asked", Integer.class))
        .as("each item has one key, in all executions")
        .isEqualTo(PartitionedProcess.EACH * (PartitionedProcess.PARTITIONS + 1));
    assertThat(sql.queryForObject("select count(*) from forebay.job_partition", Integer.class))
        .isZero();
  }

  @Test
  void killedAndFrozenWorkersAreReplacedAndAKilledManagerRepeatsNoPartitionThatWasComplete() {
    ChildProcess manager = startManager();
    ChildProcess doomed = start(1, "after-partition-claim");
    ChildProcess worker = start();
    ChildProcess frozen = start(1, "after-partition-hold:7:stop"); // with the lock of its row
    String ofWorker = inTheMiddle(worker);
    worker.kill();
    frozen.until(frozen::isSuspended);
    String ofFrozen = claimed(frozen).getFirst();
    doomed.awaitEnd(KILLED);
    ChildProcess successor = start();
    takesOver(ofWorker, successor);
    takesOver(ofFrozen, successor);
    frozen.resume();
    frozen.until(() -> frozen.output().contains("no longer belongs to this process"));

    await().until(() -> !steps(1, "status = 'COMPLETED'").isEmpty());
    assertThat(steps(1, "status <> 'COMPLETED'")).as("partitions in the middle").isNotEmpty();
    manager.kill();
    frozen.awaitEnd(0);
    successor.awaitEnd(0);
    assertThat(frozen.output()).doesNotContain("Encountered an error saving batch meta data");

    assertThat(started.stream().map(SharedPartitionsIT::claimed).flatMap(List::stream))
        .containsAll(ALL);
    Set<String> again = new TreeSet<>(ALL);
    again.removeAll(steps(1, "status = 'COMPLETED'"));
    assertThat(steps(2, "status = 'COMPLETED'")).isEqualTo(again);
    assertThat(steps(2, "true")).isEqualTo(again);
    assertEachItemOnceAndInOrder();
  }

  @Test
  void aTerminatedWorkerHandsItsPartitionBackAndAStopEndsThePartitionsOfAllProcesses() {
    List<ChildProcess> processes = List.of(start(), start(), start());
    await().until(() -> processes.stream().anyMatch(SharedPartitionsIT::runsTheJob));
    ChildProcess manager =
        processes.stream().filter(SharedPartitionsIT::runsTheJob).findFirst().orElseThrow();
    List<ChildProcess> others = processes.stream().filter(it -> it != manager).toList();
    ChildProcess worker = others.getFirst();
    ChildProcess other = others.getLast();
    String handedBack = inTheMiddle(worker);
    assertThat(worker.stop()).isEqualTo(SIGTERM);
    assertThat(worker.output()).contains(handedBack + ": STOPPED");
    takesOver(handedBack, manager, other);

    other.send(PartitionedProcess.STOP);
    manager.awaitEnd(STOPPED);
    other.awaitEnd(STOPPED);
    assertThat(steps(1, "status not in ('COMPLETED', 'STOPPED')")).isEmpty();
    assertThat(steps(1, "status = 'STOPPED'")).isNotEmpty();
    assertThat(manager.output()).contains("Step whole: STOPPED, ");

    start(PartitionedProcess.PARTITIONS, "none").awaitEnd(0);
    assertThat(steps(2, "true")).isEqualTo(steps(1, "status = 'STOPPED'"));
    assertEachItemOnceAndInOrder();
  }
}
