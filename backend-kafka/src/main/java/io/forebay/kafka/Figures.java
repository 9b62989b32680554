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
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The figures that the brokers report for the open queues, except those of {@link Groups}: first
 * and last positions once a second, settings less often. A figure that is missing or stale is
 * unknown. Thread-safe.
 */
final class Figures implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Figures.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration STALE = Duration.ofSeconds(15);

  private final Topics topics;
  private final TopicHealth health;
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
  private final BackgroundTask settings;

  /**
   * @param end the high watermark
   */
  private record Partition(
      OptionalLong first, OptionalLong end, QueueStats.@Nullable Hold hold, long atNanos) {}

  /**
   * @param readAgain how often the settings of topics are read
   */
  Figures(Topics topics, TopicHealth health, Duration readAgain) {
    this.topics = topics;
    this.health = health;
    holds = new Holds(topics);
    groups = new Groups(topics);
    settings =
        new BackgroundTask(
            "forebay-kafka-settings",
            readAgain,
            new Outage(log, "Reading the settings of topics", "the previous settings apply"),
            this::readSettings);
    task.start();
    settings.start(readAgain);
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
  }

  /** The latest figures; unknown if they are stale. */
  QueueStats of(TopicPartition partition, QueueStats.@Nullable Refusal refusal) {
    Partition known = partitions.get(partition);
    return known == null || System.nanoTime() - known.atNanos() > STALE.toNanos()
        ? unknown(refusal)
        : new QueueStats(
            known.first(),
            known.end(),
            OptionalLong.empty(),
            known.end(),
            groups.passed(partition),
            refusal,
            known.hold(),
            null);
  }

  static QueueStats unknown(QueueStats.@Nullable Refusal refusal) {
    OptionalLong none = OptionalLong.empty();
    return new QueueStats(none, none, none, none, Map.of(), refusal);
  }

  /** What the group coordinators report. */
  Groups groups() {
    return groups;
  }

  private void read() {
    List<Topic> open = List.copyOf(watched);
    if (!open.isEmpty()) {
      health.look(open);
    }
    open.forEach(this::read);
  }

  private void readSettings() {
    if (!watched.isEmpty()) {
      topics.readAgain(List.copyOf(watched));
    }
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

  @Override
  public void close() {
    List.of(task, settings).forEach(each -> each.close(Duration.ZERO));
    groups.close();
  }
}
