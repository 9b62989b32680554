/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.NoEvents;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.TestPostgres;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.service.progress.HostedProgress;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A relay that was away for long hands over a large backlog. */
@Tag("proof")
class OutboxBacklogTest {

  private static final int MESSAGES = 1_000_000;

  @TempDir Path data;

  interface Orders {
    void place(long id, String customer, String item);
  }

  private static DefinedService<Orders, NoEvents> open(ChronicleBackend queues) {
    return DefinedService.open(
        queues,
        ServiceDefinition.of("orders", Orders.class, () -> (_, _, _) -> {}),
        HostedProgress.none());
  }

  /** Hands over everything into a queue in files, and prints the messages per second. */
  static final class Draining {
    public static void main(String[] arguments) throws Exception {
      PGSimpleDataSource database = new PGSimpleDataSource();
      database.setUrl(arguments[0]);
      database.setUser("forebay_owner");
      try (ChronicleBackend queues = ChronicleBackend.open(Path.of(arguments[1]));
          DefinedService<Orders, NoEvents> service = open(queues);
          Relay relay = new Relay(database, () -> Map.of("orders", service))) {
        long begun = System.nanoTime();
        relay.task().start();
        while (service.in().stats(0).end().orElse(0) < MESSAGES) {
          Thread.sleep(1);
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        System.out.printf("drained %,.0f messages/s%n", MESSAGES / seconds);
      }
    }
  }

  @ParameterizedTest(name = "a transaction that only reads is open: {0}")
  @ValueSource(booleans = {false, true})
  void drainsAMillionMessagesInASmallHeap(boolean reads) throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      fill(postgres.owner());
      try (Connection reader = postgres.owner().getConnection();
          Statement statement = reader.createStatement()) {
        if (reads) {
          reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
          reader.setAutoCommit(false);
          statement.executeQuery("select count(*) from forebay_outbox");
        }
        drain(postgres);
      }
    }
  }

  private void drain(TestPostgres postgres) {
    try (ChildProcess child =
        ChildProcess.start(
            ChildProcess.java(
                ChildProcess.options("-Xmx256m", "-XX:TieredStopAtLevel=4"),
                Draining.class,
                postgres.url(),
                data.resolve("queues")))) {
      System.out.println(child.await("drained "));
      child.awaitEnd(0);
    }
    assertThat(
            new JdbcTemplate(postgres.owner())
                .queryForObject("select count(*) from forebay_outbox", Long.class))
        .isZero();
  }

  /** Copies one message, as if each was sent in a transaction of its own. */
  private void fill(DataSource database) throws Exception {
    OutboxTable.migrate(database);
    JdbcTemplate jdbc = new JdbcTemplate(database);
    try (ChronicleBackend queues = ChronicleBackend.open(data.resolve("others"));
        DefinedService<Orders, NoEvents> service = open(queues);
        Relay relay = new Relay(database, Map::of)) {
      TransactionalCalls<Orders> orders = new Outbox(database, relay).calls(service);
      new TransactionTemplate(new JdbcTransactionManager(database))
          .executeWithoutResult(_ -> orders.send(it -> it.place(1, "customer-1", "a kettle")));
    }
    jdbc.update(
        "insert into forebay_outbox (service, partition_number, message)"
            + " select service, partition_number, message from forebay_outbox,"
            + " generate_series(2, ?)",
        MESSAGES);
  }
}
