/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.GroupOffset;
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
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of a consumer group (KIP-848) that fetches no messages. It commits the positions that
 * the consumer has passed, so that Kafka's own tools show the lag; no consumer starts from them.
 */
final class KafkaSubscription implements Subscription, ConsumerRebalanceListener {

  private static final Logger log = LoggerFactory.getLogger(KafkaSubscription.class);

  /** The longest time until it notices an assignment. */
  private static final Duration TURN = Duration.ofMillis(100);

  private static final Duration RETRY = Duration.ofMillis(500);

  /** How often a lasting failure is logged again. */
  private static final Duration TELL_AGAIN = Duration.ofMinutes(1);

  /** The time limit for leaving the group. */
  private static final Duration LEAVE = Duration.ofSeconds(5);

  private final KafkaMessageQueue queue;
  private final String consumer;
  private final PartitionListener listener;
  private volatile @Nullable KafkaConsumer<?, ?> member;
  private final Thread thread;
  private final Map<TopicPartition, Long> passed = new ConcurrentHashMap<>();
  private final Map<TopicPartition, Long> committed = new HashMap<>();

  /** The partitions that the listener was assigned, and which of its assignments that was. */
  private final Map<TopicPartition, Long> held = new ConcurrentHashMap<>();

  private long assignments;

  /** Which member of which generation it is, as of its last poll. */
  private volatile @Nullable ConsumerGroupMetadata generation;

  private volatile boolean rejoins;
  private volatile boolean closing;
  private volatile boolean left;

  /** The failure of the membership; null again when the brokers have accepted the member. */
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

  private KafkaConsumer<?, ?> join() {
    KafkaConsumer<?, ?> made =
        queue.connection().clients().member(queue.connection().topic().group(consumer));
    made.subscribe(Set.of(queue.connection().topic().name()), this);
    return made;
  }

  private void run() {
    try {
      awaitConnected();
      if (!closing) {
        queue
            .connection()
            .groups()
            .join(queue.connection().topic(), queue.connection().topic().group(consumer));
      }
      begin();
      while (!closing) {
        if (!turn(joined())) {
          close(member);
          onPartitionsLost(
              Set.copyOf(held.keySet())); // a failed membership may not have reported it
          begin();
        }
      }
    } finally {
      close(member);
      left = true;
      queue.left(this);
      if (queue.connection().isMade()) {
        queue.connection().groups().leave(queue.connection().topic().group(consumer));
      }
    }
  }

  /**
   * Joins the group; reports each failure, such as a host name that does not resolve, and retries.
   */
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
      while (!closing && !queue.connection().await(TURN)) {
        // the cluster has not responded yet
      }
    } catch (InterruptedException e) {
      closing = true;
    }
  }

  /**
   * @return false if the membership is over: it is to rejoin, or after a failure that cannot be
   *     retried, Kafka's client stays open but never joins again
   */
  private boolean turn(KafkaConsumer<?, ?> member) {
    if (rejoins) {
      rejoins = false;
      log.info("Consumer {} of {} leaves its group and joins again", consumer, queue);
      return false;
    }
    try {
      member.poll(TURN);
      generation = member.groupMetadata();
      commit(member);
      if (failure != null && member.groupMetadata().generationId() > 0) {
        failure = null; // the brokers have accepted the member
      }
      return true;
    } catch (WakeupException | InterruptException e) {
      return true; // closing
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
    Throwable cause =
        Objects.requireNonNullElse(e.getCause(), e); // the client could not be created
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

  /** Closes the member, which revokes its partitions. */
  private static void close(@Nullable KafkaConsumer<?, ?> member) {
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

  private void commit(KafkaConsumer<?, ?> member) {
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

  /** Called by the thread of this subscription during a poll. */
  private void committed(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable Exception e) {
    if (e != null) {
      log.debug("Offsets not committed; retrying", e);
      committed.clear(); // the client may not say which
    }
  }

  private KafkaConsumer<?, ?> joined() {
    return Objects.requireNonNull(member);
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    joined().pause(partitions);
    // Any position will do, since nothing is fetched. Without one, the client looks it up, in a
    // busy loop if no broker responds.
    partitions.forEach(partition -> joined().seek(partition, 0));
    generation = joined().groupMetadata();
    assignments++;
    partitions.forEach(partition -> held.put(partition, assignments));
    tell(partitions, listener::assigned);
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    listener.revoking(partitions.stream().map(TopicPartition::partition).toList());
    tell(partitions, listener::revoked); // may still commit
    partitions.forEach(held::remove);
    if (!closing) {
      tell(partitions, queue::reassigned);
    }
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
    tell(partitions, queue::reassigned);
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
    if (!queue.connection().isMade()) {
      return Ownership.owned(); // the queue reports its own failure
    }
    TopicPartition asked = queue.connection().topic().partition(partition);
    return held.containsKey(asked)
        ? Ownership.owned()
        : queue.connection().groups().ownership(queue.connection().topic().group(consumer), asked);
  }

  @Override
  public void rejoin() {
    rejoins = true;
  }

  /** This member as the owner of a partition, until that is revoked or lost. */
  GroupMember of(int partition) {
    TopicPartition owned = queue.topic(partition);
    Long assignment = held.get(owned);
    return new GroupMember() {
      @Override
      public TopicPartition partition() {
        return owned;
      }

      @Override
      public @Nullable ConsumerGroupMetadata generation() {
        ConsumerGroupMetadata now = generation;
        return assignment != null && assignment.equals(held.get(owned)) ? now : null;
      }

      @Override
      public Optional<GroupOffset> committed() {
        return queue.offset(consumer, partition);
      }
    };
  }

  @Override
  public String consumer() {
    return consumer;
  }

  @Override
  public void passed(int partition, long position) {
    queue.checkPartition(partition);
    if (left) {
      throw new IllegalStateException(
          "consumer %s has left %s; it must subscribe again first".formatted(consumer, queue));
    }
    passed.merge(queue.connection().topic().partition(partition), position, Math::max);
  }

  @Override
  public void close() {
    closing = true;
    KafkaConsumer<?, ?> joined = member;
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
