/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.repository.support.ResourcelessJobRepository;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;

/** The lease of a process is renewed whatever happens in the process. */
class JobsLifecycleTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  private final DataSource database =
      new DriverManagerDataSource(
          "jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc", "SA", "");
  private final BreakingTransactions transactions = new BreakingTransactions(database);
  private final JdbcClient client = JdbcClient.create(database);
  private JobsLifecycle lifecycle;

  /** Throws errors on request. */
  private static final class BreakingTransactions extends JdbcTransactionManager {

    private static final long serialVersionUID = 1;
    private final AtomicInteger errors = new AtomicInteger();

    private BreakingTransactions(DataSource database) {
      super(database);
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      if (errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new NoClassDefFoundError("broken");
      }
      super.doBegin(transaction, definition);
    }
  }

  @BeforeEach
  void start() {
    for (String table :
        List.of(
            "create schema forebay",
            "create table forebay.job_runner (id varchar(200) primary key,"
                + " renewed_at timestamp with time zone, lease_millis bigint)",
            "create table forebay.job_owner (job_execution_id bigint primary key,"
                + " runner varchar(200), started_by varchar(200), ended boolean, writes bigint)")) {
      client.sql(table).update();
    }
    Owners owners =
        new Owners(client, client, transactions, "me", Duration.ofSeconds(2), true, () -> {});
    owners.bind(1, "tester");
    ResourcelessJobRepository repository = new ResourcelessJobRepository();
    lifecycle =
        new JobsLifecycle(
            owners,
            new OwnedJobOperator(owners),
            repository,
            JobsProperties.Recover.NONE,
            new History(
                client, transactions, repository, owners, Duration.ZERO, InstantSource.system()),
            LONG);
    lifecycle.start();
  }

  @AfterEach
  void stop() {
    lifecycle.stop();
  }

  private OffsetDateTime renewed() {
    return client
        .sql("select renewed_at from forebay.job_runner")
        .query(OffsetDateTime.class)
        .single();
  }

  private void isRenewed() {
    OffsetDateTime before = renewed();
    await().until(() -> renewed().isAfter(before));
  }

  @Test
  void aLeaseIsRenewedWhileBodiesUseUpAllVirtualThreads() {
    long until = System.nanoTime() + LONG.toNanos();
    List<Thread> computing = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      computing.add(
          Thread.ofVirtual()
              .start(() -> {
                while (System.nanoTime() < until && !Thread.currentThread().isInterrupted()) {
                  Thread.onSpinWait();
                }
              }));
    }
    try {
      isRenewed();
      assertThat(computing).allMatch(Thread::isAlive);
    } finally {
      computing.forEach(Thread::interrupt);
    }
  }

  @Test
  void aLeaseIsRenewedAfterAnError() {
    transactions.errors.set(2);
    await().until(() -> transactions.errors.get() == 0);
    isRenewed();
  }
}
