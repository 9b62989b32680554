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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
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
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
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
  private static final int LONGEST_QUESTION_MILLIS = 5_000;
  private static final Duration LONGEST_FETCH = Duration.ofMillis(20);

  /** The content of a record without a value, which another program may have written. */
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final KafkaMessageQueue queue;
  private final int partition;
  private final TopicPartition topic;
  private final KafkaConsumer<ByteBuffer, ByteBuffer> consumer;
  private final ReentrantLock lock = new ReentrantLock();
  private List<ConsumerRecord<ByteBuffer, ByteBuffer>> fetched = List.of();
  private int next;

  /**
   * The last position that the client reported; while the client looks for its broker, it reports
   * none.
   */
  private long position;

  private volatile boolean closed;

  KafkaTailer(KafkaMessageQueue queue, int partition) {
    this.queue = queue;
    this.partition = partition;
    topic = queue.topic().partition(partition);
    Map<String, Object> own = new HashMap<>();
    own.put(ConsumerConfig.CLIENT_ID_CONFIG, "forebay-" + topic);
    own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    own.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    own.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Math.toIntExact(LONGEST_FETCH.toMillis()));
    own.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 2_000);
    own.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 4 << 20);
    own.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, LONGEST_QUESTION_MILLIS);
    own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    consumer =
        Clients.make(
            queue.options(),
            () ->
                new KafkaConsumer<>(
                    queue.options().with(own),
                    new ByteBufferDeserializer(),
                    new ByteBufferDeserializer()));
    boolean ready = false;
    try {
      consumer.assign(Set.of(topic));
      moveTo(first());
      ready = true;
    } finally {
      if (!ready) {
        consumer.close();
      }
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
        "partition %d of %s cannot be read: the Kafka brokers refuse: %s; retrying"
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
    lock.lock();
    try {
      checkOpen();
      return queue.end(topic);
    } finally {
      leave();
    }
  }

  @Override
  public long readableEnd() {
    lock.lock();
    try {
      checkOpen();
      return stableEnd();
    } finally {
      leave();
    }
  }

  @Override
  public void seek(long position) {
    lock.lock();
    try {
      checkOpen();
      long first = first();
      long end = queue.end(topic);
      if (position < first || position > end) {
        throw new PositionOutOfRange(queue.name(), partition, position, first, end);
      }
      moveTo(position);
    } finally {
      leave();
    }
  }

  @Override
  public void toStart() {
    lock.lock();
    try {
      checkOpen();
      moveTo(first());
    } finally {
      leave();
    }
  }

  @Override
  public void toEnd() {
    lock.lock();
    try {
      checkOpen();
      moveTo(stableEnd());
    } finally {
      leave();
    }
  }

  private void moveTo(long to) {
    consumer.seek(topic, to);
    position = to;
    fetched = List.of();
    next = 0;
  }

  @Override
  public int poll(int max, MessageHandler handler) {
    lock.lock();
    try {
      checkOpen();
      fetch(Duration.ZERO);
      queue.mustBeTheSame();
      int count = 0;
      while (count < max && !closed && fetch(Duration.ZERO)) {
        ConsumerRecord<ByteBuffer, ByteBuffer> record = fetched.get(next);
        ByteBuffer value = record.value();
        handler.handle(record.offset(), value == null ? NOTHING : value.duplicate());
        position = record.offset() + 1;
        next++;
        count++;
      }
      return count;
    } finally {
      leave();
    }
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
      fetch(atMost);
    } finally {
      leave();
    }
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
        log.warn("{}: a tailer is still in its handler after {} s", queue, CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
