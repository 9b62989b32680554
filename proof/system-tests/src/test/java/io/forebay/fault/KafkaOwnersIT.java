/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.kafka.KafkaBackend;
import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.service.ServiceState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions without an active owner although no instance has failed. */
@Tag("proof")
class KafkaOwnersIT {

  private static final Duration SOON = Duration.ofSeconds(90);

  @TempDir Path directory;
  private final TestPostgres postgres = TestPostgres.shared();
  private final Target target = new Target.Postgres(postgres.url());

  @BeforeEach
  void createTables() throws Exception {
    target.createTables();
  }

  @AfterEach
  void close() {
    postgres.close();
  }

  private BrokerProcess broker(int port, Map<String, String> properties) {
    return TestBroker.start(directory, port, properties);
  }

  private TestGateway gateway(BrokerProcess broker) {
    return new TestGateway(
        KafkaBackend.open(KafkaBackend.Options.of(broker.bootstrap())), target, 1);
  }

  private static List<Long> numbers(long to) {
    return LongStream.range(0, to).boxed().toList();
  }

  private static void assertOwnerless(TestGateway gateway, String why) {
    await().atMost(SOON).until(() -> !gateway.service.view().accepts());
    assertThat(gateway.service.view().state().phase()).isEqualTo(ServiceState.Phase.WAITING);
    assertThat(gateway.service.view().stall().orElseThrow().text())
        .contains("no instance works on partition 0 of service orders", why);
  }

  @Test
  void noInstanceIsReadyWithoutAGroupCoordinator() throws Exception {
    // The offsets topic needs more brokers than exist, so there is no group coordinator.
    BrokerProcess broker = broker(0, Map.of("offsets.topic.replication.factor", "3"));
    int port = Integer.parseInt(broker.bootstrap().replaceAll(".*:", ""));
    try (TestGateway one = gateway(broker).start();
        TestGateway other = gateway(broker).start()) {
      one.send(0, 10);
      assertOwnerless(one, "the coordinator of consumer group orders.in-orders does not report");
      assertOwnerless(other, "the coordinator of consumer group orders.in-orders does not report");
      assertThat(one.service.view().behind()).hasValue(10);

      broker.kill();
      broker = broker(port, Map.of());
      await().atMost(SOON).until(() -> one.effects().equals(numbers(10)));
      await().atMost(SOON).until(() -> one.service.view().accepts());
      await().atMost(SOON).until(() -> other.service.view().accepts());
    } finally {
      broker.kill();
    }
  }

  @Test
  void noInstanceIsReadyIfTheGroupIsAssignedOtherTopics() throws Exception {
    BrokerProcess broker = broker(0, Map.of("group.consumer.max.size", "1"));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
        KafkaConsumer<byte[], byte[]> foreign =
            new KafkaConsumer<>(
                Map.of(
                    "bootstrap.servers",
                    broker.bootstrap(),
                    "group.id",
                    "orders.in-orders",
                    "group.protocol",
                    "consumer"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      admin.createTopics(List.of(new NewTopic("other", 1, (short) 1))).all().get();
      foreign.subscribe(Set.of("other"));
      await()
          .atMost(SOON)
          .until(() -> {
            ConsumerRecords<byte[], byte[]> _ = foreign.poll(Duration.ofMillis(100));
            return !foreign.assignment().isEmpty();
          });
      try (TestGateway gateway = gateway(broker).start()) {
        gateway.send(0, 10);
        await()
            .atMost(SOON)
            .until(() -> {
              ConsumerRecords<byte[], byte[]> _ = foreign.poll(Duration.ofMillis(100));
              return !gateway.service.view().accepts();
            });
        assertOwnerless(gateway, "has 1 members, but the partition is assigned to none");
        foreign.unsubscribe(); // which leaves the group
        await().atMost(SOON).until(() -> gateway.effects().equals(numbers(10)));
        await().atMost(SOON).until(() -> gateway.service.view().accepts());
        assertThat(gateway.service.view().behind()).hasValue(0);
      }
    } finally {
      broker.kill();
    }
  }
}
