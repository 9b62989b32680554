/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects transactions that stay open: the last stable offset of a partition stops before its end,
 * and no reader sees the messages acknowledged after it. Only one thread calls {@link #look}.
 */
final class Holds {

  private static final Logger log = LoggerFactory.getLogger(Holds.class);

  /** Programs that write in transactions often block a partition for a moment. */
  static final Duration TOLERATED = Duration.ofSeconds(5);

  private final Topics topics;
  private final Map<TopicPartition, Standstill> known = new ConcurrentHashMap<>();

  /**
   * @param hold null while the transaction may still end soon
   */
  private record Standstill(long stable, Instant since, QueueStats.@Nullable Hold hold) {}

  Holds(Topics topics) {
    this.topics = topics;
  }

  /**
   * @param stable the last stable offset of a partition
   * @return null if no transaction blocks the partition, or only briefly
   */
  QueueStats.@Nullable Hold look(TopicPartition partition, long stable, long end) {
    if (stable >= end) {
      released(partition);
      return null;
    }
    Standstill before = known.get(partition);
    if (before == null || before.stable != stable) {
      released(partition);
      known.put(partition, new Standstill(stable, Instant.now(), null));
      return null;
    }
    if (before.hold == null && !before.since.plus(TOLERATED).isAfter(Instant.now())) {
      QueueStats.Hold hold = new QueueStats.Hold(stable, text(partition, before), before.since);
      log.warn("{}", hold.by());
      known.put(partition, new Standstill(stable, before.since, hold));
      return hold;
    }
    return before.hold;
  }

  private void released(TopicPartition partition) {
    Standstill before = known.remove(partition);
    if (before != null && before.hold != null) {
      log.info(
          "Partition {} is no longer blocked: the transaction that was open at {} ended",
          partition,
          before.stable);
    }
  }

  /** Forgets all other partitions. */
  void keep(Collection<TopicPartition> partitions) {
    known.keySet().retainAll(partitions);
  }

  private String text(TopicPartition partition, Standstill standstill) {
    return ("%s is blocked at position %,d by an open transaction of %s (since %s);"
            + " later messages are accepted, but cannot be read until it ends; end that"
            + " program's transaction, or see docs/operations.md, \"A transaction stays"
            + " open\"")
        .formatted(
            partition,
            standstill.stable,
            holder(partition),
            standstill.since.truncatedTo(ChronoUnit.SECONDS));
  }

  private String holder(TopicPartition partition) {
    DescribeProducersOptions quick = new DescribeProducersOptions().timeoutMs(Topics.QUICK_MILLIS);
    try {
      return topics
          .get(
              topics
                  .admin()
                  .describeProducers(List.of(partition), quick)
                  .partitionResult(partition))
          .activeProducers()
          .stream()
          .filter(it -> it.currentTransactionStartOffset().isPresent())
          .min(Comparator.comparingLong(it -> it.currentTransactionStartOffset().getAsLong()))
          .map(this::name)
          .orElse("an unknown producer");
    } catch (QueueUnavailable | QueueFailed e) {
      return "an unknown producer (%s)".formatted(e.getMessage());
    }
  }

  private String name(ProducerState producer) {
    ListTransactionsOptions its =
        new ListTransactionsOptions()
            .filterProducerIds(Set.of(producer.producerId()))
            .timeoutMs(Topics.QUICK_MILLIS);
    return "producer %d (%s, epoch %d)"
        .formatted(
            producer.producerId(),
            topics.get(topics.admin().listTransactions(its).all()).stream()
                .map(it -> "transactional id " + it.transactionalId())
                .findFirst()
                .orElse("transactional id unknown"),
            producer.producerEpoch());
  }
}
