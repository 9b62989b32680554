/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Appender;
import io.forebay.queue.Fenced;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.TicketWaiters;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.jspecify.annotations.Nullable;

/**
 * Appends to one partition in transactions. A transaction ends at a {@link #publish}, or at a later
 * one. The transactional id belongs to the partition, so only one such appender is active, however
 * many instances there are (Kafka's KIP-98): a new one fences the previous one.
 *
 * <p>A commit takes a few milliseconds. Another thread does it while the next messages are
 * performed: {@link #publish} only hands messages to that thread, {@link #isAcknowledged} says
 * whether they are committed, and the next call throws a failure of that thread.
 */
final class TransactionalAppender implements Appender {

  /**
   * A broker aborts the transaction of a dead process after this time; until then it blocks
   * readers.
   */
  static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(10);

  static final Duration BLOCK = Duration.ofSeconds(10);

  private final KafkaMessageQueue queue;
  private final int partition;
  private final Transactions transactions;
  private List<byte[]> collected = new ArrayList<>();

  /** The highest offset that was handed over. */
  private long published = -1;

  private volatile long ticket;
  private volatile long acknowledged;
  private volatile boolean closed;
  private volatile @Nullable AcknowledgementListener listener;
  private final TicketWaiters waits = new TicketWaiters(this, TicketWaiters.POLL, _ -> end());

  /**
   * @param member whose offsets are committed; null if none are
   */
  TransactionalAppender(KafkaMessageQueue queue, int partition, @Nullable GroupMember member) {
    this.queue = queue;
    this.partition = partition;
    transactions =
        new Transactions(
            this::producer,
            queue.connection().topic().name(),
            partition,
            member,
            queue.connection().proof(),
            this::committed);
  }

  /** Fences the previous producer of the partition, and ends its transaction. */
  private Producer<byte[], byte[]> producer() {
    String id = queue.connection().topic().name() + "-" + partition;
    Producer<byte[], byte[]> producer = queue.connection().topics().clients().transactional(id);
    try {
      producer.initTransactions();
      return producer;
    } catch (KafkaException e) {
      producer.close(Duration.ZERO);
      throw unavailable(e);
    } catch (RuntimeException | Error e) {
      producer.close(Duration.ZERO);
      throw e;
    }
  }

  @Override
  public long append(int to, ByteBuffer message) {
    queue.checkPartition(to);
    if (to != partition) {
      throw new IllegalArgumentException(
          "this appender of %s writes to partition %d, not %d".formatted(queue, partition, to));
    }
    byte[] bytes = queue.content(message);
    mustGoOn();
    if (closed) {
      throw queue.refused(QueueRefused.Reason.CLOSED, "its appender is closed");
    }
    if (queue.isDrained(partition)) {
      throw queue.refused(
          QueueRefused.Reason.UNAVAILABLE, "the service that reads it has not started yet");
    }
    collected.add(bytes);
    return ++ticket;
  }

  @Override
  public void publish() {
    mustGoOn();
    if (!collected.isEmpty()) {
      handOver(null);
    }
  }

  @Override
  public void publish(GroupOffset offset) {
    mustGoOn();
    if (!collected.isEmpty() || offset.position() > published) {
      handOver(offset);
      published = Math.max(published, offset.position());
    }
  }

  private void handOver(@Nullable GroupOffset offset) {
    try {
      if (!transactions.offer(new Transactions.Batch(collected, ticket, offset), BLOCK)) {
        throw queue.refused(
            QueueRefused.Reason.UNAVAILABLE, "the previous transaction is not committed yet");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw queue.refused(QueueRefused.Reason.UNAVAILABLE, "its thread was interrupted");
    }
    collected = new ArrayList<>();
  }

  private void committed(long upTo) {
    long from = acknowledged + 1;
    acknowledged = upTo;
    AcknowledgementListener told = listener;
    if (told != null) {
      for (long each = from; each <= upTo; each++) {
        told.acknowledged(partition, each, UNKNOWN_POSITION);
      }
    }
  }

  /**
   * @throws Fenced or {@link QueueUnavailable} if a transaction could not be completed; this
   *     producer can complete no further one
   * @throws QueueRefused if the brokers refuse the answers for good
   */
  private void mustGoOn() {
    RuntimeException e = transactions.failure();
    if (e == null) {
      return;
    }
    closed = true;
    Throwable refusal = Transactions.refusal(e);
    if (refusal != null) {
      throw queue.refused(
          QueueRefused.Reason.FAILED,
          "the brokers refuse it for good: %s; correct that and restart the service"
              .formatted(refusal.getMessage()));
    }
    if (e instanceof ProducerFencedException
        || e instanceof InvalidProducerEpochException
        || e instanceof CommitFailedException) {
      throw new Fenced(
          ("partition %d of %s was taken over by another instance, or the brokers"
                  + " aborted a transaction that took longer than %s")
              .formatted(partition, queue, TRANSACTION_TIMEOUT),
          e);
    }
    throw unavailable(e);
  }

  private QueueUnavailable unavailable(RuntimeException e) {
    return new QueueUnavailable(
        "partition %d of %s cannot accept answers: %s".formatted(partition, queue, e.getMessage()),
        e);
  }

  @Override
  public long ticket() {
    return ticket;
  }

  @Override
  public boolean isAcknowledged(long asked) {
    return asked <= acknowledged;
  }

  @Override
  public void await(long wanted, Duration timeout) throws TimeoutException, InterruptedException {
    waits.await(wanted, timeout);
  }

  private @Nullable QueueFailed end() {
    mustGoOn();
    return closed ? new QueueFailed("its appender is closed", null) : null;
  }

  @Override
  public void onAcknowledged(AcknowledgementListener next) {
    listener = next;
  }

  /** Discards unpublished messages; waits only briefly for published ones. */
  @Override
  public void close() {
    closed = true;
    transactions.close();
    queue.forget(this);
  }
}
