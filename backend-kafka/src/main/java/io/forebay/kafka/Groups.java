/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.GroupOffset;
import io.forebay.queue.Ownership;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the coordinators of the consumer groups report for an open queue: which partitions have a
 * member, and what the consumers that this process has joined have committed. Thread-safe.
 */
final class Groups {

  private static final Logger log = LoggerFactory.getLogger(Groups.class);

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
  private final Topic topic;

  /** By the names of the consumers that this process has joined. */
  private final Map<String, Members> joined = new ConcurrentHashMap<>();

  private final Map<String, Map<TopicPartition, OffsetAndMetadata>> committed =
      new ConcurrentHashMap<>();

  private final Set<Integer> drained = ConcurrentHashMap.newKeySet();

  /**
   * How often that was changed: a report that was asked for before a change must not replace it.
   */
  private volatile long changes;

  /**
   * The members of a consumer.
   *
   * @param ownerless for each partition without a member, since when
   * @param failure why the coordinator gave no report when last asked; null if it did
   */
  private record Members(
      Instant toldAt, int count, Map<Integer, Instant> ownerless, @Nullable String failure) {}

  Groups(Topics topics, Topic topic) {
    this.topics = topics;
    this.topic = topic;
  }

  /** Records that this process joins the group of a consumer. */
  void join(String consumer) {
    joined.put(consumer, new Members(Instant.now(), 0, Map.of(), "not asked yet"));
  }

  /** What each consumer has committed, by its name, as far as the brokers reported it. */
  Map<String, Long> passed(TopicPartition partition) {
    return passed(committed, partition);
  }

  /** Of what consumers have committed, the positions in a partition. */
  static Map<String, Long> passed(
      Map<String, Map<TopicPartition, OffsetAndMetadata>> told, TopicPartition partition) {
    Map<String, Long> passed = new HashMap<>();
    told.forEach((consumer, offsets) -> {
      OffsetAndMetadata offset = offsets.get(partition);
      if (offset != null) {
        passed.put(consumer, offset.offset());
      }
    });
    return passed;
  }

  /**
   * Asks the brokers for the offset that a consumer has committed, if no transaction may change it.
   *
   * @throws QueueUnavailable if they do not respond, or such a transaction is open
   */
  Optional<GroupOffset> offset(String consumer, int partition) {
    TopicPartition asked = topic.partition(partition);
    Map<TopicPartition, OffsetAndMetadata> told =
        topics.committed(topic.group(consumer), all(), true);
    if (!told.isEmpty() && !told.containsKey(asked)) {
      throw new QueueUnavailable(
          "the offset of consumer group %s in %s is not stable: a transaction is open"
              .formatted(topic.group(consumer), asked),
          null);
    }
    return Optional.ofNullable(told.get(asked))
        .map(it -> new GroupOffset(it.offset(), it.metadata()));
  }

  private ListConsumerGroupOffsetsSpec all() {
    return new ListConsumerGroupOffsetsSpec().topicPartitions(topic.all());
  }

  /**
   * Reads which partitions were drained.
   *
   * @throws QueueUnavailable if the cluster does not respond
   */
  void readDrained() {
    keepDrained(hasOffsets() ? topics.committed(topic.group(DRAINED), all(), false) : Map.of());
  }

  /**
   * Whether a group may have committed something. Without the topic of offsets, no coordinator
   * answers, and nothing was drained.
   */
  private boolean hasOffsets() {
    try {
      return topics.describe(OFFSETS) != null;
    } catch (QueueFailed e) {
      return true; // this client may not ask
    }
  }

  private synchronized void keepDrained(Map<TopicPartition, OffsetAndMetadata> offsets) {
    for (TopicPartition partition : topic.all()) {
      OffsetAndMetadata offset = offsets.get(partition);
      keepDrained(partition.partition(), offset != null && offset.offset() == YES);
    }
  }

  private synchronized void keepDrained(int partition, boolean value) {
    changes++;
    if (value) {
      drained.add(partition);
    } else {
      drained.remove(partition);
    }
  }

  /** Keeps a report unless something was changed since it was asked for. */
  private synchronized void keepReported(
      Map<TopicPartition, OffsetAndMetadata> offsets, long asked) {
    if (changes == asked) {
      keepDrained(offsets);
      changes = asked; // a report changes nothing
    }
  }

  boolean isDrained(int partition) {
    return drained.contains(partition);
  }

  /**
   * Stores that a partition was drained, or is used again.
   *
   * @throws QueueUnavailable if the cluster does not respond
   */
  void drained(int partition, boolean value) {
    topics.get(
        topics
            .admin()
            .alterConsumerGroupOffsets(
                topic.group(DRAINED),
                Map.of(topic.partition(partition), new OffsetAndMetadata(value ? YES : NO)))
            .all());
    keepDrained(partition, value);
  }

  /** The ownership of a partition that this instance does not own. */
  Ownership ownership(String consumer, int partition) {
    Members members = joined.get(consumer);
    if (members == null) {
      return Ownership.owned();
    }
    if (members.toldAt.plus(FRESH).isBefore(Instant.now())) {
      return new Ownership(
          Ownership.Kind.UNKNOWN,
          members.toldAt,
          "the coordinator of consumer group %s does not report its members (%s)"
              .formatted(
                  topic.group(consumer), Objects.requireNonNullElse(members.failure, "not asked")));
    }
    Instant since = members.ownerless.get(partition);
    return since == null
        ? Ownership.owned()
        : new Ownership(
            Ownership.Kind.NOBODY,
            since,
            "consumer group %s has %d members, but the partition is assigned to none"
                .formatted(topic.group(consumer), members.count));
  }

  /** Asks the coordinators; each returned action waits for one answer and keeps it. */
  List<Runnable> ask() {
    List<Runnable> answers = new ArrayList<>();
    long before = changes;
    answers.add(offsets(DRAINED, told -> keepReported(told, before)));
    for (String consumer : joined.keySet()) {
      answers.add(offsets(consumer, told -> committed.put(consumer, told)));
      answers.add(members(consumer));
    }
    return answers;
  }

  private Runnable offsets(String consumer, Consumer<Map<TopicPartition, OffsetAndMetadata>> keep) {
    String group = topic.group(consumer);
    KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> told =
        topics.askCommitted(group, all(), false, Topics.QUICK_MILLIS);
    return () -> {
      try {
        keep.accept(topics.get(told));
      } catch (QueueUnavailable | QueueFailed | GroupIdNotFoundException e) {
        log.debug("Committed offsets of group {} unknown", group, e);
      }
    };
  }

  private Runnable members(String consumer) {
    String group = topic.group(consumer);
    DescribeConsumerGroupsOptions quick =
        new DescribeConsumerGroupsOptions().timeoutMs(Topics.QUICK_MILLIS);
    KafkaFuture<ConsumerGroupDescription> told =
        Objects.requireNonNull(
            topics
                .admin()
                .describeConsumerGroups(List.of(group), quick)
                .describedGroups()
                .get(group));
    return () -> {
      Members before = Objects.requireNonNull(joined.get(consumer));
      joined.replace(consumer, before, read(before, told));
    };
  }

  private Members read(Members before, KafkaFuture<ConsumerGroupDescription> told) {
    Set<TopicPartition> assigned = new HashSet<>();
    int count = 0;
    try {
      ConsumerGroupDescription group = topics.get(told);
      count = group.members().size();
      group.members().forEach(member -> assigned.addAll(member.assignment().topicPartitions()));
    } catch (GroupIdNotFoundException e) {
      log.debug("No member has joined yet", e);
    } catch (QueueUnavailable | QueueFailed e) {
      return new Members(before.toldAt, before.count, before.ownerless, e.getMessage());
    }
    Instant now = Instant.now();
    Map<Integer, Instant> ownerless = new HashMap<>();
    for (TopicPartition partition : topic.all()) {
      if (!assigned.contains(partition)) {
        int number = partition.partition();
        ownerless.put(number, before.ownerless.getOrDefault(number, now));
      }
    }
    return new Members(now, count, ownerless, null);
  }
}
