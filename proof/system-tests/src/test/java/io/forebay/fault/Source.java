/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the messages of a run, from the first to the last at present. */
@FunctionalInterface
interface Source {

  /** The queues' retention: reading must not delete anything. */
  Duration KEPT = Duration.ofDays(3);

  Duration PATIENCE = Duration.ofSeconds(120);

  void read(String queue, int partition, MessageHandler handler);

  /** Reads with the queues' own tailers. */
  static Source of(QueueBackend backend) {
    return (name, partition, handler) -> {
      try (MessageQueue queue = backend.open(name, ServiceArguments.PARTITIONS, KEPT);
          Tailer tailer = queue.tailer(partition)) {
        long end = tailer.end();
        long begin = System.nanoTime();
        while (tailer.position() < end) {
          if (tailer.poll(1_000, handler) == 0) {
            mustNotTakeLong(begin, name, partition);
            tailer.await(Duration.ofMillis(10));
          }
        }
      }
    };
  }

  /** Reads topics like any program that sees only committed records. */
  static Source plainConsumer(String servers, String prefix) {
    return (name, partition, handler) -> {
      Map<String, Object> properties = new HashMap<>();
      properties.put("bootstrap.servers", servers);
      properties.put("isolation.level", "read_committed");
      properties.put("enable.auto.commit", false);
      properties.put("auto.offset.reset", "earliest");
      TopicPartition topic = new TopicPartition(prefix + name, partition);
      try (KafkaConsumer<byte[], byte[]> consumer =
          new KafkaConsumer<>(
              properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
        consumer.assign(Set.of(topic));
        long end = consumer.endOffsets(Set.of(topic)).get(topic);
        long begin = System.nanoTime();
        while (consumer.position(topic) < end) {
          mustNotTakeLong(begin, name, partition);
          for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
            handler.handle(record.offset(), ByteBuffer.wrap(record.value()));
          }
        }
      }
    };
  }

  private static void mustNotTakeLong(long begin, String name, int partition) {
    if (System.nanoTime() - begin > PATIENCE.toNanos()) {
      throw new AssertionError(
          "partition %d of %s cannot be read to its end in %s"
              .formatted(partition, name, PATIENCE));
    }
  }
}
