/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.NoEvents;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.machine.Machine;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.progress.HostedProgress;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages of a caller's transactions, on one database. */
abstract class OutboxContract {

  interface Orders {
    void place(String customer, int number);
  }

  /** A call as the component got it. */
  record Placed(UUID id, String customer, int number) {}

  private static final long QUEUE_BYTES = 2L << 20;

  final List<Placed> placed = new CopyOnWriteArrayList<>();
  final MemoryBackend queues = MemoryBackend.open(QUEUE_BYTES, Machine.wall());
  final DefinedService<Orders, NoEvents> service =
      DefinedService.open(
          queues,
          ServiceDefinition.of(
              "orders",
              Orders.class,
              () ->
                  (customer, number) ->
                      placed.add(new Placed(Message.current().id(), customer, number))),
          HostedProgress.none());
  DataSource database;
  JdbcTemplate jdbc;
  JdbcTransactionManager manager;
  TransactionTemplate transaction;
  Relay relay;
  TransactionalCalls<Orders> orders;

  /** A new database, in which the caller may create tables. */
  abstract DataSource open() throws SQLException;

  @BeforeEach
  void begin() throws SQLException {
    database = open();
    OutboxTable.migrate(database);
    jdbc = new JdbcTemplate(database);
    manager = new JdbcTransactionManager(database);
    transaction = new TransactionTemplate(manager);
    relay = relay();
    orders = new Outbox(database, relay).calls(service);
  }

  Relay relay() {
    return new Relay(database, () -> Map.of("orders", service));
  }

  @AfterEach
  void end() {
    relay.close();
    service.close();
    queues.close();
  }

  final UUID send(String customer, int number) {
    return orders.send(customer, it -> it.place(customer, number));
  }

  /** Hands over everything that is visible. */
  final void handOver() {
    relay.wake();
    relay.task().run();
  }

  final long waiting() {
    return jdbc.queryForObject("select count(*) from forebay_outbox", Long.class);
  }

  final void awaitPlaced(Integer... numbers) {
    service.start();
    await()
        .untilAsserted(
            () -> assertThat(placed.stream().map(Placed::number)).containsExactly(numbers));
    assertThat(service.in().stats(0).end()).hasValue(numbers.length);
  }

  @Test
  void sendsWhatCommitsAndNothingElse() {
    UUID id = transaction.execute(_ -> send("a", 1));
    transaction.executeWithoutResult((TransactionStatus status) -> {
      send("a", 2);
      status.setRollbackOnly();
    });
    handOver();
    awaitPlaced(1);
    assertThat(placed).containsExactly(new Placed(id, "a", 1));
    assertThat(waiting()).isZero();
  }

  @Test
  void sendsNothingBeforeTheCommit() {
    transaction.executeWithoutResult(_ -> {
      send("a", 1);
      handOver();
      assertThat(service.in().stats(0).end()).hasValue(0);
    });
    handOver();
    awaitPlaced(1);
  }

  @Test
  void refusesToSendWithoutATransactionOfTheDatabase() {
    assertThatThrownBy(() -> send("a", 1))
        .isInstanceOf(IllegalTransactionStateException.class)
        .hasMessage(
            "Nothing sent to service orders: the thread has no transaction of the database of the"
                + " outbox; send in a method with @Transactional");
    assertThat(waiting()).isZero();
  }

  @Test
  void refusesASendThatMakesNoCallOrTwo() {
    transaction.executeWithoutResult(_ -> {
      assertThatThrownBy(() -> orders.send("b", _ -> {})).hasMessageContaining("no call was made");
      assertThatThrownBy(() ->
              orders.send(it -> {
                it.place("a", 1);
                it.place("a", 2);
              }))
          .hasMessageContaining("more than one call");
      send("a", 3);
    });
    handOver();
    awaitPlaced(3);
  }

  @Test
  void handsOverTheMessagesOfATransactionInTheirOrder() {
    transaction.executeWithoutResult(_ -> {
      for (int i = 1; i <= 250; i++) {
        send("a", i);
      }
    });
    for (int i = 0; i < 3; i++) {
      handOver();
    }
    assertThat(waiting()).isZero();
    service.start();
    await().until(() -> placed.size() == 250);
    assertThat(placed).extracting(Placed::number).isSorted();
  }

  @Test
  void aMessageThatIsHandedOverAgainHasTheSameId() {
    transaction.executeWithoutResult(_ -> send("a", 1));
    jdbc.update(
        "insert into forebay_outbox (service, partition_number, message)"
            + " select service, partition_number, message from forebay_outbox");
    handOver();
    service.start();
    await().until(() -> placed.size() == 2);
    assertThat(placed.get(0)).isEqualTo(placed.get(1));
  }

  @Test
  void waitsWhileTheQueueIsFullAndThenHandsOverTheRestOnce() {
    int messages = 50;
    String customer = "c".repeat(100_000);
    for (int i = 0; i < messages; i++) {
      int number = i;
      transaction.executeWithoutResult(_ -> send(customer, number));
    }
    handOver();
    long accepted = service.in().stats(0).end().orElseThrow();
    assertThat(accepted).isBetween(1L, messages - 1L);
    assertThat(waiting()).isEqualTo(messages - accepted);
    assertThat(relay.accepted()).isEqualTo(accepted);
    assertThat(relay.behind()).isPositive();
    service.start();
    await()
        .untilAsserted(() -> {
          handOver();
          assertThat(placed).extracting(Placed::number).hasSize(messages).isSorted();
        });
    assertThat(service.in().stats(0).end()).hasValue(messages);
    assertThat(waiting()).isZero();
    assertThat(relay.accepted()).isEqualTo(messages);
    assertThat(relay.behind()).isZero();
  }

  @Test
  void keepsTheMessagesOfAServiceThatDoesNotRunHere() {
    transaction.executeWithoutResult(_ -> {
      send("a", 1);
      send("a", 2);
    });
    jdbc.update(
        "update forebay_outbox set service = 'bills' where id = (select min(id) from"
            + " forebay_outbox)");
    handOver();
    awaitPlaced(2);
    assertThat(jdbc.queryForList("select service from forebay_outbox", String.class))
        .containsExactly("bills");
  }
}
