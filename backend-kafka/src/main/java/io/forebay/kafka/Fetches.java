/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
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

  private static final Duration LONGEST_QUESTION = Duration.ofSeconds(5);

  private final KafkaTailer.Source queue;
  private final Duration longest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<TopicPartition, KafkaTailer> tailers = new HashMap<>();
  private volatile @Nullable KafkaConsumer<ByteBuffer, ByteBuffer> consumer;
  private long count;

  /**
   * @param longest how long a broker may keep a fetch while there are no messages
   */
  Fetches(KafkaTailer.Source queue, Duration longest) {
    this.queue = queue;
    this.longest = longest;
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
      consumer = queue.clients().reading(tailer.topic().toString(), LONGEST_QUESTION, longest);
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
   * Fetches for all tailers that hold no messages, and waits up to the given time for some. Does
   * not wait if a tailer holds messages that it has not read.
   */
  void await(Duration atMost) {
    boolean waiting = tailers.values().stream().anyMatch(KafkaTailer::holdsMessages);
    fetch(waiting ? Duration.ZERO : atMost);
  }

  /**
   * Fetches for all tailers that hold no messages.
   *
   * @throws QueueUnavailable if the brokers refuse this client
   * @throws QueueFailed if a record cannot be read
   */
  private void fetch(Duration atMost) {
    count++;
    consumer().resume(consumer().paused());
    consumer()
        .pause(
            tailers.values().stream()
                .filter(KafkaTailer::holdsMessages)
                .map(KafkaTailer::topic)
                .toList());
    try {
      ConsumerRecords<ByteBuffer, ByteBuffer> records = consumer().poll(atMost);
      for (TopicPartition partition : records.partitions()) {
        Objects.requireNonNull(tailers.get(partition)).receive(records.records(partition));
      }
    } catch (WakeupException e) {
      // another thread woke this one
    } catch (OffsetOutOfRangeException e) {
      e.partitions()
          .forEach(partition -> Objects.requireNonNull(tailers.get(partition)).outOfRange());
    } catch (InterruptException e) {
      // the thread stays interrupted; its owner checks that
    } catch (AuthenticationException | AuthorizationException e) {
      throw refused(e);
    } catch (KafkaException e) {
      throw new QueueFailed(cannotBeRead(e.getMessage()), e);
    }
  }

  QueueUnavailable refused(KafkaException e) {
    return new QueueUnavailable(
        cannotBeRead(
            "the Kafka brokers refuse this client: %s; retrying".formatted(e.getMessage())),
        e);
  }

  private String cannotBeRead(@Nullable String why) {
    return "%s cannot be read (partitions=%s): %s"
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
