/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.kafka.broker.TestBroker;
import io.forebay.kafka.meters.ClientMeters;
import io.forebay.queue.sender.SenderKeys;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class ClientMetersTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ClientMeters meters = new ClientMeters();
  private final String topic = UUID.randomUUID().toString();

  @BeforeEach
  void bind() {
    meters.bindTo(registry);
  }

  private Clients clients() {
    return clients(TestBroker.shared(), meters);
  }

  /** As an application configures them. */
  private static Clients clients(String brokers, ClientMeters meters) {
    KafkaProperties properties =
        new Binder(new MapConfigurationPropertySource(Map.of()))
            .bindOrCreate("forebay.kafka", KafkaProperties.class);
    return new Clients(
        properties
            .options(Map.of("bootstrap.servers", brokers), SenderKeys.NONE, true)
            .withMeters(meters));
  }

  private Stream<Meter> meters(String client) {
    return meters(registry, client);
  }

  private static Stream<Meter> meters(MeterRegistry registry, String client) {
    return registry.getMeters().stream()
        .filter(it -> client.equals(it.getId().getTag("client.id")));
  }

  private double sent(String client) {
    return registry
        .get("kafka.producer.record.send.total")
        .tag("client.id", client)
        .functionCounter()
        .count();
  }

  @Test
  void aClientHasAFixedNumberOfMetersUntilItIsClosed() throws Exception {
    String client = "forebay-answers-" + topic;
    long before;
    try (Admin admin = clients().admin();
        Producer<byte[], byte[]> producer = clients().transactional(topic)) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
      before = meters(client).count();
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, new byte[] {1}));
      producer.commitTransaction();
      assertThat(sent(client)).isEqualTo(1);
      assertThat(meters(client))
          .hasSize(Math.toIntExact(before))
          .allSatisfy(it ->
              assertThat(it.getId().getTags()).extracting(Tag::getKey).containsOnly("client.id"));
    }
    assertThat(before).isBetween(20L, 100L);
    assertThat(meters(client)).isEmpty();
  }

  @Test
  void clientsOfTheSameIdHaveMetersOfTheirOwn() {
    String client = "forebay-" + topic;
    Producer<byte[], byte[]> first = clients().appending(topic);
    try (Producer<byte[], byte[]> second = clients().appending(topic)) {
      long each = meters(client).count();
      assertThat(meters(client + "-2")).hasSize(Math.toIntExact(each));
      first.close(Duration.ZERO);
      assertThat(meters(client)).isEmpty();
      assertThat(meters(client + "-2")).hasSize(Math.toIntExact(each));
      try (Producer<byte[], byte[]> third = clients().appending(topic)) {
        assertThat(meters(client)).hasSize(Math.toIntExact(each));
      }
    }
    assertThat(List.of(meters(client).count(), meters(client + "-2").count())).containsOnly(0L);
  }

  /** Their clients have the same id, as in two applications of one process. */
  @Test
  void theClientsOfEachApplicationHaveMetersInItsRegistryEvenIfTheyAreOpenedFirst() {
    String client = "forebay-" + topic;
    ClientMeters others = new ClientMeters();
    SimpleMeterRegistry ofOthers = new SimpleMeterRegistry();
    try (Producer<byte[], byte[]> first = clients("localhost:1", others).appending(topic)) {
      others.bindTo(ofOthers);
      long each = meters(ofOthers, client).count();
      assertThat(each).isBetween(20L, 100L);
      try (Producer<byte[], byte[]> second = clients("localhost:1", meters).appending(topic)) {
        assertThat(meters(client)).hasSize(Math.toIntExact(each));
      }
      assertThat(registry.getMeters()).isEmpty();
      assertThat(meters(ofOthers, client)).hasSize(Math.toIntExact(each));
      assertThat(first).isNotNull();
    }
    assertThat(ofOthers.getMeters()).isEmpty();
  }

  @Test
  void adminClientsAndConsumersHaveMeters() {
    try (var admin = clients().admin();
        var consumer = clients().reading(topic, PATIENCE)) {
      assertThat(registry.get("kafka.admin.client.connection.count").gauge().value()).isNotNaN();
      assertThat(registry.get("kafka.consumer.fetch.manager.records.consumed.total").meters())
          .isNotEmpty();
      assertThat(admin).isNotNull();
      assertThat(consumer).isNotNull();
    }
    assertThat(registry.find("kafka.admin.client.connection.count").meters()).isEmpty();
  }
}
