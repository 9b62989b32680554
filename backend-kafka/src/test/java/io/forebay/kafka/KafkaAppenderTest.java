/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.Appender;
import io.forebay.queue.ManyAppenders;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.testing.ChildProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class KafkaAppenderTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final KafkaBackend.Options options =
      KafkaBackend.Options.of(TestBroker.shared()).withPrefix(UUID.randomUUID() + ".");

  /** A process that opens, uses and closes appenders. */
  static final class Program {
    public static void main(String[] arguments) throws Exception {
      try (KafkaBackend backend =
              KafkaBackend.open(
                  KafkaBackend.Options.of(arguments[0]).withPrefix(UUID.randomUUID() + "."));
          MessageQueue queue = backend.open("orders", 1)) {
        await().atMost(PATIENCE).until(() -> queue.outage().isEmpty()); // on a busy machine
        ManyAppenders.use(queue, Integer.parseInt(arguments[1]));
      }
    }
  }

  @Test
  void closedAppendersTakeNoMemory() {
    useAppenders("-Xmx48m", 100_000);
  }

  @Tag("proof")
  @Test
  void aMillionClosedAppendersTakeNoMemory() {
    useAppenders("-Xmx256m", 1_000_000);
  }

  private static void useAppenders(String memory, int count) {
    ChildProcess.run(
        ChildProcess.java(
            List.of(memory, "-XX:+ExitOnOutOfMemoryError"),
            Program.class,
            TestBroker.shared(),
            count));
  }

  @Test
  void aMessageThatBrokersRefuseFailsAlone() throws Exception {
    List<Long> told = new CopyOnWriteArrayList<>();
    try (KafkaBackend backend = KafkaBackend.open(options);
        MessageQueue queue = backend.open("orders", 2);
        Appender appender = queue.appender()) {
      appender.onAcknowledged(
          new Appender.AcknowledgementListener() {
            @Override
            public void acknowledged(int partition, long ticket, long position) {
              told.add(ticket);
            }

            @Override
            public void failed(long first, long last, QueueFailed cause) {
              told.add(-first);
              assertThat(last).isEqualTo(first);
            }
          });
      limitMessages(2_000);
      await()
          .untilAsserted(() -> {
            long refused = append(appender, 0, 10_000);
            assertThatThrownBy(() -> appender.await(refused, PATIENCE))
                .isInstanceOf(QueueFailed.class)
                .hasRootCauseInstanceOf(RecordTooLargeException.class);
          });
      assertThatThrownBy(() -> appender.await(PATIENCE)).isInstanceOf(QueueFailed.class);
      told.clear();
      long first = append(appender, 0, 10);
      long refused = append(appender, 0, 10_000);
      long behind = append(appender, 0, 10);
      long other = append(appender, 1, 10);
      for (long each : List.of(first, behind, other)) {
        appender.await(each, PATIENCE);
        assertThat(appender.isAcknowledged(each)).isTrue();
      }
      assertThatThrownBy(() -> appender.await(refused, PATIENCE)).isInstanceOf(QueueFailed.class);
      assertThat(appender.isAcknowledged(refused)).isFalse();
      assertThat(told).containsExactlyInAnyOrder(first, -refused, behind, other);
      assertThatThrownBy(() -> appender.await(PATIENCE)).isInstanceOf(QueueFailed.class);
      appender.await(PATIENCE); // the failure was thrown
    }
  }

  /** The brokers would abort it while a slow call delays the next answers. */
  @Test
  void answersThatAreNotPublishedOpenNoTransaction() throws Exception {
    try (KafkaBackend backend = KafkaBackend.open(options);
        MessageQueue queue = backend.open("orders", 1);
        Appender answers = queue.answers(0);
        Admin admin = Admin.create(Map.of("bootstrap.servers", options.brokers()))) {
      for (int i = 0; i < 20; i++) {
        append(answers, 0, 1_000_000);
      }
      await()
          .atMost(Duration.ofSeconds(8)) // they abort a transaction later
          .during(Duration.ofSeconds(1))
          .until(() -> openTransactions(admin).isEmpty());
      answers.publish();
      answers.await(PATIENCE);
    }
  }

  private Collection<TransactionListing> openTransactions(Admin admin) throws Exception {
    return admin
        .listTransactions(
            new ListTransactionsOptions()
                .filterStates(List.of(TransactionState.ONGOING))
                .filterOnTransactionalIdPattern(options.prefix() + ".*"))
        .all()
        .get();
  }

  private void limitMessages(int bytes) throws Exception {
    ConfigEntry limit = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
    ConfigResource topic =
        new ConfigResource(ConfigResource.Type.TOPIC, options.prefix() + "orders");
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", options.brokers()))) {
      admin
          .incrementalAlterConfigs(
              Map.of(topic, List.of(new AlterConfigOp(limit, AlterConfigOp.OpType.SET))))
          .all()
          .get();
    }
  }

  private static long append(Appender appender, int partition, int bytes) {
    return appender.append(partition, ByteBuffer.allocate(bytes));
  }
}
