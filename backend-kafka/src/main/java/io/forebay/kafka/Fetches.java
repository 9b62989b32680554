/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * The consumer of the tailers of one thread, each of a different partition; without a group, and
 * only of committed messages. It exists while one of them is open. All methods except {@link #wake}
 * need the {@link #lock}, because a queue may close its tailers from another thread.
 */
final class Fetches {

  /** For a tailer that seeks: its requests to a broker wait until the current fetch ends. */
  static final Duration SHORT = Duration.ofMillis(20);

  /** For tailers that wait for new messages: a fetch costs 0.3 ms of CPU time. */
  static final Duration LONG = Duration.ofMillis(500);

  private static final Duration PAUSE = Duration.ofMillis(1);

  private final String queue;
  private final Topics topics;
  private final Duration longest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<TopicPartition, KafkaTailer> tailers = new HashMap<>();
  private volatile @Nullable KafkaConsumer<ByteBuffer, ByteBuffer> consumer;
  private long count;

  /**
   * @param longest how long a broker may keep a fetch while there are no messages
   */
  Fetches(String queue, Topics topics, Duration longest) {
    this.queue = queue;
    this.topics = topics;
    this.longest = longest;
  }

  /** The name of the queue. */
  String queue() {
    return queue;
  }

  Topics topics() {
    return topics;
  }

  ReentrantLock lock() {
    return lock;
  }

  KafkaConsumer<ByteBuffer, ByteBuffer> consumer() {
    return Objects.requireNonNull(consumer);
  }

  /** How many fetches there were, each for all tailers. */
  long count() {
    return count;
  }

  /** Adds a tailer, which must seek before the next fetch. */
  void add(KafkaTailer tailer) {
    if (consumer == null) {
      consumer = topics.clients().reading(tailer.topic().toString(), longest);
    }
    tailers.put(tailer.topic(), tailer);
    consumer().assign(tailers.keySet());
  }

  /** Ends its use of the consumer; does nothing if it has ended. */
  void remove(KafkaTailer tailer) {
    if (!tailers.remove(tailer.topic(), tailer)) {
      return;
    }
    if (tailers.isEmpty()) {
      consumer().close(CloseOptions.timeout(Duration.ZERO));
      consumer = null;
    } else {
      consumer().assign(tailers.keySet());
    }
  }

  /**
   * Fetches for all tailers, and waits up to the given time for messages. Hardly waits if a tailer
   * holds messages that it has not read.
   *
   * @throws QueueUnavailable if the brokers refuse this client
   * @throws QueueFailed if a record cannot be read
   */
  void await(Duration atMost) {
    if (!mayFetch()) {
      return;
    }
    boolean held = tailers.values().stream().anyMatch(KafkaTailer::holdsMessages);
    boolean found = fetch(held ? Duration.ZERO : atMost);
    if (held && !found && atMost.isPositive()) {
      // the reader of the held messages cannot take them yet
      LockSupport.parkNanos(Math.min(atMost.toNanos(), PAUSE.toNanos()));
    }
  }

  /**
   * Pauses the partitions of full tailers that do not read; false if a full one is reading.
   *
   * <p>A paused partition is not in the next request to its broker, which the broker keeps for up
   * to {@link #longest} if the other partitions have no messages; until then the client sends no
   * other one. So a partition that is read is never paused.
   */
  private boolean mayFetch() {
    List<TopicPartition> stopped = new ArrayList<>();
    boolean isReading = false;
    for (KafkaTailer tailer : tailers.values()) {
      boolean hasRead = tailer.hasRead();
      if (tailer.isFull()) {
        stopped.add(tailer.topic());
        isReading |= hasRead;
      }
    }
    if (!isReading) {
      consumer().resume(consumer().paused());
      consumer().pause(stopped);
    }
    return !isReading;
  }

  /** Returns whether there were messages. */
  private boolean fetch(Duration atMost) {
    count++;
    try {
      ConsumerRecords<ByteBuffer, ByteBuffer> records = consumer().poll(atMost);
      for (TopicPartition partition : records.partitions()) {
        Objects.requireNonNull(tailers.get(partition)).receive(records.records(partition));
      }
      return !records.isEmpty();
    } catch (WakeupException e) {
      // another thread woke this one
    } catch (OffsetOutOfRangeException e) {
      e.partitions().forEach(partition -> Objects.requireNonNull(tailers.get(partition)).lacks(e));
    } catch (InterruptException e) {
      // the thread stays interrupted; its owner checks that
    } catch (AuthenticationException | AuthorizationException e) {
      throw refused(e);
    } catch (KafkaException e) {
      throw new QueueFailed(cannotBeRead(e.getMessage()), e);
    }
    return false;
  }

  QueueUnavailable refused(KafkaException e) {
    return new QueueUnavailable(
        cannotBeRead(
            "the Kafka brokers refuse this client: %s; retrying".formatted(e.getMessage())),
        e);
  }

  private String cannotBeRead(@Nullable String why) {
    return "queue %s cannot be read (partitions=%s): %s"
        .formatted(
            queue, tailers.keySet().stream().map(TopicPartition::partition).sorted().toList(), why);
  }

  /** Ends a wait; any thread may call it. */
  void wake() {
    KafkaConsumer<?, ?> waiting = consumer;
    if (waiting != null) {
      waiting.wakeup();
    }
  }
}
