/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.queue.Storage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DisksTest {

  private final KafkaBackend.Options options =
      KafkaBackend.Options.of(TestBroker.shared().bootstrap()).withPrefix(UUID.randomUUID() + ".");
  private final Topics topics = new Topics(options);
  private final Disks disks = new Disks(topics);

  @AfterEach
  void close() {
    topics.close();
  }

  private Topic open(String name) {
    return topics.open(options.prefix() + name, 1, Duration.ZERO);
  }

  private void write(Topic topic, int bytes) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            options.with(Map.of()), new ByteArraySerializer(), new ByteArraySerializer())) {
      producer
          .send(new ProducerRecord<>(topic.name(), 0, null, new byte[bytes]))
          .get(120, TimeUnit.SECONDS);
    }
  }

  /** Empty as long as the brokers do not list its log, as just after it was created. */
  private Optional<Storage.OfQueue> look(List<Topic> open, Topic topic) {
    disks.look(open);
    return disks.storage().queues().stream()
        .filter(it -> it.queue().equals(topic.name()))
        .findFirst();
  }

  @Test
  void aDeletedTopicDoesNotRemoveTheFiguresOfOthers() throws Exception {
    Topic gone = open("gone");
    Topic there = open("there");
    List<Topic> both = List.of(gone, there);
    await().until(() -> look(both, gone).isPresent() && look(both, there).isPresent());
    topics.admin().deleteTopics(List.of(gone.name())).all().get(120, TimeUnit.SECONDS);
    await().until(() -> topics.describe(gone.name()).isEmpty());
    write(there, 10_000);
    // the log of a deleted topic stays on disk for a moment
    await()
        .untilAsserted(() -> {
          assertThat(look(both, there).orElseThrow().appendedBytes()).isGreaterThan(10_000);
          assertThat(look(both, there).orElseThrow().bytes()).isGreaterThan(9_000);
          assertThat(look(both, gone).orElseThrow().bytes()).isZero();
        });
  }
}
