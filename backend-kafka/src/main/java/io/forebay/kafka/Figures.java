/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.queue.QueueStats;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The figures that the brokers report for the open queues, except those of {@link Groups}. A thread
 * asks for them once a second. A figure that is missing or stale is unknown. Thread-safe.
 */
final class Figures implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Figures.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration STALE = Duration.ofSeconds(15);

  private final Topics topics;
  private final TopicHealth health;
  private final Disks disks;
  private final Changes changes;
  private final Holds holds;
  private final Groups groups;
  private final Set<Topic> watched = ConcurrentHashMap.newKeySet();
  private final Map<TopicPartition, Partition> partitions = new ConcurrentHashMap<>();
  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-kafka-figures",
          EVERY,
          new Outage(
              log, "Reading figures of the Kafka cluster", "they are unknown until it responds"),
          this::read);

  /**
   * @param end the high watermark
   * @param bytes of one replica on its broker's disk; empty if the broker does not report it
   */
  record Partition(
      OptionalLong first,
      OptionalLong end,
      OptionalLong bytes,
      QueueStats.@Nullable Hold hold,
      long atNanos) {}

  Figures(Topics topics, TopicHealth health, Disks disks, Changes changes) {
    this.topics = topics;
    this.health = health;
    this.disks = disks;
    this.changes = changes;
    holds = new Holds(topics);
    groups = new Groups(topics);
    task.start();
  }

  void watch(Topic topic) {
    watched.add(topic);
    groups.watch(topic);
  }

  void forget(Topic topic) {
    watched.remove(topic);
    groups.forget(topic);
    topic.all().forEach(partitions::remove);
    topic.all().forEach(holds::forget);
    health.forget(topic);
    disks.forget(topic);
  }

  /** The latest value; null if it is stale. */
  @Nullable Partition of(TopicPartition partition) {
    Partition known = partitions.get(partition);
    return known == null || System.nanoTime() - known.atNanos() > STALE.toNanos() ? null : known;
  }

  /** What the group coordinators report. */
  Groups groups() {
    return groups;
  }

  private void read() {
    List<Topic> open = List.copyOf(watched);
    if (!open.isEmpty()) {
      health.look(open);
      changes.look(open);
      disks.look(open);
    }
    open.forEach(this::read);
  }

  private void read(Topic topic) {
    Map<TopicPartition, Long> firsts = topics.begins(topic.all());
    Map<TopicPartition, Long> stable = topics.ends(topic.all(), IsolationLevel.READ_COMMITTED);
    Map<TopicPartition, Long> ends = topics.ends(topic.all(), IsolationLevel.READ_UNCOMMITTED);
    for (TopicPartition partition : topic.all()) {
      Long end = ends.get(partition);
      partitions.put(
          partition,
          new Partition(
              offset(firsts.get(partition)),
              offset(end),
              disks.bytes(partition),
              holds.look(partition, stable.get(partition), end),
              System.nanoTime()));
    }
    if (!watched.contains(topic)) {
      forget(topic);
    }
  }

  private static OptionalLong offset(@Nullable Long told) {
    return told == null ? OptionalLong.empty() : OptionalLong.of(told);
  }

  /** The position that one consumer of a partition has committed. */
  static OptionalLong passed(Topic topic, int partition, String consumer, Topics topics) {
    OffsetAndMetadata committed =
        topics
            .get(
                topics
                    .admin()
                    .listConsumerGroupOffsets(topic.group(consumer))
                    .partitionsToOffsetAndMetadata())
            .get(topic.partition(partition));
    return committed == null ? OptionalLong.empty() : OptionalLong.of(committed.offset());
  }

  @Override
  public void close() {
    task.close(Duration.ZERO);
    groups.close();
  }
}
