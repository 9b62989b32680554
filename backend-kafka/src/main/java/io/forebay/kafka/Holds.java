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
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects transactions that stay open: the last stable offset of a partition stops before its end,
 * and no reader sees the messages acknowledged after it.
 */
record Holds(Topics topics) {

  private static final Logger log = LoggerFactory.getLogger(Holds.class);

  /** Programs that write in transactions often block a partition for a moment. */
  private static final Duration TOLERATED = Duration.ofSeconds(5);

  /**
   * A transaction is open in a partition.
   *
   * @param stable the last stable offset
   * @param hold null while the transaction may still end soon
   */
  record Standstill(long stable, Instant since, QueueStats.@Nullable Hold hold) {}

  /**
   * @param stable the last stable offset of a partition
   * @param before what the last call returned
   * @return null if no transaction blocks the partition
   */
  @Nullable Standstill look(
      TopicPartition partition, long stable, long end, @Nullable Standstill before) {
    if (before == null || before.stable != stable || stable >= end) {
      if (before != null && before.hold != null) {
        log.info(
            "Partition {} is no longer blocked: the transaction that was open at {} ended",
            partition,
            before.stable);
      }
      return stable < end ? new Standstill(stable, Instant.now(), null) : null;
    }
    if (before.hold != null || before.since.plus(TOLERATED).isAfter(Instant.now())) {
      return before;
    }
    String text = text(partition, before);
    log.warn("{}", text);
    return new Standstill(stable, before.since, new QueueStats.Hold(stable, text, before.since));
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
    return "producer %d (transactional id %s, epoch %d)"
        .formatted(
            producer.producerId(),
            transactionalId(producer.producerId()),
            producer.producerEpoch());
  }

  /** Its coordinator may be away: transactions hang then. */
  private String transactionalId(long producer) {
    ListTransactionsOptions its =
        new ListTransactionsOptions()
            .filterProducerIds(Set.of(producer))
            .timeoutMs(Topics.QUICK_MILLIS);
    try {
      return topics.get(topics.admin().listTransactions(its).all()).stream()
          .map(TransactionListing::transactionalId)
          .findFirst()
          .orElse("unknown");
    } catch (QueueUnavailable | QueueFailed e) {
      return "unknown";
    }
  }
}
