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
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
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
 * member, and what consumers have committed. A separate thread asks once a second, so that a
 * coordinator that does not respond holds up no other figure. Thread-safe.
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
  private final Map<String, Topic> watched = new ConcurrentHashMap<>();
  private final Map<String, Joined> joined = new ConcurrentHashMap<>();
  private final Map<TopicPartition, Map<String, Long>> passed = new ConcurrentHashMap<>();
  private final Set<TopicPartition> drained = ConcurrentHashMap.newKeySet();
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
  private record Joined(
      Topic topic,
      Instant toldAt,
      int members,
      Map<TopicPartition, Instant> ownerless,
      @Nullable String failure) {

    Joined failed(String why) {
      return new Joined(topic, toldAt, members, ownerless, why);
    }
  }

  Groups(Topics topics) {
    this.topics = topics;
    task.start();
  }

  void watch(Topic topic) {
    watched.put(topic.groupPrefix(), topic);
  }

  void forget(Topic topic) {
    watched.remove(topic.groupPrefix());
    topic.all().forEach(passed::remove);
    topic.all().forEach(drained::remove);
  }

  /** Records that this process joins a group of the topic. */
  void join(Topic topic, String group) {
    joined.put(group, new Joined(topic, Instant.now(), 0, Map.of(), "not asked yet"));
  }

  void leave(String group) {
    joined.remove(group);
  }

  /** What each consumer has committed, by its name, as far as the brokers reported it. */
  Map<String, Long> passed(TopicPartition partition) {
    return passed.getOrDefault(partition, Map.of());
  }

  /** Asks the brokers for the position that a consumer has committed. */
  OptionalLong ask(Topic topic, int partition, String consumer) {
    OffsetAndMetadata told = ask(topic, consumer, false).get(topic.partition(partition));
    return told == null ? OptionalLong.empty() : OptionalLong.of(told.offset());
  }

  /**
   * Asks the brokers for the offset that a consumer has committed, if no transaction may change it.
   *
   * @throws QueueUnavailable if they do not respond, or such a transaction is open
   */
  Optional<GroupOffset> askForStable(Topic topic, int partition, String consumer) {
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
    ListConsumerGroupOffsetsSpec asked =
        new ListConsumerGroupOffsetsSpec().topicPartitions(topic.all());
    return topics.committed(topic.group(consumer), asked, stable);
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

  private void keepDrained(Topic topic, Map<TopicPartition, OffsetAndMetadata> offsets) {
    for (TopicPartition partition : topic.all()) {
      OffsetAndMetadata offset = offsets.get(partition);
      if (offset != null && offset.offset() == YES) {
        drained.add(partition);
      } else {
        drained.remove(partition);
      }
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
    if (value) {
      drained.add(partition);
    } else {
      drained.remove(partition);
    }
  }

  /** The ownership of a partition that this instance does not own. */
  Ownership ownership(String name, TopicPartition partition) {
    Joined group = joined.get(name);
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
    if (!watched.isEmpty()) {
      askOwners();
      askPassed();
    }
  }

  private void askOwners() {
    if (joined.isEmpty()) {
      return;
    }
    topics
        .admin()
        .describeConsumerGroups(
            List.copyOf(joined.keySet()),
            new DescribeConsumerGroupsOptions().timeoutMs(Topics.QUICK_MILLIS))
        .describedGroups()
        .forEach((group, future) -> {
          Joined before = joined.get(group);
          if (before != null) {
            joined.replace(group, before, read(before, future));
          }
        });
  }

  private Joined read(Joined before, KafkaFuture<ConsumerGroupDescription> future) {
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
      return before.failed(String.valueOf(e.getMessage()));
    }
    Instant now = Instant.now();
    Map<TopicPartition, Instant> ownerless = new HashMap<>();
    for (TopicPartition partition : before.topic.all()) {
      if (!assigned.contains(partition)) {
        ownerless.put(partition, before.ownerless.getOrDefault(partition, now));
      }
    }
    return new Joined(before.topic, now, members, ownerless, null);
  }

  /** Asks for all groups of the open topics, also those without members. */
  private void askPassed() {
    Map<String, ListConsumerGroupOffsetsSpec> asked = new HashMap<>();
    for (GroupListing group :
        topics.get(
            topics
                .admin()
                .listGroups(ListGroupsOptions.forConsumerGroups().timeoutMs(Topics.QUICK_MILLIS))
                .valid())) {
      topics(group.groupId())
          .forEach(topic ->
              asked.put(
                  group.groupId(),
                  new ListConsumerGroupOffsetsSpec().topicPartitions(topic.all())));
    }
    if (asked.isEmpty()) {
      return;
    }
    ListConsumerGroupOffsetsResult told =
        topics
            .admin()
            .listConsumerGroupOffsets(
                asked, new ListConsumerGroupOffsetsOptions().timeoutMs(Topics.QUICK_MILLIS));
    for (String group : asked.keySet()) {
      try {
        Map<TopicPartition, OffsetAndMetadata> offsets =
            topics.get(told.partitionsToOffsetAndMetadata(group));
        topics(group)
            .forEach(topic -> keep(group.substring(topic.groupPrefix().length()), topic, offsets));
      } catch (QueueUnavailable | QueueFailed | GroupIdNotFoundException e) {
        log.debug("Committed offsets of group {} unknown", group, e);
      }
    }
  }

  private Stream<Topic> topics(String group) {
    return watched.values().stream().filter(topic -> group.startsWith(topic.groupPrefix()));
  }

  private void keep(String consumer, Topic topic, Map<TopicPartition, OffsetAndMetadata> offsets) {
    if (consumer.equals(DRAINED)) {
      keepDrained(topic, offsets);
      return;
    }
    for (TopicPartition partition : topic.all()) {
      OffsetAndMetadata offset = offsets.get(partition);
      if (offset != null && watched.containsKey(topic.groupPrefix())) {
        passed.merge(
            partition,
            Map.of(consumer, offset.offset()),
            (before, now) -> {
              Map<String, Long> merged = new HashMap<>(before);
              merged.putAll(now);
              return merged;
            });
      }
    }
  }

  @Override
  public void close() {
    task.close(Duration.ZERO);
  }
}
