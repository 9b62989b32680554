/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

class OwnersTest {

  private static final int ROUNDS = 50;
  private static final int LONG = 60;

  private static final Duration PATIENCE = Duration.ofMillis(500);

  @TempDir Path directory;

  /** Each in its own transaction, as the repository creates executions. */
  @Test
  void theFirstExecutionsOfAProcessMayBeginConcurrently() throws Exception {
    DriverManagerDataSource database =
        new DriverManagerDataSource(
            "jdbc:hsqldb:file:" + directory.resolve("jobs") + ";hsqldb.tx=mvcc", "SA", "");
    JdbcClient client = JdbcClient.create(database);
    createTables(client);
    JdbcTransactionManager transactions = new JdbcTransactionManager(database);
    TransactionTemplate making = new TransactionTemplate(transactions);
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < ROUNDS; round++) {
        Owners owners =
            new Owners(
                database, database, new ProcessLock(database, "runner-" + round, false, PATIENCE));
        CyclicBarrier together = new CyclicBarrier(2);
        List<Callable<Boolean>> first = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          long execution = 2L * round + i;
          first.add(() -> {
            together.await(LONG, TimeUnit.SECONDS);
            making.executeWithoutResult(_ -> owners.bind(execution(execution), "tester"));
            return owners.isAlive(owners.owner(execution));
          });
        }
        for (Future<Boolean> alive : threads.invokeAll(first, LONG, TimeUnit.SECONDS)) {
          assertThat(alive.get()).isTrue();
        }
      }
    } finally {
      client.sql("shutdown").update();
    }
  }

  private static void createTables(JdbcClient client) {
    for (String table :
        List.of(
            "create schema forebay",
            "create table forebay.job_owner (job_execution_id bigint primary key,"
                + " runner varchar(200), started_by varchar(200), writes bigint default 0,"
                + " ran_by varchar(200))")) {
      client.sql(table).update();
    }
  }

  @Test
  void aProcessThatFreezesWithRowLocksIsTakenOver() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      DataSource database = postgres.owner();
      JdbcClient client = JdbcClient.create(database);
      createTables(client);
      Owners frozen = owners(database, "frozen");
      TransactionTemplate chunk = new TransactionTemplate(new JdbcTransactionManager(database));
      chunk.executeWithoutResult(_ -> frozen.bind(execution(1), "tester"));
      assertThatThrownBy(() ->
              chunk.executeWithoutResult(_ -> {
                frozen.hold(1);
                Owners other = owners(database, "other");
                await().until(() -> other.takeOver(1));
              }))
          .isInstanceOf(TransactionException.class);
      assertThat(client.sql("select runner from forebay.job_owner").query(String.class).single())
          .isEqualTo("other");
      assertThat(frozen.owner(1).runner()).as("whose log says why it ended").isEqualTo("frozen");
    }
  }

  private static Owners owners(DataSource database, String runner) {
    return new Owners(database, database, new ProcessLock(database, runner, true, PATIENCE));
  }

  private static JobExecution execution(long id) {
    return new JobExecution(id, new JobInstance(id, "job"), new JobParameters());
  }
}
