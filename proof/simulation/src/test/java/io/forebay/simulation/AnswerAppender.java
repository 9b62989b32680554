/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
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
import org.jspecify.annotations.Nullable;

/**
 * Appends the answers of a partition in transactions, until another appender of answers fences it.
 * After a failure it cannot be used any more.
 */
final class AnswerAppender implements Appender {

  private final ClusterQueue queue;
  private final int partition;
  private final long epoch;
  private final @Nullable ClusterSubscription consumer;

  /** The assignment of its partition in which it was made. */
  private final int assignment;

  private final List<byte[]> transaction = new ArrayList<>();
  private final TicketWaiters waits = new TicketWaiters(this, TicketWaiters.POLL, _ -> end());
  private @Nullable RuntimeException failure;
  private @Nullable AcknowledgementListener listener;
  private volatile long ticket;
  private volatile long acknowledged;
  private volatile boolean closed;

  /**
   * @param consumer whose offsets are committed; null if none are
   */
  AnswerAppender(
      ClusterQueue queue, int partition, long epoch, @Nullable ClusterSubscription consumer) {
    this.queue = queue;
    this.partition = partition;
    this.epoch = epoch;
    this.consumer = consumer;
    this.assignment = consumer == null ? 0 : consumer.assignment(partition);
  }

  @Override
  public long append(int to, ByteBuffer message) {
    queue.checkPartition(to);
    if (message.remaining() > Capabilities.MAX_MESSAGE_BYTES) {
      throw new QueueRefused(
          QueueRefused.Reason.TOO_LARGE, "a message of %,d bytes".formatted(message.remaining()));
    }
    if (closed || queue.isClosed()) {
      throw new QueueRefused(QueueRefused.Reason.CLOSED, "the appender is closed");
    }
    mustWork();
    queue.mustNotBeDrained(partition);
    byte[] bytes = new byte[message.remaining()];
    message.duplicate().get(bytes);
    transaction.add(bytes);
    return ++ticket;
  }

  private void mustWork() {
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void publish() {
    mustWork();
    if (!transaction.isEmpty()) {
      publishWith(null);
    }
  }

  @Override
  public void publish(GroupOffset offset) {
    mustWork();
    publishWith(offset);
  }

  private void publishWith(@Nullable GroupOffset offset) {
    List<byte[]> messages = List.copyOf(transaction);
    try {
      queue.ask(() -> {
        mustBeTheWriter();
        mustBeTaken(messages);
        if (offset != null && consumer != null) {
          consumer.mustBeMember();
        }
        if (!messages.isEmpty()) {
          queue.log(partition).begin(messages);
        }
        return true;
      });
      queue.ask(() -> {
        mustBeTheWriter();
        queue.log(partition).complete(true);
        if (offset != null && consumer != null) {
          consumer.commit(partition, offset);
        }
        return true;
      });
    } catch (QueueUnavailable | Fenced e) {
      failure = e;
      throw e;
    }
    transaction.clear();
    acknowledged = ticket;
    AcknowledgementListener told = listener;
    if (told != null) {
      told.acknowledged(partition, ticket, UNKNOWN_POSITION);
    }
    waits.wake(this::isAcknowledged);
  }

  private void mustBeTaken(List<byte[]> messages) {
    if (messages.stream().anyMatch(it -> it.length > queue.topic.mostBytes)) {
      queue.log(partition).refusedIn = assignment;
      throw new QueueRefused(
          QueueRefused.Reason.FAILED, "the brokers refuse a message that is too large");
    }
  }

  private void mustBeTheWriter() {
    if (queue.log(partition).epoch != epoch) {
      throw new Fenced("another instance answers partition " + partition, null);
    }
  }

  private @Nullable QueueFailed end() {
    return closed || queue.isClosed() ? new QueueFailed("its appender is closed", null) : null;
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
    publish();
    waits.await(wanted, timeout);
  }

  @Override
  public void onAcknowledged(AcknowledgementListener newListener) {
    listener = newListener;
  }

  @Override
  public void close() {
    closed = true;
  }
}
