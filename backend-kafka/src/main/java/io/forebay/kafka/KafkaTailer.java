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
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one partition with its own consumer, without a group, and only committed messages. The lock
 * is for {@link #close()}, which the queue may call from another thread.
 */
final class KafkaTailer implements Tailer {

  private static final Logger log = LoggerFactory.getLogger(KafkaTailer.class);
  private static final long CLOSE_SECONDS = 10;
  private static final Duration LONGEST_QUESTION = Duration.ofSeconds(5);

  /** For a tailer that seeks: a seek and a question to the same broker wait for the fetch. */
  static final Duration SHORT_FETCH = Duration.ofMillis(20);

  /** For a tailer that waits for new messages: a fetch costs 0.3 ms of CPU time. */
  static final Duration LONG_FETCH = Duration.ofMillis(500);

  /** How long a tailer waits for its messages while its thread has others to read. */
  private static final Duration TURN = Duration.ofMillis(20);

  /** The content of a record without a value, which another program may have written. */
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Source queue;
  private final int partition;
  private final TopicPartition topic;
  private final KafkaConsumer<ByteBuffer, ByteBuffer> consumer;
  private final SenderProof proof;
  private final boolean trustUnproven;
  private final ReentrantLock lock = new ReentrantLock();
  private List<ConsumerRecord<ByteBuffer, ByteBuffer>> fetched = List.of();
  private int next;
  private boolean alone = true;

  /**
   * The last position that the client reported; while the client looks for its broker, it reports
   * none.
   */
  private long position;

  private volatile boolean closed;

  /** The queue, as a tailer uses it. */
  interface Source {

    String name();

    TopicPartition topic(int partition);

    Clients clients();

    /**
     * Checks who wrote messages, for one tailer.
     *
     * @throws QueueUnavailable if it cannot be checked now
     */
    SenderProof proof();

    /**
     * The high watermark.
     *
     * @throws QueueUnavailable if the cluster does not respond
     */
    long end(TopicPartition partition);

    /**
     * @throws QueueFailed if the topic was replaced by another one
     */
    default void mustBeTheSame() {}

    /** A tailer was closed. */
    default void forget(Object tailer) {}
  }

  /**
   * @param longestFetch how long a broker may keep a fetch while there are no messages
   */
  KafkaTailer(Source queue, int partition, Duration longestFetch) {
    this.queue = queue;
    this.partition = partition;
    topic = queue.topic(partition);
    proof = queue.proof();
    trustUnproven = queue.clients().options().trustUnproven();
    consumer = queue.clients().reading(topic.toString(), LONGEST_QUESTION, longestFetch);
    try {
      consumer.assign(Set.of(topic));
      moveTo(first());
    } catch (RuntimeException | Error e) {
      consumer.close();
      throw e;
    }
  }

  private long first() {
    return asked(() -> consumer.beginningOffsets(Set.of(topic)).get(topic));
  }

  /** The last stable offset: the end that the brokers report to a reader of committed messages. */
  private long stableEnd() {
    return asked(() -> consumer.endOffsets(Set.of(topic)).get(topic));
  }

  private long asked(Supplier<@Nullable Long> question) {
    try {
      return Objects.requireNonNull(question.get());
    } catch (WakeupException e) {
      return asked(question);
    } catch (TimeoutException e) {
      throw new QueueUnavailable("no broker reports %s: %s".formatted(topic, e.getMessage()), e);
    } catch (AuthenticationException | AuthorizationException e) {
      throw refused(e);
    }
  }

  private QueueUnavailable refused(KafkaException e) {
    return new QueueUnavailable(
        "partition %d of %s cannot be read: the Kafka brokers refuse this client: %s; retrying"
            .formatted(partition, queue, e.getMessage()),
        e);
  }

  @Override
  public int partition() {
    return partition;
  }

  @Override
  public long position() {
    lock.lock();
    try {
      checkOpen();
      return next < fetched.size() ? fetched.get(next).offset() : reached();
    } finally {
      lock.unlock();
    }
  }

  /** The position after the fetched messages and after the transaction markers that follow them. */
  private long reached() {
    try {
      position = consumer.position(topic, Duration.ZERO);
    } catch (TimeoutException | WakeupException e) {
      // the client looks for its broker; the last known position is still right
    } catch (AuthenticationException | AuthorizationException e) {
      throw refused(e);
    }
    return position;
  }

  @Override
  public long end() {
    return guarded(() -> queue.end(topic));
  }

  @Override
  public long readableEnd() {
    return guarded(this::stableEnd);
  }

  @Override
  public void seek(long position) {
    guarded(() -> {
      long first = first();
      long end = queue.end(topic);
      if (position < first || position > end) {
        throw new PositionOutOfRange(queue.name(), partition, position, first, end);
      }
      return moveTo(position);
    });
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
    consumer.seek(topic, to);
    position = to;
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
      queue.mustBeTheSame();
      int count = 0;
      while (found && count < max && !closed) {
        ConsumerRecord<ByteBuffer, ByteBuffer> record = fetched.get(next);
        handler.handle(record.offset(), message(record));
        position = record.offset() + 1;
        next++;
        count++;
        found = count < max && !closed && fetch(Duration.ZERO);
      }
      return count;
    } finally {
      leave();
    }
  }

  /** The message of a record, marked if it has no proof of its sender. */
  private ByteBuffer message(ConsumerRecord<ByteBuffer, ByteBuffer> record) {
    ByteBuffer value = record.value();
    if (value == null) {
      return NOTHING;
    }
    if (!trustUnproven && !proof.holds(Topic.proof(record), partition, value)) {
      UnprovenSender.mark(value);
    }
    return value.duplicate();
  }

  /** Fetches if all fetched messages were read; returns whether there are messages. */
  private boolean fetch(Duration atMost) {
    if (next < fetched.size()) {
      return true;
    }
    try {
      fetched = consumer.poll(atMost).records(topic);
      next = 0;
    } catch (WakeupException e) {
      // another thread woke this one
    } catch (OffsetOutOfRangeException e) {
      throw new PositionOutOfRange(queue.name(), partition, position, first(), queue.end(topic));
    } catch (InterruptException e) {
      // the thread stays interrupted; its owner checks that
    } catch (AuthenticationException | AuthorizationException e) {
      throw refused(e);
    } catch (KafkaException e) {
      throw new QueueFailed(
          "partition %d of %s cannot be read: %s".formatted(partition, queue, e.getMessage()), e);
    }
    return next < fetched.size();
  }

  @Override
  public void await(Duration atMost) {
    lock.lock();
    try {
      checkOpen();
      fetch(alone || atMost.compareTo(TURN) < 0 ? atMost : TURN);
    } finally {
      leave();
    }
  }

  @Override
  public void awaitAlso(List<Tailer> others) {
    alone = others.stream().allMatch(this::equals);
  }

  @Override
  public void wake() {
    consumer.wakeup();
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("this tailer of %s is closed".formatted(queue));
    }
  }

  /** A close by the handler takes effect here. */
  private void leave() {
    if (closed) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
    lock.unlock();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    queue.forget(this);
    if (lock.isHeldByCurrentThread()) {
      return;
    }
    consumer.wakeup();
    try {
      if (lock.tryLock(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        leave();
      } else {
        log.warn("{}: the handler of a tailer has not returned within {} s", queue, CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
