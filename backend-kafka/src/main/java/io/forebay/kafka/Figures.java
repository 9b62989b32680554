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
 * Reads what the brokers report for the open queues: first and last positions and {@link Groups}
 * once a second, settings less often. Each has a thread, so that a coordinator that does not
 * respond holds up no other figure. A figure that is missing or stale is unknown. Thread-safe.
 */
final class Figures implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Figures.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration STALE = Duration.ofSeconds(15);

  private final Topics topics;
  private final Health health;
  private final Holds holds;
  private final Map<TopicPartition, Partition> partitions = new ConcurrentHashMap<>();
  private final List<BackgroundTask> tasks;

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
    tasks =
        List.of(
            task("figures", EVERY, "they are unknown until the cluster responds", this::read),
            task("groups", EVERY, "it is retried every second", this::readGroups),
            task("settings", readAgain, "the previous settings apply", this::readSettings));
  }

  private static BackgroundTask task(
      String what, Duration every, String consequence, BackgroundTask.Turn turn) {
    BackgroundTask task =
        new BackgroundTask(
            "forebay-kafka-" + what,
            every,
            new Outage(log, "Reading %s of the Kafka cluster".formatted(what), consequence),
            turn);
    task.start(every);
    return task;
  }

  /** The latest figures; unknown if they are stale. */
  QueueStats of(TopicPartition partition, Groups groups, QueueStats.@Nullable Refusal refusal) {
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

  /** Asks all questions before it waits for an answer, as {@link #read(List)} does. */
  private void readGroups() {
    health.connected().stream()
        .flatMap(queue -> queue.groups().ask().stream())
        .toList()
        .forEach(Runnable::run);
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
    tasks.forEach(each -> each.close(Duration.ZERO));
  }
}
