/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Ownership;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueTrouble;
import io.forebay.queue.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A membership in a consumer group (KIP-848), and nothing else: it fetches no messages. What is
 * passed it commits, so that Kafka's own tools see the lag; nobody starts from there.
 */
final class KafkaSubscription implements Subscription, ConsumerRebalanceListener {

  private static final Logger log = LoggerFactory.getLogger(KafkaSubscription.class);

  /** What it is assigned it learns within that time. */
  private static final Duration TURN = Duration.ofMillis(100);

  private static final Duration RETRY = Duration.ofMillis(500);

  /** A failure that goes on is told again so often. */
  private static final Duration TELL_AGAIN = Duration.ofMinutes(1);

  /** How long it tries to tell the cluster that it leaves. */
  private static final Duration LEAVE = Duration.ofSeconds(5);

  private final KafkaMessageQueue queue;
  private final String consumer;
  private final PartitionListener listener;
  private volatile @Nullable KafkaConsumer<byte[], byte[]> member;
  private final Thread thread;
  private final Map<TopicPartition, Long> passed = new ConcurrentHashMap<>();
  private final Map<TopicPartition, Long> committed = new HashMap<>();

  /** What the listener believes to have. */
  private final Set<TopicPartition> held = ConcurrentHashMap.newKeySet();

  private volatile boolean closing;
  private volatile boolean left;

  /** Since its membership failed, until the brokers have it as a member again. */
  private volatile @Nullable QueueTrouble failure;

  private String told = "";
  private long toldNanos;

  KafkaSubscription(KafkaMessageQueue queue, String consumer, PartitionListener listener) {
    this.queue = queue;
    this.consumer = consumer;
    this.listener = listener;
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("forebay-member-%s-%s".formatted(queue.name(), consumer))
            .unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private KafkaConsumer<byte[], byte[]> join() {
    String group = queue.topic().group(consumer);
    Map<String, Object> own = new HashMap<>();
    own.put(ConsumerConfig.CLIENT_ID_CONFIG, "forebay-" + group);
    own.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    own.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
    own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
    own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    KafkaConsumer<byte[], byte[]> made =
        new KafkaConsumer<>(
            queue.options().with(own), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    made.subscribe(Set.of(queue.topic().name()), this);
    return made;
  }

  private void run() {
    try {
      awaitConnected();
      if (!closing) {
        queue.groups().join(queue.topic(), queue.topic().group(consumer));
      }
      begin();
      while (!closing) {
        if (!turn(joined())) {
          close(member);
          onPartitionsLost(Set.copyOf(held)); // a membership that failed may not have said so
          begin();
        }
      }
    } finally {
      close(member);
      left = true;
      queue.left(this);
      if (queue.isConnected()) {
        queue.groups().leave(queue.topic().group(consumer));
      }
    }
  }

  /** Whatever is in the way is told and waited for, as names that do not resolve. */
  private void begin() {
    while (!closing) {
      try {
        member = join();
        return;
      } catch (RuntimeException | Error e) {
        failed("cannot join yet", e);
        LockSupport.parkNanos(RETRY.toNanos());
      }
    }
  }

  private void awaitConnected() {
    try {
      while (!closing && !queue.awaitConnected(TURN)) {
        // the cluster has not responded yet
      }
    } catch (InterruptedException e) {
      closing = true;
    }
  }

  /**
   * @return false if the membership is over: after a failure that is not to be retried Kafka's
   *     client lives on, and never joins again
   */
  private boolean turn(KafkaConsumer<byte[], byte[]> member) {
    try {
      member.poll(TURN);
      commit(member);
      if (failure != null && member.groupMetadata().generationId() > 0) {
        failure = null; // the brokers have it as a member
      }
      return true;
    } catch (WakeupException | InterruptException e) {
      return true; // it is to close
    } catch (KafkaException e) {
      boolean goesOn = e instanceof RetriableException;
      failed(goesOn ? "failed and continues" : "failed and joins again", e);
      LockSupport.parkNanos(RETRY.toNanos());
      return goesOn;
    } catch (RuntimeException | Error e) {
      failed("failed and joins again", e);
      LockSupport.parkNanos(RETRY.toNanos());
      return false;
    }
  }

  private void failed(String what, Throwable e) {
    Throwable cause = Objects.requireNonNullElse(e.getCause(), e); // of a client that was not made
    String why = cause instanceof KafkaException ? cause.getMessage() : cause.toString();
    String text = "consumer %s of %s %s: %s".formatted(consumer, queue, what, why);
    QueueTrouble before = failure;
    failure =
        new QueueTrouble(
            QueueRefused.Reason.UNAVAILABLE, text, before == null ? Instant.now() : before.since());
    long now = System.nanoTime();
    if (!text.equals(told) || now - toldNanos > TELL_AGAIN.toNanos()) {
      log.warn("{}", text);
      told = text;
      toldNanos = now;
    }
  }

  @Override
  public Optional<QueueTrouble> trouble() {
    return Optional.ofNullable(failure);
  }

  /** Which revokes what is assigned. */
  private static void close(@Nullable KafkaConsumer<byte[], byte[]> member) {
    try {
      if (member != null) {
        member.close(CloseOptions.timeout(LEAVE));
      }
    } catch (RuntimeException | Error e) {
      log.warn(
          "Consumer group not left cleanly: {}; the brokers remove the member after"
              + " its session time-out",
          e.getMessage());
    }
  }

  private void commit(KafkaConsumer<byte[], byte[]> member) {
    Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
    Set<TopicPartition> assigned = member.assignment();
    passed.forEach((partition, position) -> {
      if (assigned.contains(partition) && committed.getOrDefault(partition, -1L) < position) {
        next.put(partition, new OffsetAndMetadata(position));
      }
    });
    if (!next.isEmpty()) {
      next.forEach((partition, offset) -> committed.put(partition, offset.offset()));
      member.commitAsync(next, this::committed);
    }
  }

  /** By its own thread, from a poll. */
  private void committed(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable Exception e) {
    if (e != null) {
      log.debug("Offsets not committed; retrying", e);
      offsets.keySet().forEach(committed::remove);
    }
  }

  private KafkaConsumer<byte[], byte[]> joined() {
    return Objects.requireNonNull(member);
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    joined().pause(partitions);
    // Any place will do, since nothing is fetched; without one it looks for it, and without a
    // broker in a busy loop.
    partitions.forEach(partition -> joined().seek(partition, 0));
    held.addAll(partitions);
    tell(partitions, listener::assigned);
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    partitions.forEach(held::remove);
    tell(partitions, listener::revoked);
    Map<TopicPartition, OffsetAndMetadata> last = new HashMap<>();
    for (TopicPartition partition : partitions) {
      Long position = passed.remove(partition);
      if (position != null) {
        last.put(partition, new OffsetAndMetadata(position));
      }
      committed.remove(partition);
    }
    try {
      if (!last.isEmpty()) {
        joined().commitSync(last, Duration.ofSeconds(2));
      }
    } catch (KafkaException e) {
      log.debug("Offsets not committed when partitions were revoked", e);
    }
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    partitions.forEach(passed::remove);
    partitions.forEach(committed::remove);
    partitions.forEach(held::remove);
    tell(partitions, listener::lost);
  }

  private void tell(Collection<TopicPartition> partitions, IntConsumer call) {
    for (TopicPartition partition : partitions) {
      try {
        call.accept(partition.partition());
      } catch (RuntimeException | Error e) {
        log.error("Consumer {} of {} failed at partition {}", consumer, queue, partition, e);
      }
    }
  }

  @Override
  public Ownership ownership(int partition) {
    if (!queue.isConnected()) {
      return Ownership.owned(); // the queue itself says why nothing goes on
    }
    TopicPartition asked = queue.topic().partition(partition);
    return held.contains(asked)
        ? Ownership.owned()
        : queue.groups().ownership(queue.topic().group(consumer), asked);
  }

  @Override
  public String consumer() {
    return consumer;
  }

  @Override
  public void passed(int partition, long position) {
    queue.check(partition);
    if (left) {
      throw new IllegalStateException(
          "consumer %s has left %s; it must subscribe again first".formatted(consumer, queue));
    }
    passed.merge(queue.topic().partition(partition), position, Math::max);
  }

  @Override
  public void close() {
    closing = true;
    KafkaConsumer<byte[], byte[]> joined = member;
    if (joined != null) {
      joined.wakeup();
    }
    if (Thread.currentThread() == thread) {
      return;
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
