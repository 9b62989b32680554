/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.springframework.transaction.TransactionStatus;

class PostgresOutboxTest extends OutboxContract {

  private final TestPostgres postgres = TestPostgres.shared();

  @Override
  DataSource open() {
    return postgres.owner();
  }

  @AfterEach
  void drop() {
    postgres.close();
  }

  /** Sends in a transaction that excludes nobody, and commits it when told. */
  private final class OpenTransaction implements AutoCloseable {

    private final Connection connection = connect();

    OpenTransaction(int number) throws SQLException {
      connection.setAutoCommit(false);
      // as sent by another process: the same bytes
      transaction.executeWithoutResult((TransactionStatus status) -> {
        send("a", number);
        byte[] message =
            jdbc.queryForObject(
                "select message from forebay_outbox order by id desc limit 1", byte[].class);
        status.setRollbackOnly();
        insert(message);
      });
    }

    private Connection connect() {
      try {
        return database.getConnection();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    private void insert(byte[] message) {
      try (PreparedStatement insert =
          connection.prepareStatement(
              "insert into forebay_outbox (service, partition_number, message)"
                  + " values ('orders', 0, ?)")) {
        insert.setBytes(1, message);
        insert.executeUpdate();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    void commit() throws SQLException {
      connection.commit();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  private void sendAndHandOver(int number) {
    transaction.executeWithoutResult(_ -> send("a", number));
    handOver();
    handOver();
  }

  @Test
  void losesNoMessageThatCommitsAfterLaterOnes() throws Exception {
    sendAndHandOver(1);
    try (OpenTransaction early = new OpenTransaction(2);
        OpenTransaction late = new OpenTransaction(3)) {
      sendAndHandOver(4);
      sendAndHandOver(5);
      early.commit();
      sendAndHandOver(6);
      sendAndHandOver(7);
      late.commit();
      handOver();
    }
    awaitPlaced(1, 4, 5, 2, 6, 7, 3);
    assertThat(waiting()).isZero();
  }

  /** The relay would otherwise read all deleted rows again and again. */
  @Test
  void readsNoDeletedRowsAgainWhileATransactionOnlyReads() throws Exception {
    try (Connection reader = database.getConnection();
        Statement statement = reader.createStatement()) {
      reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      reader.setAutoCommit(false);
      statement.executeQuery("select count(*) from forebay_outbox");
      for (int i = 0; i < 20; i++) {
        sendAndHandOver(i);
      }
      relay.task().run();
      assertThat(relay.readStart()).isEqualTo(20);
    }
  }

  @Test
  void anotherProcessTakesOverWhenTheSessionOfTheOwnerEnds() {
    handOver();
    try (Relay other = relay()) {
      transaction.executeWithoutResult(_ -> send("a", 1));
      other.wake();
      other.task().run();
      assertThat(waiting()).as("the other one does not own the table").isEqualTo(1);
      relay.close();
      await()
          .untilAsserted(() -> {
            other.task().run();
            assertThat(waiting()).isZero();
          });
    }
    awaitPlaced(1);
  }

  @Test
  void aProcessThatIsNotTheOwnerNotifiesTheOwnerAfterTheCommit() throws Exception {
    handOver();
    try (Relay other = relay();
        Connection listener = database.getConnection();
        Statement statement = listener.createStatement()) {
      statement.execute("listen forebay_outbox");
      other.task().run();
      TransactionalCalls<Orders> there = new Outbox(database, other).calls(service);
      transaction.executeWithoutResult(_ -> {
        there.send(it -> it.place("a", 1));
        other.task().run();
      });
      PGConnection notified = listener.unwrap(PGConnection.class);
      assertThat(notified.getNotifications(1)).as("before the commit").isNullOrEmpty();
      other.task().run();
      assertThat(notified.getNotifications(60_000)).hasSize(1);
    }
    handOver();
    awaitPlaced(1);
  }
}
