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
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DisksTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final KafkaBackend.Options options =
      KafkaBackend.Options.of(TestBroker.shared().bootstrap()).withPrefix(UUID.randomUUID() + ".");
  private final Topics topics = new Topics(options);
  private final Disks disks = new Disks(topics, Duration.ZERO);

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
          .get(20, TimeUnit.SECONDS);
    }
  }

  private Storage.OfQueue look(List<Topic> open, Topic topic) {
    disks.look(open);
    return disks.storage().queues().stream()
        .filter(it -> it.queue().equals(topic.name()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void oneTopicThatIsGoneLeavesTheFiguresOfTheOthers() throws Exception {
    Topic gone = open("gone");
    Topic there = open("there");
    List<Topic> both = List.of(gone, there);
    look(both, there);
    topics.admin().deleteTopics(List.of(gone.name())).all().get(20, TimeUnit.SECONDS);
    await().atMost(PATIENCE).until(() -> topics.describe(gone.name()).isEmpty());
    write(there, 10_000);
    await()
        .atMost(PATIENCE)
        .ignoreExceptions() // for a moment the disk still has what the brokers no longer know
        .until(() -> look(both, there).appendedBytes() > 10_000);
    assertThat(look(both, there).bytes()).isGreaterThan(9_000);
    assertThat(look(both, gone).bytes()).isZero();
  }
}
