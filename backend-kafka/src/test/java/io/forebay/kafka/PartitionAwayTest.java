/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers with a partition each, without replicas; one of them is killed. */
class PartitionAwayTest {

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int HEALTHY = 0;
  private static final int AWAY = 1;

  @TempDir Path directory;

  @Test
  void aPartitionWithoutALeaderCostsItsOwnMessagesOnly() throws Exception {
    BrokerProcess broker =
        BrokerProcess.start(
            Path.of(System.getProperty("forebay.test.kafka.classpath")),
            directory.resolve("1"),
            0,
            Map.of());
    createOffsets(broker);
    BrokerProcess other = broker.join(directory.resolve("2"));
    createTopic(broker);
    List<Integer> acknowledged = new CopyOnWriteArrayList<>();
    try (KafkaBackend backend = KafkaBackend.open(KafkaBackend.Options.of(broker.bootstrap()));
        MessageQueue queue = backend.open("orders", 2);
        Appender appender = queue.appender()) {
      for (int partition : List.of(HEALTHY, AWAY)) {
        appender.await(append(appender, partition), PATIENCE);
      }
      appender.onAcknowledged((partition, _, _) -> acknowledged.add(partition));
      other.kill();
      long waiting = append(appender, AWAY);
      appender.await(append(appender, HEALTHY), SOON);
      assertThat(acknowledged).containsExactly(HEALTHY);

      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThatThrownBy(() -> append(appender, AWAY))
                  .isInstanceOf(QueueRefused.class)
                  .hasMessageContaining("partition 1"));
      appender.await(append(appender, HEALTHY), SOON);
      try (Appender later = queue.appender()) {
        assertThatThrownBy(() -> append(later, AWAY)).isInstanceOf(QueueRefused.class);
        later.await(append(later, HEALTHY), SOON);
      }
      assertThat(queue.drained(HEALTHY)).as("it waits for its own messages only").isTrue();
      queue.agreed(HEALTHY);
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ofSeconds(5)) // figures are read once a second
          .untilAsserted(() -> assertThat(queue.stats(HEALTHY).end()).hasValue(4));

      other.restart();
      appender.await(waiting, PATIENCE);
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(QueueRefused.class)
          .untilAsserted(() -> appender.await(append(appender, AWAY), PATIENCE));
    } finally {
      broker.kill();
      other.kill();
    }
  }

  /** While there is only one broker, which then coordinates all groups. */
  private static void createOffsets(BrokerProcess broker) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      TopicPartition any = new TopicPartition("any", 0);
      admin.alterConsumerGroupOffsets("any", Map.of(any, new OffsetAndMetadata(0)));
      await()
          .atMost(PATIENCE)
          .until(() ->
              admin
                  .listTopics(new ListTopicsOptions().listInternal(true))
                  .names()
                  .get()
                  .contains("__consumer_offsets"));
    }
  }

  private static void createTopic(BrokerProcess broker) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      await().atMost(PATIENCE).until(() -> admin.describeCluster().nodes().get().size() == 2);
      NewTopic topic = new NewTopic("orders", Map.of(HEALTHY, List.of(1), AWAY, List.of(2)));
      topic.configs(Map.of("max.message.bytes", Integer.toString(Topics.MAX_RECORD_BYTES)));
      admin.createTopics(List.of(topic)).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static long append(Appender appender, int partition) {
    return appender.append(partition, ByteBuffer.wrap(new byte[] {1, 2, 3}));
  }
}
