/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.database.Migrations;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Limits;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.PendingStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a batch learns from moving its progress row on PostgreSQL. */
class LedgerTest {

  private static final String CANCEL =
      "update forebay.progress set next_position = next_position where service = 'shop'";

  private final TestPostgres postgres = TestPostgres.shared();
  private final Ledger ledger = new Ledger("shop", 0);
  private final Requests requests = new Requests("shop", 0);
  private DatabaseSession session;
  private long next;

  @BeforeEach
  void claim() throws SQLException {
    Migrations.run(postgres.owner(), "forebay_gateway");
    session = DatabaseSession.open(postgres.gateway(), Limits.defaults());
    ledger.claim(session, "queue", 0);
    session.commit();
  }

  @AfterEach
  void close() throws SQLException {
    session.close();
    postgres.close();
  }

  private boolean advance() throws SQLException {
    assertThat(ledger.advance(session, new Ledger.Step(next, next + 1, null, 0, 0))).isTrue();
    return ledger.isChangedByOthers();
  }

  private void commit() throws SQLException {
    session.commit();
    next++;
  }

  @Test
  void knowsWhetherAnotherTransactionChangedTheRowSinceTheLastBatch() throws Exception {
    assertThat(advance()).as("by the claim").isTrue();
    commit();
    for (int batch = 0; batch < 10; batch++) { // the server plans a statement anew at first
      assertThat(advance()).as("batch %d", batch).isFalse();
      commit();
    }
    TestPostgres.execute(postgres.gateway(), CANCEL);
    assertThat(advance()).isTrue();
    session.rollback();
    assertThat(advance()).as("rolled back").isTrue();
    commit();
    assertThat(advance()).isFalse();
    commit();
    ledger.attempts(session, 1);
    session.commit();
    assertThat(advance()).as("by this process").isTrue();
    commit();
    session.close();
    session = DatabaseSession.open(postgres.gateway(), Limits.defaults());
    assertThat(advance()).as("another connection").isTrue();
    commit();
    assertThat(advance()).isFalse();
    assertThat(ledger.advance(session, new Ledger.Step(next, next + 1, null, 0, 0)))
        .as("from another position")
        .isFalse();
  }

  @Test
  void waitsForATransactionThatIsChangingTheRow() throws Exception {
    advance();
    commit();
    try (Connection other = postgres.gateway().getConnection();
        Statement cancel = other.createStatement();
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      other.setAutoCommit(false);
      for (boolean committed : new boolean[] {true, false}) {
        cancel.execute(CANCEL);
        Future<Boolean> changed = thread.submit(this::advance);
        await().atMost(Duration.ofSeconds(20)).until(this::isWaiting);
        if (committed) {
          other.commit();
        } else {
          other.rollback();
        }
        assertThat(changed.get()).isEqualTo(committed);
        commit();
      }
    }
  }

  private boolean isWaiting() throws SQLException {
    try (Connection connection = postgres.superuser().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select from pg_locks where not granted")) {
      return row.next();
    }
  }

  @Test
  void remembersTheNextCancelledStatement() throws Exception {
    UUID id = UUID.randomUUID();
    TestPostgres.execute(
        postgres.owner(),
        "insert into forebay.cancelled_stream values"
            + " ('web', '0000000000000000002', 'shop', 0, now()),"
            + " ('web', '#0000000000000000003:%s', 'shop', 1, now()),".formatted(id)
            + " ('web', '#0000000000000000004:%s', 'shop', 0, now()),".formatted(id)
            + " ('web', '#0000000000000000004:%s', 'shop', 0, now()),".formatted(UUID.randomUUID())
            + " ('web', '#0000000000000000007:%s', 'shop', 0, now())".formatted(id));
    requests.recogniseCancelled(session, List.of(statement(0, id)));
    DatabaseSession closed = DatabaseSession.open(postgres.gateway(), Limits.defaults());
    closed.close();
    requests.recogniseCancelled(closed, List.of(statement(1, id), statement(3, id)));
    PendingStatement uncancelled = statement(4, UUID.randomUUID());
    PendingStatement cancelled = statement(4, id);
    assertThatThrownBy(() -> requests.recogniseCancelled(closed, List.of(uncancelled, cancelled)))
        .isInstanceOf(SQLException.class);
    requests.recogniseCancelled(session, List.of(uncancelled, cancelled));
    assertThat(uncancelled.outcome).isNull();
    assertThat(cancelled.outcome).isNotNull();
    requests.recogniseCancelled(closed, List.of(statement(6, id)));
    PendingStatement last = statement(7, id);
    requests.recogniseCancelled(session, List.of(last));
    assertThat(last.outcome).isNotNull();
    requests.recogniseCancelled(closed, List.of(statement(1_000, id)));

    requests.mayBeCancelled();
    assertThatThrownBy(() -> requests.recogniseCancelled(closed, List.of(statement(1_001, id))))
        .isInstanceOf(SQLException.class);
  }

  private static PendingStatement statement(long position, UUID id) {
    PendingStatement statement = new PendingStatement();
    statement.message = Message.of(0, position, id, Instant.EPOCH);
    statement.hasGeneratedKey = true;
    return statement;
  }
}
