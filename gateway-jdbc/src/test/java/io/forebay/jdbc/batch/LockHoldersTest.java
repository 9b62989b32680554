/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.SharedSessions;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.ledger.GatewayDatabase;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.operations.LockHolder;
import io.forebay.queue.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LockHoldersTest {

  private final TestPostgres postgres = TestPostgres.shared();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final GatewayDatabase database =
      new GatewayDatabase(postgres.gateway(), postgres.owner(), () -> Level.DISK);
  private final LockHolders locks = new LockHolders(database);

  @BeforeEach
  void createTables() {
    database.prepare();
    postgres.createTable("create table item (id bigint)");
    postgres.createTable("create table other (id bigint)");
  }

  @AfterEach
  void close() {
    threads.close();
    postgres.close();
  }

  private DatabaseSession open() throws SQLException {
    DatabaseSession session =
        DatabaseSession.open(postgres.gateway(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT);
    session.execute("set lock_timeout = 0; set idle_in_transaction_session_timeout = 0");
    session.commit();
    return session;
  }

  private Future<?> insertInto(String table, DatabaseSession session) {
    return threads.submit(() -> session.update("insert into " + table + " values (1)"));
  }

  @Test
  void aSessionOfForebayIsNotNamedButTheOneForWhichItWaits() throws Exception {
    try (Connection outside = postgres.gateway().getConnection();
        DatabaseSession before = open();
        DatabaseSession waiting = open()) {
      outside.setAutoCommit(false);
      outside.createStatement().execute("lock table other");
      before.execute("select epoch from forebay.progress for no key update");
      before.execute("lock table item in share row exclusive mode");
      Instant begun = Instant.now();
      locks.begins(1, waiting);
      Future<?> first = insertInto("other", before);
      Future<?> second = insertInto("item", waiting);
      await().until(() -> locks.holder().isPresent());
      assertThat(locks.holder().orElseThrow())
          .returns((long) SharedSessions.process(outside), LockHolder::session)
          .satisfies(
              it -> assertThat(it.waits()).as("found").isAfterOrEqualTo(begun.plusSeconds(1)))
          .satisfies(it -> assertThat(it.idleSince()).as("in its transaction").isAfter(it.since()));
      outside.rollback();
      first.get();
      await().until(() -> locks.holder().isEmpty());
      assertThat(second.isDone()).isFalse();
      before.rollback();
      second.get();
    }
  }

  @Test
  void anAdvisoryLockIsHeldWithoutATransactionWhichIsNotHidden() throws Exception {
    try (Connection outside = postgres.gateway().getConnection();
        DatabaseSession waiting = open()) {
      outside.createStatement().execute("select pg_advisory_lock(7)");
      locks.begins(0, waiting);
      Future<?> wait =
          threads.submit(() -> {
            waiting.execute("select pg_advisory_xact_lock(7)");
            return null;
          });
      await().until(() -> locks.holder().isPresent());
      assertThat(locks.holder().orElseThrow())
          .returns(null, LockHolder::since)
          .returns(false, LockHolder::hidden);
      outside.createStatement().execute("select pg_advisory_unlock(7)");
      wait.get();
    }
  }

  @Test
  void theLastAnswerHoldsBetweenTwoAttemptsUnlessTheSecondFailsForAnotherReason() throws Exception {
    try (Connection outside = postgres.owner().getConnection();
        DatabaseSession waiting = open()) {
      outside.setAutoCommit(false);
      outside.createStatement().execute("lock table item");
      locks.begins(0, waiting);
      Future<?> insert = insertInto("item", waiting);
      await().until(() -> locks.holder().isPresent());
      locks.failed(0, true);
      LockHolder holder = locks.holder().orElseThrow();
      assertThat(holder.hidden()).as("of another role").isTrue();
      locks.begins(0, waiting);
      assertThat(locks.holder()).contains(holder);
      locks.failed(0, false);
      assertThat(locks.holder()).isEmpty();
      outside.rollback();
      insert.get();
    }
  }
}
