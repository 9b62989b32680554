/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.partitions;

import static io.forebay.batch.partitions.PartitionClaims.TAKEN_OVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.batch.partitions.PartitionClaims.End;
import io.forebay.batch.partitions.PartitionClaims.Partition;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Several processes, which a test declares dead. */
class PartitionClaimsTest {

  private static final long STEP = 7;

  private final DataSource database =
      new DriverManagerDataSource(
          "jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc", "SA", "");
  private final JdbcClient client = JdbcClient.create(database);
  private final Set<String> dead = ConcurrentHashMap.newKeySet();

  /** Names of processes whose transactions may idle no longer than their lease, in order. */
  private final List<String> limited = new CopyOnWriteArrayList<>();

  private final PartitionClaims one = claims("one");
  private final PartitionClaims two = claims("two");
  private final PartitionClaims three = claims("three");

  private PartitionClaims claims(String name) {
    return new PartitionClaims(
        client,
        new JdbcTransactionManager(database),
        client,
        new Processes() {
          @Override
          public String self() {
            return name;
          }

          @Override
          public void enter() {}

          @Override
          public boolean isAlive(String process) {
            return !dead.contains(process);
          }

          @Override
          public void hold(long execution) {}

          @Override
          public void limitIdle() {
            limited.add(name);
          }
        });
  }

  @BeforeEach
  void offer() {
    for (String sql :
        List.of(
            "create schema forebay",
            "create table forebay.batch_job_instance (job_instance_id bigint, job_name varchar(9))",
            "create table forebay.batch_job_execution (job_execution_id bigint,"
                + " job_instance_id bigint, status varchar(10))",
            "create table forebay.job_partition (step_execution_id bigint primary key,"
                + " job_execution_id bigint, step varchar(100), runner varchar(200), tries int,"
                + " commits bigint)",
            "create table forebay.batch_step_execution (step_execution_id bigint,"
                + " job_execution_id bigint, step_name varchar(100))",
            "insert into forebay.batch_step_execution values (%d, 1, 'part:0')".formatted(STEP),
            "insert into forebay.batch_job_instance values (1, 'job')",
            "insert into forebay.batch_job_execution values (1, 1, 'STARTED')")) {
      client.sql(sql).update();
    }
    one.offer(1, "whole", List.of(STEP));
  }

  /** The step execution of the partition, as a process loads it. */
  private int tries() {
    return client
        .sql("select tries from forebay.job_partition where step_execution_id = ?")
        .param(STEP)
        .query(Integer.class)
        .single();
  }

  private static StepExecution loaded(long commits) {
    JobExecution job = new JobExecution(1, new JobInstance(1, "job"), new JobParameters());
    StepExecution step = new StepExecution(STEP, "part:0", job);
    step.setCommitCount(commits);
    return step;
  }

  private Partition open() {
    return one.open(1, "whole").getFirst();
  }

  @Test
  void ofTwoProcessesThatSeeTheSamePartitionOneClaimsIt() {
    Partition seen = open();
    assertThat(one.claim(seen)).isTrue();
    assertThat(two.claim(seen)).isFalse();
    assertThat(two.claimable()).isEmpty();
    assertThat(two.held()).isZero();
  }

  @Test
  void aProcessThatLostItsClaimWritesNoMoreAndClaimsAgainOnlyWhenItsThreadHasEnded() {
    assertThat(one.claim(open())).isTrue();
    StepExecution mine = loaded(0);
    one.begin(mine);
    assertThat(one.hold(mine)).isTrue();
    dead.add("one");
    assertThat(two.claim(two.claimable().getFirst())).isTrue();
    assertThat(one.isPerformed(mine)).isTrue();
    assertThat(one.isPerformed(loaded(0))).as("another object").isFalse();
    assertThat(one.hold(mine)).isFalse();
    assertThat(limited).containsExactly("one", "one");

    dead.add("two");
    assertThat(one.claim(open())).as("while its thread runs").isFalse();
    one.end(STEP, mine, End.LOST);
    assertThat(open().runner()).isEqualTo("two");
    assertThat(one.claim(open())).isTrue();
  }

  @Test
  void theNextExecutionCountsTheTriesOnFromOneThatWasTakenOver() {
    assertThat(one.claim(open())).isTrue();
    client.sql("update forebay.job_partition set runner = ?").param(TAKEN_OVER).update();
    assertThat(one.open(1, "whole")).as("it can be claimed no more").isEmpty();
    assertThat(two.claimable()).isEmpty();

    two.end(STEP, null, End.LOST);
    assertThat(tries()).as("of a process that lives, the try does not count").isZero();
    two.end(STEP, null, End.HANDED_BACK);
    assertThat(tries()).isZero();
    client.sql("update forebay.job_partition set tries = 1").update();

    client.sql("insert into forebay.batch_job_execution values (2, 1, 'STARTED')").update();
    for (String part : List.of("part:0", "part:1")) {
      long id = STEP + 1 + Integer.parseInt(part.substring("part:".length()));
      client
          .sql("insert into forebay.batch_step_execution values (?, 2, ?)")
          .params(id, part)
          .update();
    }
    two.offer(2, "whole", List.of(STEP + 1, STEP + 2));
    assertThat(two.open(2, "whole"))
        .extracting(Partition::id, Partition::tries)
        .containsExactly(tuple(STEP + 1, 1), tuple(STEP + 2, 0));
    assertThat(client.sql("select count(*) from forebay.job_partition").query(Long.class).single())
        .as("those of the first execution are gone")
        .isEqualTo(2);
  }

  @Test
  void aPartitionIsClaimedAgainUnlessThreeProcessesDiedWithoutACommitBetweenThem() {
    assertThat(one.claim(open())).isTrue();
    dead.add("one");
    assertThat(two.claim(open())).isTrue();
    assertThat(open().tries()).isEqualTo(2);
    StepExecution step = loaded(1);
    two.begin(step);
    two.hold(step);
    assertThat(open().tries()).as("after a commit").isEqualTo(1);
    two.end(STEP, step, End.HANDED_BACK);
    assertThat(open().tries()).isZero();
    one.end(STEP, null, End.LOST);

    for (PartitionClaims process : List.of(one, two, three)) {
      assertThat(three.claimable()).hasSize(1);
      assertThat(process.claim(open())).isTrue();
      dead.add(open().runner());
    }
    assertThat(three.claimable()).isEmpty();
  }

  @Test
  void aClaimWhoseAnswerWasLostIsMadeAgain() {
    client.sql("update forebay.job_partition set runner = 'one', tries = 1").update();
    assertThat(two.claimable()).isEmpty();
    assertThat(one.claim(one.claimable().getFirst())).isTrue();
    assertThat(one.claimable()).isEmpty();
  }

  @Test
  void aPartitionOfAStoppingExecutionIsNotClaimed() {
    client.sql("update forebay.batch_job_execution set status = 'STOPPING'").update();
    assertThat(two.claimable()).isEmpty();
    assertThat(two.abandoned(two.open(1, "whole"))).hasSize(1);
  }

  @Test
  void theOwnerOfTheJobWithdrawsOnlyWhatNobodyClaimedMeanwhile() {
    Partition seen = open();
    assertThat(two.claim(seen)).isTrue();
    one.withdraw(seen);
    assertThat(open().runner()).isEqualTo("two");
    one.withdrawAll(1, "whole");
    assertThat(one.open(1, "whole")).isEmpty();
  }
}
