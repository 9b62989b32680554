/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.MessageHandler;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.sender.SenderProof;
import io.forebay.queue.sender.UnprovenSender;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads one partition, with a consumer that it shares with the other tailers of its thread. */
final class KafkaTailer implements Tailer {

  private static final Logger log = LoggerFactory.getLogger(KafkaTailer.class);
  private static final long CLOSE_SECONDS = 10;

  /** A client hands out at most 2,000 messages at once, and readers take 1,000 of a partition. */
  private static final int MOST_KEPT = 2_000;

  /** The content of a record without a value, which another program may have written. */
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Fetches fetches;
  private final TopicPartition topic;
  private final ReentrantLock lock;
  private final SenderProof proof;
  private final boolean trustUnproven;
  private final Runnable mustBeTheSame;
  private final Consumer<KafkaTailer> onClose;
  private List<ConsumerRecord<ByteBuffer, ByteBuffer>> fetched = List.of();
  private int next;
  private long seenFetches;
  private boolean hasRead;

  /** How the brokers said that they do not have the message at its position; null if they do. */
  private @Nullable OffsetOutOfRangeException missing;

  /**
   * The last position that the client reported; while the client looks for its broker, it reports
   * none.
   */
  private long position;

  private volatile boolean closed;

  /**
   * @param proof checks who wrote messages; only for the tailer
   * @param mustBeTheSame throws {@link QueueFailed} if the topic was replaced by another one
   * @param onClose is told of the closed tailer
   */
  KafkaTailer(
      Fetches fetches,
      TopicPartition topic,
      SenderProof proof,
      Runnable mustBeTheSame,
      Consumer<KafkaTailer> onClose) {
    this.fetches = fetches;
    this.topic = topic;
    this.proof = proof;
    this.mustBeTheSame = mustBeTheSame;
    this.onClose = onClose;
    trustUnproven = fetches.topics().clients().options().trustUnproven();
    lock = fetches.lock();
    lock.lock();
    try {
      fetches.add(this);
      moveTo(first());
    } catch (RuntimeException | Error e) {
      closed = true;
      throw e;
    } finally {
      leave();
    }
  }

  TopicPartition topic() {
    return topic;
  }

  private long first() {
    return asked(() -> fetches.consumer().beginningOffsets(Set.of(topic)).get(topic));
  }

  /** The last stable offset: the end that the brokers report to a reader of committed messages. */
  private long stableEnd() {
    return asked(() -> fetches.consumer().endOffsets(Set.of(topic)).get(topic));
  }

  private long asked(Supplier<@Nullable Long> question) {
    try {
      return Objects.requireNonNull(question.get());
    } catch (WakeupException e) {
      return asked(question);
    } catch (TimeoutException e) {
      throw new QueueUnavailable("no broker reports %s: %s".formatted(topic, e.getMessage()), e);
    } catch (AuthenticationException | AuthorizationException e) {
      throw fetches.refused(e);
    }
  }

  @Override
  public int partition() {
    return topic.partition();
  }

  @Override
  public long position() {
    return guarded(() -> holdsMessages() ? fetched.get(next).offset() : reached());
  }

  /** The position after the fetched messages and after the transaction markers that follow them. */
  private long reached() {
    try {
      position = fetches.consumer().position(topic, Duration.ZERO);
    } catch (TimeoutException | WakeupException e) {
      // the client looks for its broker; the last known position is still right
    } catch (AuthenticationException | AuthorizationException e) {
      throw fetches.refused(e);
    }
    return position;
  }

  @Override
  public long end() {
    return guarded(this::highWatermark);
  }

  @Override
  public long readableEnd() {
    return guarded(this::stableEnd);
  }

  @Override
  public void seek(long position) {
    guarded(() -> {
      if (position < first() || position > highWatermark()) {
        throw outOfRange(position);
      }
      return moveTo(position);
    });
  }

  private long highWatermark() {
    return fetches.topics().end(topic);
  }

  private PositionOutOfRange outOfRange(long asked) {
    return new PositionOutOfRange(
        fetches.queue(), topic.partition(), asked, first(), highWatermark());
  }

  @Override
  public void toStart() {
    guarded(() -> moveTo(first()));
  }

  @Override
  public void toEnd() {
    guarded(() -> moveTo(stableEnd()));
  }

  private long guarded(LongSupplier action) {
    lock.lock();
    try {
      checkOpen();
      return action.getAsLong();
    } finally {
      leave();
    }
  }

  private long moveTo(long to) {
    fetches.consumer().seek(topic, to);
    position = to;
    missing = null;
    fetched = List.of();
    next = 0;
    return to;
  }

  @Override
  public int poll(int max, MessageHandler handler) {
    lock.lock();
    try {
      checkOpen();
      boolean found = fetch(Duration.ZERO);
      mustBeTheSame.run();
      int count = 0;
      while (found && count < max && !closed) {
        ConsumerRecord<ByteBuffer, ByteBuffer> record = fetched.get(next);
        handler.handle(record.offset(), message(record));
        position = record.offset() + 1;
        next++;
        hasRead = true;
        count++;
        found = count < max && !closed && fetch(Duration.ZERO);
      }
      return count;
    } finally {
      leave();
    }
  }

  /** The message of a record with its trace, marked if it has no proof of its sender. */
  private ByteBuffer message(ConsumerRecord<ByteBuffer, ByteBuffer> record) {
    ByteBuffer value = record.value();
    if (value == null) {
      return NOTHING;
    }
    if (!trustUnproven && !proof.holds(Topic.proof(record), topic.partition(), value)) {
      UnprovenSender.mark(value);
    }
    return RecordTrace.added(record);
  }

  /** Fetches if all fetched messages were read; returns whether there are messages. */
  private boolean fetch(Duration atMost) {
    if (holdsMessages()) {
      return true;
    }
    try {
      if (atMost.isPositive() || seenFetches == fetches.count()) {
        fetches.await(atMost);
      } // otherwise another tailer has fetched for this one
    } finally {
      seenFetches = fetches.count();
    }
    if (missing instanceof LogTruncationException) {
      throw new QueueFailed(
          ("partition %d of queue %s: the queue returned to an older state: messages before position %,d that were read"
                  + " are missing, as after an unclean election of a leader; nothing more is read,"
                  + " see docs/operations.md, \"A queue returned to an older state\"")
              .formatted(topic.partition(), fetches.queue(), position),
          null);
    }
    if (missing != null) {
      throw outOfRange(position);
    }
    return holdsMessages();
  }

  /** Whether it has messages that were not read. */
  boolean holdsMessages() {
    return next < fetched.size();
  }

  /** Whether it has as many unread messages as it may keep. */
  boolean isFull() {
    return fetched.size() - next > MOST_KEPT;
  }

  /** Whether it has read a message since the last call. */
  boolean hasRead() {
    boolean read = hasRead;
    hasRead = false;
    return read;
  }

  /** Takes the messages that follow those it has. */
  void receive(List<ConsumerRecord<ByteBuffer, ByteBuffer>> messages) {
    if (holdsMessages()) {
      List<ConsumerRecord<ByteBuffer, ByteBuffer>> all =
          new ArrayList<>(fetched.subList(next, fetched.size()));
      all.addAll(messages);
      fetched = all;
    } else {
      fetched = messages;
    }
    next = 0;
  }

  /** The brokers do not have the message at its position. */
  void lacks(OffsetOutOfRangeException why) {
    missing = why;
  }

  @Override
  public void await(Duration atMost) {
    lock.lock();
    try {
      checkOpen();
      fetch(atMost);
    } finally {
      leave();
    }
  }

  @Override
  public void wake() {
    fetches.wake();
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "this tailer of queue %s is closed".formatted(fetches.queue()));
    }
  }

  private void leave() {
    if (closed) {
      fetches.remove(this);
    }
    lock.unlock();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    onClose.accept(this);
    fetches.wake();
    try {
      if (lock.tryLock() || lock.tryLock(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        leave();
      } else {
        log.warn(
            "Queue {}: the handler of a tailer has not returned within {} s",
            fetches.queue(),
            CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
