/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.call.NoEvents;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.kafka.KafkaBackend;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Brokers that refuse a message after they have taken later ones. */
class KafkaOutboxTest {

  interface Orders {
    void place(int number, String text);
  }

  private static final Duration SOON = Duration.ofMinutes(1);

  private final String prefix = UUID.randomUUID() + ".";
  private final List<Integer> placed = new CopyOnWriteArrayList<>();
  private final KafkaBackend queues =
      KafkaBackend.open(KafkaBackend.Options.of(TestBroker.shared()).withPrefix(prefix));
  private final DefinedService<Orders, NoEvents> orders = open("orders");
  private final DefinedService<Orders, NoEvents> bills = open("bills");
  private final JDBCDataSource database = new JDBCDataSource();
  private final JdbcTemplate jdbc = new JdbcTemplate(database);
  private final TransactionTemplate transaction =
      new TransactionTemplate(new JdbcTransactionManager(database));
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private Relay relay;

  private DefinedService<Orders, NoEvents> open(String name) {
    return DefinedService.open(
        queues,
        ServiceDefinition.of(name, Orders.class, () -> (number, _) -> placed.add(number)),
        HostedProgress.none());
  }

  @BeforeEach
  void begin() throws Exception {
    database.setURL("jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc");
    database.setUser("sa");
    OutboxTable.migrate(database);
    relay = relay(database);
    logged.start();
    logger().addAppender(logged);
  }

  private Relay relay(DataSource of) {
    return new Relay(of, () -> Map.of("orders", orders, "bills", bills));
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("io.forebay.outbox");
  }

  @AfterEach
  void end() {
    logger().detachAppender(logged);
    relay.close();
    orders.close();
    bills.close();
    queues.close();
  }

  private void send(DefinedService<Orders, NoEvents> to, int number, int length) {
    transaction.executeWithoutResult(_ ->
        new Outbox(database, relay)
            .calls(to)
            .send("a", it -> it.place(number, "x".repeat(length))));
  }

  private List<Long> waiting() {
    return jdbc.queryForList("select id from forebay_outbox order by id", Long.class);
  }

  private void awaitHandedOver(Long... except) {
    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          relay.wake();
          relay.task().run();
          assertThat(waiting()).containsExactly(except);
        });
  }

  /** Of the queue of orders; returns when the broker knows it. */
  private void set(String name, Object value) throws Exception {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, prefix + "orders.in");
    AlterConfigOp set =
        new AlterConfigOp(new ConfigEntry(name, value.toString()), AlterConfigOp.OpType.SET);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", TestBroker.shared()))) {
      admin.incrementalAlterConfigs(Map.of(topic, List.of(set))).all().get();
      await()
          .until(
              () -> admin.describeConfigs(List.of(topic)).all().get().get(topic).get(name).value(),
              value.toString()::equals);
    }
    send(bills, -1, 0);
    awaitHandedOver(); // by then it has taken effect
  }

  private void awaitPlaced(Integer... numbers) {
    orders.start();
    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          assertThat(placed).containsExactly(numbers);
          assertThat(orders.in().stats(0).end()).hasValue(numbers.length);
        });
  }

  /** It is appended again, and no other one is. */
  @Test
  void aMessageThatTheBrokersRefuseFallsBehindAlone() throws Exception {
    send(orders, 1, 0);
    awaitHandedOver();
    set("max.message.bytes", 10_000);
    send(orders, 2, 0);
    send(orders, 3, 20_000);
    send(orders, 4, 0);
    send(bills, -1, 0);
    for (int i = 0; i < 20; i++) {
      awaitHandedOver(4L);
    }
    assertThat(logged.list)
        .anyMatch(it ->
            it.getFormattedMessage()
                .contains("service orders failed: row 4 of table forebay_outbox"));
    set("max.message.bytes", 2_000_000);
    awaitPlaced(1, 2, 4, 3);
  }
}
