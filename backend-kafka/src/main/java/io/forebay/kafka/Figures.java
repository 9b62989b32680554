/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
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
  private final Health health;
  private final Holds holds;
  private final Groups groups;
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
      long first, long end, Holds.@Nullable Standstill standstill, long atNanos) {

    QueueStats.@Nullable Hold hold() {
      return standstill == null ? null : standstill.hold();
    }
  }

  /**
   * @param readAgain how often the settings of topics are read
   */
  Figures(Topics topics, Health health, Duration readAgain) {
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

  /** The latest figures; unknown if they are stale. */
  QueueStats of(TopicPartition partition, QueueStats.@Nullable Refusal refusal) {
    Partition known = partitions.get(partition);
    return known == null || System.nanoTime() - known.atNanos() > STALE.toNanos()
        ? unknown(refusal)
        : new QueueStats(
            OptionalLong.of(known.first()),
            OptionalLong.of(known.end()),
            OptionalLong.empty(),
            OptionalLong.of(known.end()),
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

  private List<Topic> open() {
    return health.connected().stream().map(Connection::topic).toList();
  }

  private void read() {
    List<TopicPartition> all = open().stream().flatMap(topic -> topic.all().stream()).toList();
    if (!all.isEmpty()) {
      read(all);
    }
  }

  private void readSettings() {
    open().forEach(topics::readAgain);
  }

  /** Asks all questions before it waits for an answer: each may take as long as its time-out. */
  private void read(List<TopicPartition> all) {
    OffsetSpec latest = OffsetSpec.latest();
    ListOffsetsResult firsts =
        topics.ask(all, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    ListOffsetsResult stable = topics.ask(all, latest, IsolationLevel.READ_COMMITTED);
    ListOffsetsResult ends = topics.ask(all, latest, IsolationLevel.READ_UNCOMMITTED);
    RuntimeException failure = null;
    for (TopicPartition partition : all) {
      try {
        long end = topics.offset(ends, partition);
        Partition before = partitions.get(partition);
        partitions.put(
            partition,
            new Partition(
                topics.offset(firsts, partition),
                end,
                holds.look(
                    partition,
                    topics.offset(stable, partition),
                    end,
                    before == null ? null : before.standstill()),
                System.nanoTime()));
      } catch (QueueUnavailable | QueueFailed | UnknownTopicOrPartitionException e) {
        failure = e;
      }
    }
    partitions.keySet().retainAll(all);
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void close() {
    List.of(task, settings).forEach(each -> each.close(Duration.ZERO));
    groups.close();
  }
}
