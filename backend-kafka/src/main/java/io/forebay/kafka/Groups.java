/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.Ownership;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the coordinators of the consumer groups report for the open queues: which partitions have a
 * member, and what the consumers that this process has joined have committed. A separate thread
 * asks once a second, so that a coordinator that does not respond holds up no other figure.
 * Thread-safe.
 */
final class Groups implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Groups.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  /**
   * The name of a consumer without members. What it has committed is {@link #YES} for a partition
   * that was drained.
   */
  private static final String DRAINED = "#drained";

  /** Where brokers keep what groups have committed. */
  private static final String OFFSETS = "__consumer_offsets";

  private static final long YES = 1;
  private static final long NO = 0;

  /** How long a report is valid. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final Topics topics;

  /** By the names of the groups that have what was drained. */
  private final Map<String, Topic> watched = new ConcurrentHashMap<>();

  private final Map<String, Group> joined = new ConcurrentHashMap<>();
  private final Map<String, Map<TopicPartition, OffsetAndMetadata>> committed =
      new ConcurrentHashMap<>();

  private final Set<TopicPartition> drained = ConcurrentHashMap.newKeySet();

  /**
   * How often that was changed: a report that was asked for before a change must not replace it.
   */
  private volatile long changes;

  private final BackgroundTask task =
      new BackgroundTask(
          "forebay-kafka-groups",
          EVERY,
          new Outage(log, "Reading consumer groups", "it is retried every second"),
          this::read);

  /**
   * A group that this process has joined.
   *
   * @param ownerless for each partition without a member, since when
   * @param failure why its coordinator gave no report when last asked; null if it did
   */
  private record Group(
      Topic topic,
      String consumer,
      Instant toldAt,
      int members,
      Map<TopicPartition, Instant> ownerless,
      @Nullable String failure) {}

  Groups(Topics topics) {
    this.topics = topics;
    task.start();
  }

  void watch(Topic topic) {
    watched.put(topic.group(DRAINED), topic);
  }

  void forget(Topic topic) {
    watched.remove(topic.group(DRAINED));
    joined.values().removeIf(group -> group.topic == topic);
    topic.all().forEach(drained::remove);
  }

  /** Records that this process joins the group of a consumer. */
  void join(Topic topic, String consumer) {
    joined.put(
        topic.group(consumer),
        new Group(topic, consumer, Instant.now(), 0, Map.of(), "not asked yet"));
  }

  /** What each consumer has committed, by its name, as far as the brokers reported it. */
  Map<String, Long> passed(TopicPartition partition) {
    Map<String, Long> passed = new HashMap<>();
    joined.forEach((name, group) -> {
      OffsetAndMetadata offset = committed.getOrDefault(name, Map.of()).get(partition);
      if (offset != null) {
        passed.put(group.consumer, offset.offset());
      }
    });
    return passed;
  }

  /**
   * Asks the brokers for the offset that a consumer has committed, if no transaction may change it.
   *
   * @throws QueueUnavailable if they do not respond, or such a transaction is open
   */
  Optional<GroupOffset> offset(Topic topic, int partition, String consumer) {
    TopicPartition asked = topic.partition(partition);
    Map<TopicPartition, OffsetAndMetadata> told = ask(topic, consumer, true);
    if (!told.isEmpty() && !told.containsKey(asked)) {
      throw new QueueUnavailable(
          "the offset of consumer group %s in %s is not stable: a transaction is open"
              .formatted(topic.group(consumer), asked),
          null);
    }
    return Optional.ofNullable(told.get(asked))
        .map(it -> new GroupOffset(it.offset(), it.metadata()));
  }

  /**
   * The offsets of all partitions, null for a partition without one; without those that are not
   * stable. Empty if there is no such group.
   */
  private Map<TopicPartition, OffsetAndMetadata> ask(Topic topic, String consumer, boolean stable) {
    return topics.committed(topic.group(consumer), all(topic), stable);
  }

  private static ListConsumerGroupOffsetsSpec all(Topic topic) {
    return new ListConsumerGroupOffsetsSpec().topicPartitions(topic.all());
  }

  /**
   * Reads which partitions were drained; from then on it is read again once a second.
   *
   * @throws QueueUnavailable if the cluster does not respond
   */
  void readDrained(Topic topic) {
    keepDrained(topic, hasOffsets() ? ask(topic, DRAINED, false) : Map.of());
  }

  /**
   * Whether a group may have committed something. Without the topic of offsets, no coordinator
   * answers, and nothing was drained.
   */
  private boolean hasOffsets() {
    try {
      return topics.describe(List.of(OFFSETS)).get(OFFSETS) != null;
    } catch (QueueFailed e) {
      return true; // this client may not ask
    }
  }

  private synchronized void keepDrained(
      Topic topic, Map<TopicPartition, OffsetAndMetadata> offsets) {
    for (TopicPartition partition : topic.all()) {
      OffsetAndMetadata offset = offsets.get(partition);
      keepDrained(partition, offset != null && offset.offset() == YES);
    }
  }

  private synchronized void keepDrained(TopicPartition partition, boolean value) {
    changes++;
    if (value) {
      drained.add(partition);
    } else {
      drained.remove(partition);
    }
  }

  /** Keeps a report unless something was changed since it was asked for. */
  private synchronized void keepReported(
      Topic topic, Map<TopicPartition, OffsetAndMetadata> offsets, long asked) {
    if (changes == asked) {
      keepDrained(topic, offsets);
      changes = asked; // a report changes nothing
    }
  }

  boolean isDrained(TopicPartition partition) {
    return drained.contains(partition);
  }

  /**
   * Stores that a partition was drained, or is used again.
   *
   * @throws QueueUnavailable if the cluster does not respond
   */
  void drained(Topic topic, TopicPartition partition, boolean value) {
    topics.get(
        topics
            .admin()
            .alterConsumerGroupOffsets(
                topic.group(DRAINED), Map.of(partition, new OffsetAndMetadata(value ? YES : NO)))
            .all());
    keepDrained(partition, value);
  }

  /** The ownership of a partition that this instance does not own. */
  Ownership ownership(String name, TopicPartition partition) {
    Group group = joined.get(name);
    if (group == null) {
      return Ownership.owned();
    }
    if (group.toldAt.plus(FRESH).isBefore(Instant.now())) {
      return new Ownership(
          Ownership.Kind.UNKNOWN,
          group.toldAt,
          "the coordinator of consumer group %s does not report its members (%s)"
              .formatted(name, Objects.requireNonNullElse(group.failure, "not asked")));
    }
    Instant since = group.ownerless.get(partition);
    return since == null
        ? Ownership.owned()
        : new Ownership(
            Ownership.Kind.NOBODY,
            since,
            "consumer group %s has %d members, but the partition is assigned to none"
                .formatted(name, group.members));
  }

  private void read() {
    if (!joined.isEmpty()) {
      readMembers();
    }
    if (!watched.isEmpty()) {
      readOffsets();
    }
  }

  private void readMembers() {
    topics
        .admin()
        .describeConsumerGroups(
            List.copyOf(joined.keySet()),
            new DescribeConsumerGroupsOptions().timeoutMs(Topics.QUICK_MILLIS))
        .describedGroups()
        .forEach((name, future) -> {
          Group before = joined.get(name);
          if (before != null) {
            joined.replace(name, before, read(before, future));
          }
        });
  }

  private Group read(Group before, KafkaFuture<ConsumerGroupDescription> future) {
    Set<TopicPartition> assigned = new HashSet<>();
    int members = 0;
    try {
      ConsumerGroupDescription group = topics.get(future);
      members = group.members().size();
      for (MemberDescription member : group.members()) {
        assigned.addAll(member.assignment().topicPartitions());
      }
    } catch (GroupIdNotFoundException e) {
      log.debug("No member has joined yet", e);
    } catch (QueueUnavailable | QueueFailed e) {
      return new Group(
          before.topic,
          before.consumer,
          before.toldAt,
          before.members,
          before.ownerless,
          e.getMessage());
    }
    Instant now = Instant.now();
    Map<TopicPartition, Instant> ownerless = new HashMap<>();
    for (TopicPartition partition : before.topic.all()) {
      if (!assigned.contains(partition)) {
        ownerless.put(partition, before.ownerless.getOrDefault(partition, now));
      }
    }
    return new Group(before.topic, before.consumer, now, members, ownerless, null);
  }

  private void readOffsets() {
    long before = changes;
    Map<String, ListConsumerGroupOffsetsSpec> asked = new HashMap<>();
    watched.forEach((name, topic) -> asked.put(name, all(topic)));
    joined.forEach((name, group) -> asked.put(name, all(group.topic)));
    ListConsumerGroupOffsetsResult told =
        topics
            .admin()
            .listConsumerGroupOffsets(
                asked, new ListConsumerGroupOffsetsOptions().timeoutMs(Topics.QUICK_MILLIS));
    for (String name : asked.keySet()) {
      try {
        Map<TopicPartition, OffsetAndMetadata> offsets =
            topics.get(told.partitionsToOffsetAndMetadata(name));
        Topic topic = watched.get(name);
        if (topic == null) {
          committed.put(name, offsets);
        } else {
          keepReported(topic, offsets, before);
        }
      } catch (QueueUnavailable | QueueFailed | GroupIdNotFoundException e) {
        log.debug("Committed offsets of group {} unknown", name, e);
      }
    }
  }

  @Override
  public void close() {
    task.close(Duration.ZERO);
  }
}
