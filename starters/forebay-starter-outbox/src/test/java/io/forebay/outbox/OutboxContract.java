/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.call.Message;
import io.forebay.call.NoEvents;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.machine.Machine;
import io.forebay.operations.StartRefused;
import io.forebay.queue.LateAcknowledgements;
import io.forebay.queue.Partitioner;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.progress.HostedProgress;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages of a caller's transactions, on one database. */
abstract class OutboxContract {

  interface Orders {
    void place(String customer, int number);
  }

  /** A call as the component got it. */
  record Placed(UUID id, String customer, int number) {}

  static final long QUEUE_BYTES = 2L << 20;

  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.forebay.outbox");

  final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  final List<Placed> placed = new CopyOnWriteArrayList<>();
  private final List<String> callers = new CopyOnWriteArrayList<>();
  final MemoryBackend queues = MemoryBackend.open(QUEUE_BYTES, Machine.wall());
  final DefinedService<Orders, NoEvents> service =
      DefinedService.open(queues, definition("orders"), HostedProgress.none());
  DataSource database;
  JdbcTemplate jdbc;
  JdbcTransactionManager manager;
  TransactionTemplate transaction;
  Relay relay;
  TransactionalCalls<Orders> orders;

  final ServiceDefinition<Orders, NoEvents> definition(String name) {
    return ServiceDefinition.of(
        name,
        Orders.class,
        () ->
            (customer, number) -> {
              callers.add(Message.current().client());
              placed.add(new Placed(Message.current().id(), customer, number));
            });
  }

  /** A new database, in which the caller may create tables. */
  abstract DataSource open() throws SQLException;

  @BeforeEach
  void begin() throws SQLException {
    logged.start();
    LOGGER.addAppender(logged);
    database = open();
    OutboxTable.migrate(database);
    jdbc = new JdbcTemplate(database);
    manager = new JdbcTransactionManager(database);
    transaction = new TransactionTemplate(manager);
    relay = relay();
    orders = new Outbox(database, relay).calls(service);
  }

  Relay relay() {
    return relay(database);
  }

  Relay relay(DataSource of) {
    return new Relay(of, () -> Map.of("orders", service));
  }

  @AfterEach
  void end() {
    LOGGER.detachAppender(logged);
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
    assertThat(callers).as("the name of no token").containsExactly("forebay/outbox");
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

  /** The failed call used up its keys: a gateway could perform the other one twice. */
  @Test
  void refusesACallAfterOneThatFailed() {
    transaction.executeWithoutResult(_ -> {
      assertThatThrownBy(() ->
              orders.send(
                  "a",
                  it -> {
                    assertThatThrownBy(() -> it.place("\ud800", 1))
                        .isInstanceOf(IllegalArgumentException.class);
                    it.place("a", 2);
                  }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Nothing sent: the call was made after one that failed");
      send("a", 3);
    });
    assertThat(waiting()).isEqualTo(1);
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

  /** The clock of the database may be ahead. */
  @Test
  void aMessageNeverWaitsForLessThanNoTime() {
    transaction.executeWithoutResult(_ -> send("a", 1));
    jdbc.update("update forebay_outbox set message = ?", (Object) new byte[0]);
    handOver();
    assertThat(relay.behind()).isPositive();
    jdbc.update("update forebay_outbox set created_at = created_at + interval '1' hour");
    await()
        .untilAsserted(() -> {
          handOver();
          assertThat(relay.behind()).isZero();
        });
    assertThat(waiting()).isEqualTo(1);
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

  /**
   * Its connection has no transaction, and whatever such a transaction does would not commit it.
   */
  @Test
  void refusesToSendInATransactionOfAnotherDatabase() {
    JDBCDataSource foreign = new JDBCDataSource();
    foreign.setURL("jdbc:hsqldb:mem:" + UUID.randomUUID());
    new TransactionTemplate(new JdbcTransactionManager(foreign))
        .executeWithoutResult(_ ->
            assertThatThrownBy(() -> send("a", 1))
                .isInstanceOf(IllegalTransactionStateException.class));
    assertThat(waiting()).isZero();
  }

  @Test
  void refusesADataSourceWhoseConnectionsAlwaysSeemToBeInATransaction() {
    DataSource manual =
        new DelegatingDataSource(database) {
          @Override
          public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setAutoCommit(false);
            return connection;
          }
        };
    assertThatThrownBy(() -> OutboxTable.migrate(manual))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("auto-commit off");
  }

  @Test
  void losesNoMessageThatAListenerSendsAfterTheCommit() {
    transaction.executeWithoutResult(_ ->
        TransactionSynchronizationManager.registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void afterCommit() {
                send("a", 1);
              }
            }));
    assertThat(waiting()).isEqualTo(1);
    handOver();
    awaitPlaced(1);
  }

  /** There the listeners of Spring run, and what they insert would be committed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void refusesToSendWhenTheTransactionHasEnded(boolean commits) {
    AtomicReference<Throwable> refusal = new AtomicReference<>();
    transaction.executeWithoutResult((TransactionStatus status) -> {
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void afterCompletion(int end) {
              refusal.set(catchThrowable(() -> send("a", 1)));
            }
          });
      if (!commits) {
        status.setRollbackOnly();
      }
    });
    assertThat(refusal.get()).isInstanceOf(IllegalTransactionStateException.class);
    assertThat(waiting()).isZero();
  }

  @Test
  void aCallMaySendAnotherMessageBeforeAndAfterItself() {
    transaction.executeWithoutResult(_ -> {
      UUID outer =
          orders.send(
              "a",
              it -> {
                send("a", 1);
                it.place("a", 3);
                send("a", 2);
              });
      assertThat(outer).isNotNull();
    });
    handOver();
    awaitPlaced(1, 2, 3);
    assertThat(placed.stream().map(Placed::id)).doesNotHaveDuplicates();
  }

  /** As when its statement waits for a lock that the other transaction holds. */
  @Test
  void aCallMayWaitForAnotherThreadThatSends() {
    transaction.executeWithoutResult(_ ->
        orders.send(it -> {
          CompletableFuture.runAsync(() -> transaction.executeWithoutResult(_ -> send("a", 1)))
              .orTimeout(30, TimeUnit.SECONDS)
              .join();
          it.place("a", 2);
        }));
    handOver();
    awaitPlaced(1, 2);
  }

  @Test
  void aMessageWithoutAPartitionKeyGoesToThePartitionOfItsId() {
    try (DefinedService<Orders, NoEvents> wide =
        DefinedService.open(queues, definition("wide").withPartitions(64), HostedProgress.none())) {
      TransactionalCalls<Orders> calls = new Outbox(database, relay).calls(wide);
      UUID id = transaction.execute(_ -> calls.send(it -> it.place("a", 1)));
      assertThat(jdbc.queryForObject("select partition_number from forebay_outbox", Integer.class))
          .isEqualTo(Partitioner.partition(id, 64));
    }
  }

  /** The partitions of a new queue may be fewer. */
  @Test
  void handsOverAMessageWhosePartitionDoesNotExistAnyMore() {
    transaction.executeWithoutResult(_ -> send("a", 1));
    jdbc.update("update forebay_outbox set partition_number = 7");
    handOver();
    awaitPlaced(1);
    assertThat(waiting()).isZero();
  }

  /** It waits alone, with the later messages of its service, and nothing is handed over twice. */
  @Test
  void aRowThatNoQueueTakesStopsItsOwnServiceOnly() {
    try (DefinedService<Orders, NoEvents> bills =
            DefinedService.open(queues, definition("bills"), HostedProgress.none());
        Relay both = new Relay(database, () -> Map.of("orders", service, "bills", bills))) {
      TransactionalCalls<Orders> billing = new Outbox(database, both).calls(bills);
      for (int i = 1; i <= 3; i++) {
        int number = i;
        transaction.executeWithoutResult(_ -> {
          send("a", number);
          billing.send("a", it -> it.place("b", number));
        });
      }
      jdbc.update("update forebay_outbox set message = ? where id = 3", (Object) new byte[0]);
      for (int i = 0; i < 3; i++) {
        both.wake();
        both.task().run();
      }
      assertThat(service.in().stats(0).end()).as("before the row").hasValue(1);
      assertThat(bills.in().stats(0).end()).hasValue(3);
      assertThat(jdbc.queryForList("select id from forebay_outbox order by id", Long.class))
          .containsExactly(3L, 5L);
      assertThat(both.accepted()).isEqualTo(4);
      assertThat(both.behind()).isPositive();
      jdbc.update("delete from forebay_outbox where id = 3");
      await()
          .untilAsserted(() -> {
            both.task().run();
            assertThat(waiting()).isZero();
          });
      assertThat(both.behind()).isZero();
    }
    service.start();
    await()
        .untilAsserted(() ->
            assertThat(placed.stream().filter(it -> it.customer.equals("a")).map(Placed::number))
                .containsExactly(1, 3));
  }

  /** As Kafka does while a partition has no leader: it neither accepts nor refuses. */
  @Test
  void aQueueThatAcceptsLateDelaysNoOtherServiceAndGetsNothingTwice() {
    LateAcknowledgements late = new LateAcknowledgements();
    try (DefinedService<Orders, NoEvents> slow =
            DefinedService.open(late.over(queues), definition("slow"), HostedProgress.none());
        Relay both = new Relay(database, () -> Map.of("orders", service, "slow", slow))) {
      TransactionalCalls<Orders> calls = new Outbox(database, both).calls(slow);
      late.hold();
      long begun = System.nanoTime();
      for (int i = 1; i <= 3; i++) {
        int number = i;
        transaction.executeWithoutResult(_ -> {
          calls.send("a", it -> it.place("a", number));
          send("a", number);
        });
        both.wake();
        both.task().run();
        assertThat(service.in().stats(0).end()).hasValue(number);
        assertThat(waiting()).as("of the other service").isEqualTo(number);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
            .as("2 s once")
            .isLessThan(Duration.ofMillis(3_500));
      }
      assertThat(slow.in().stats(0).end()).as("later messages wait").hasValue(1);
      late.release();
      await()
          .untilAsserted(() -> {
            both.task().run();
            assertThat(waiting()).isZero();
          });
      assertThat(slow.in().stats(0).end()).hasValue(3);
      assertThat(both.accepted()).isEqualTo(6);
    }
  }

  /** Each look at a row that is late costs an exception. */
  @Test
  void aQueueThatAcceptsLateIsLookedAtByPartitionNotByRow() {
    LateAcknowledgements late = new LateAcknowledgements();
    try (DefinedService<Orders, NoEvents> slow =
            DefinedService.open(late.over(queues), definition("slow"), HostedProgress.none());
        Relay both = new Relay(database, () -> Map.of("orders", service, "slow", slow))) {
      late.hold();
      transaction.executeWithoutResult(_ -> {
        TransactionalCalls<Orders> calls = new Outbox(database, both).calls(slow);
        for (int i = 0; i < 50; i++) {
          calls.send("a", it -> it.place("a", 1));
        }
      });
      for (int i = 0; i < 10; i++) {
        both.wake();
        both.task().run();
      }
      assertThat(slow.in().stats(0).end()).hasValue(50);
      assertThat(late.timeouts()).isBetween(1L, 10L);
    }
  }

  @Test
  void logsTheRowsThatAreRefusedWhileAndAfterAnotherOneIsLate() {
    LateAcknowledgements late = new LateAcknowledgements();
    try (DefinedService<Orders, NoEvents> slow =
            DefinedService.open(late.over(queues), definition("slow"), HostedProgress.none());
        Relay both = new Relay(database, () -> Map.of("orders", service, "slow", slow))) {
      late.hold();
      transaction.executeWithoutResult(_ -> {
        TransactionalCalls<Orders> calls = new Outbox(database, both).calls(slow);
        calls.send("a", it -> it.place("a", 1));
        send("a", 2);
      });
      jdbc.update("update forebay_outbox set message = ? where id = 2", (Object) new byte[0]);
      both.task().run();
      assertThat(warned()).hasSize(2);
      assertThat(warned())
          .anyMatch(it -> it.contains("service slow failed: row 1 of table forebay_outbox"))
          .anyMatch(it -> it.contains("service orders failed: row 2 of table forebay_outbox"));
      jdbc.update("update forebay_outbox set service = 'slow' where id = 2");
      late.release();
      await()
          .untilAsserted(() -> {
            both.task().run();
            assertThat(warned())
                .anyMatch(it -> it.contains("service slow failed: row 2 of table forebay_outbox"));
          });
      assertThat(slow.in().stats(0).end()).hasValue(1);
    }
  }

  private List<String> warned() {
    return logged.list.stream()
        .filter(it -> it.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** After a fail-over, the id of a pending row may be that of another row. */
  @Test
  void aPendingRowIsReadAgainAfterItsSessionWasLost() throws SQLException {
    List<Connection> sessions = new ArrayList<>();
    DataSource remembered =
        new DelegatingDataSource(database) {
          @Override
          public Connection getConnection() throws SQLException {
            sessions.add(super.getConnection());
            return sessions.getLast();
          }
        };
    LateAcknowledgements late = new LateAcknowledgements();
    try (DefinedService<Orders, NoEvents> slow =
            DefinedService.open(late.over(queues), definition("slow"), HostedProgress.none());
        Relay both = new Relay(remembered, () -> Map.of("orders", service, "slow", slow))) {
      late.hold();
      transaction.executeWithoutResult(
          _ -> new Outbox(database, both).calls(slow).send("a", it -> it.place("a", 1)));
      both.task().run();
      assertThat(slow.in().stats(0).end()).hasValue(1);
      sessions.getLast().close();
      await()
          .until(() -> {
            both.wake();
            both.task().run();
            return sessions.size() == 2;
          });
      late.release();
      await()
          .untilAsserted(() -> {
            both.task().run();
            assertThat(waiting()).isZero();
          });
      assertThat(slow.in().stats(0).end()).hasValue(2);
      assertThat(both.accepted()).isEqualTo(1);
    }
  }

  /** Otherwise each commit would read a batch that the queue refuses. */
  @Test
  void readsNothingForAServiceWhoseQueueRefusesUntilTheNextPoll() {
    AtomicInteger reads = new AtomicInteger();
    try (Relay counted = relay(WatchedDataSource.onRead(database, reads::incrementAndGet))) {
      String customer = "c".repeat(100_000);
      for (int i = 0; i < QUEUE_BYTES / 100_000 + 1; i++) {
        int number = i;
        transaction.executeWithoutResult(_ -> send(customer, number));
      }
      long begun = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        counted.wake();
        counted.task().run();
      }
      long polls = (System.nanoTime() - begun) / 1_000_000_000 + 1;
      assertThat(waiting()).isPositive();
      assertThat(reads.get()).isBetween(1, (int) polls + 1);
    }
  }

  @Test
  void takesNoOwnershipInATurnAfterItWasClosed() {
    relay.close();
    transaction.executeWithoutResult(_ -> send("a", 1));
    relay.task().run();
    assertThat(waiting()).isEqualTo(1);
  }
}
