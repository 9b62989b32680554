/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Level;
import io.forebay.queue.sender.SenderProof;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** A topic as found when the queue was opened, with its latest settings. Thread-safe. */
final class Topic {

  /** The header of a record with the {@link SenderProof} of its value. */
  private static final String PROOF = "forebay-proof";

  private final String name;
  private final int partitions;
  private final String identity;
  private final TopicCheck check;
  private volatile Settings settings;

  /**
   * The settings that matter to a queue, as last read.
   *
   * @param level of an acknowledged message: with one replica, it survives a crash of the process,
   *     but not the loss of the host
   * @param retention how long messages are kept; empty if for ever
   * @param warnings permitted settings that weaken a guarantee, as sentences
   */
  record Settings(Level level, Optional<Duration> retention, List<String> warnings) {

    Settings {
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * @throws IllegalStateException if the topic cannot be used as it is
   */
  Topic(TopicDescription found, Config config, TopicCheck check) {
    name = found.name();
    partitions = found.partitions().size();
    identity = found.topicId().toString();
    this.check = check;
    settings = check.check(found, config);
  }

  /** Called by one thread at a time. */
  void read(TopicDescription now, Config config) {
    if (isThat(now)) {
      settings = check.again(now, config, settings);
    }
  }

  /** Whether that is this topic, and not one that was created again. */
  boolean isThat(TopicDescription described) {
    return described.topicId().toString().equals(identity);
  }

  String name() {
    return name;
  }

  int partitions() {
    return partitions;
  }

  /** The topic id: a different id means that the topic was deleted and created again. */
  String identity() {
    return identity;
  }

  Settings settings() {
    return settings;
  }

  TopicPartition partition(int partition) {
    return new TopicPartition(name, partition);
  }

  List<TopicPartition> all() {
    return IntStream.range(0, partitions).mapToObj(this::partition).toList();
  }

  /** The consumer group of a consumer of this queue. */
  String group(String consumer) {
    return groupPrefix() + consumer;
  }

  /** The prefix of the names of its consumer groups. */
  String groupPrefix() {
    return groupPrefix(name);
  }

  static String groupPrefix(String topic) {
    return topic + "-";
  }

  /** A record of a message that this instance writes. */
  static ProducerRecord<byte[], byte[]> record(
      String topic, int partition, byte[] message, SenderProof proofs) {
    ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, partition, null, message);
    byte[] proof = proofs.of(partition, message);
    if (proof != null) {
      record.headers().add(PROOF, proof);
    }
    return record;
  }

  /** The proof that an instance wrote the record, valid or not; null if it has none. */
  static byte @Nullable [] proof(ConsumerRecord<?, ?> record) {
    Header header = record.headers().lastHeader(PROOF);
    return header == null ? null : header.value();
  }
}
