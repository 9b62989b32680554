/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.call.Message;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.TestPostgres;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.kafka.KafkaBackend;
import io.forebay.queue.QueueBackend;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application that inserts orders, and messages that insert their bills, in one transaction;
 * with an outbox on PostgreSQL.
 */
final class OutboxShop implements AutoCloseable {

  private static final int CUSTOMERS = 5;
  private static final int PARTITIONS = 2;
  private static final String KAFKA = "kafka:";

  /** The service that inserts the bills. */
  enum Billing {
    GATEWAY,
    OWN_SERVICE
  }

  interface Bills {
    void bill(int customer, long order);
  }

  private final String url;
  private final String name;
  private final DataSource owner;
  private final JdbcTemplate jdbc;
  private final TransactionTemplate transaction;
  private final QueueBackend queues;
  private final HostedService<?, ?> service;
  private final Relay relay;

  /** Sends the bill of a customer's order. */
  private final BiFunction<Integer, Long, UUID> send;

  /**
   * @param where the directory of the queues, or {@code kafka:} and the address of a broker
   * @param name of its sessions with the database
   * @param read called when the relay has read rows, which it has not appended yet
   */
  OutboxShop(Billing billing, String url, String where, String name, Runnable read)
      throws SQLException {
    this.url = url;
    this.name = name;
    owner = as("forebay_owner");
    OutboxTable.migrate(owner);
    jdbc = new JdbcTemplate(owner);
    transaction = new TransactionTemplate(new JdbcTransactionManager(owner));
    queues = open(where, url.substring(url.lastIndexOf('/') + 1));
    if (billing == Billing.GATEWAY) {
      JDBCService gateway = gateway();
      service = gateway;
      relay = relay(gateway, read);
      var statements = new Outbox(owner, relay).calls(gateway);
      send =
          (customer, order) ->
              statements.send(
                  customer.toString(),
                  it ->
                      it.executeUpdate(
                          "insert into bill (customer, purchase) values (?, ?)", customer, order));
    } else {
      DefinedService<Bills, ?> own = ownService();
      service = own;
      relay = relay(own, read);
      var calls = new Outbox(owner, relay).calls(own);
      send = (customer, order) -> calls.send(customer.toString(), it -> it.bill(customer, order));
    }
    service.start();
    relay.start();
  }

  private Relay relay(HostedService<?, ?> bills, Runnable read) {
    return new Relay(WatchedDataSource.onRead(owner, read), () -> Map.of("bills", bills));
  }

  private static QueueBackend open(String where, String prefix) {
    return where.startsWith(KAFKA)
        ? KafkaBackend.open(
            KafkaBackend.Options.of(where.substring(KAFKA.length()))
                .withPrefix(prefix + ".")
                .withKeys(() -> List.of("a key that all processes of this test have")))
        : ChronicleBackend.open(Path.of(where));
  }

  private JDBCService gateway() {
    return JDBCService.builder("bills")
        .queues(queues, PARTITIONS)
        .dataSource(as("forebay_gateway"))
        .migrate(owner)
        .acceptText(true)
        .build();
  }

  private DefinedService<Bills, ?> ownService() {
    return DefinedService.open(
        queues,
        ServiceDefinition.of("bills", Bills.class, () -> this::bill).withPartitions(PARTITIONS),
        HostedProgress.none());
  }

  /** Skips a message that comes again. */
  private void bill(int customer, long order) {
    jdbc.update(
        "insert into bill (customer, purchase, message) values (?, ?, ?) on conflict do nothing",
        customer,
        order,
        Message.current().id());
  }

  private DataSource as(String role) {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(url);
    database.setUser(role);
    database.setApplicationName(name);
    return database;
  }

  static void createTables(TestPostgres postgres) {
    postgres.createTable("create table customer (id int primary key)");
    postgres.createTable("create table purchase (id bigint generated always as identity)");
    postgres.createTable( // also takes an order twice
        "create table bill (number bigint generated always as identity, message uuid unique,"
            + " customer int, purchase bigint)");
    new JdbcTemplate(postgres.owner())
        .update("insert into customer select generate_series(1, ?)", CUSTOMERS);
  }

  /** Places orders without end; every seventh is rolled back. */
  void placeOrders() {
    for (int i = 0; ; i++) {
      boolean rolledBack = i % 7 == 0;
      int customer = ThreadLocalRandom.current().nextInt(CUSTOMERS) + 1;
      transaction.executeWithoutResult((TransactionStatus status) -> {
        jdbc.queryForList("select id from customer where id = ? for update", customer);
        Long order =
            jdbc.queryForObject("insert into purchase default values returning id", Long.class);
        send.apply(customer, order);
        if (rolledBack) {
          status.setRollbackOnly();
        }
      });
      System.out.println("placed " + i);
    }
  }

  /** Whether everything that was sent is in the queue, whose partitions are all performed here. */
  boolean isHandedOver() {
    return jdbc.queryForObject("select count(*) from forebay_outbox", Long.class) == 0
        && IntStream.range(0, PARTITIONS).allMatch(it -> service.position(it) >= 0);
  }

  /** Performs what is in the queue. */
  boolean drain(Duration atMost) throws InterruptedException {
    return service.drain(atMost);
  }

  @Override
  public void close() {
    relay.close();
    service.close();
    queues.close();
  }
}
