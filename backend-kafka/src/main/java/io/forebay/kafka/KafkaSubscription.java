/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.background.Outage;
import io.forebay.machine.Machine;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.Ownership;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
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
 * its consumer reports; a service commits its offsets with its answers instead.
 */
final class KafkaSubscription implements Subscription, ConsumerRebalanceListener {

  private static final Logger log = LoggerFactory.getLogger(KafkaSubscription.class);

  /** The longest time until it notices an assignment, or that the cluster responds. */
  private static final Duration TURN = Duration.ofMillis(100);

  private static final Duration RETRY = Duration.ofMillis(500);
  private static final String RETRIES = "it joins again";

  /** The time limit for leaving the group. */
  private static final Duration LEAVE = Duration.ofSeconds(5);

  private static final Duration COMMIT = Duration.ofSeconds(2);

  private final KafkaMessageQueue queue;
  private final String consumer;
  private final PartitionListener listener;
  private final String membership;
  private final Outage outage;
  private final Thread thread;

  /** Null while it has not joined. */
  private volatile @Nullable KafkaConsumer<?, ?> member;

  /** The reported positions that are not committed. */
  private final Map<TopicPartition, Long> passed = new ConcurrentHashMap<>();

  /** The partitions that the listener was assigned, and which of its assignments that was. */
  private final Map<TopicPartition, Long> held = new ConcurrentHashMap<>();

  private long assignments;

  /** Which member of which generation it is, as of its last poll. */
  private volatile @Nullable ConsumerGroupMetadata generation;

  private volatile boolean rejoins;
  private volatile boolean closing;

  /** The failure of the membership; null again when the brokers have accepted the member. */
  private volatile @Nullable QueueOutage failure;

  KafkaSubscription(KafkaMessageQueue queue, String consumer, PartitionListener listener) {
    this.queue = queue;
    this.consumer = consumer;
    this.listener = listener;
    membership = "membership of consumer %s of %s in its group".formatted(consumer, queue);
    outage = new Outage(log, "The " + membership, RETRIES);
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("forebay-member-%s-%s".formatted(queue.name(), consumer))
            .unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      awaitConnected();
      while (!closing) {
        turn();
      }
    } finally {
      leave();
      queue.left(this);
    }
  }

  private void awaitConnected() {
    while (!closing && !queue.connection().isMade()) {
      LockSupport.parkNanos(TURN.toNanos()); // the cluster has not responded yet
    }
    if (!closing) {
      queue.connection().groups().join(consumer);
    }
  }

  /**
   * Polls as a member, and joins the group before if it has left. After a failure that cannot be
   * retried, Kafka's client stays open but never joins again, so it leaves.
   */
  private void turn() {
    try {
      if (rejoins) {
        rejoins = false;
        log.info("Consumer {} of {} leaves its group and joins again", consumer, queue);
        leave();
      }
      if (member == null) {
        join();
      }
      joined().poll(TURN);
      generation = joined().groupMetadata();
      commit(joined().assignment());
      if (failure != null && joined().groupMetadata().generationId() > 0) {
        failure = null; // the brokers have accepted the member
        outage.over();
      }
    } catch (WakeupException | InterruptException e) {
      // closing
    } catch (RuntimeException | Error e) {
      failed(e);
      if (!(e instanceof RetriableException)) {
        leave();
      }
      LockSupport.parkNanos(RETRY.toNanos());
    }
  }

  private void join() {
    String group = queue.connection().topic().group(consumer);
    KafkaConsumer<?, ?> made = queue.connection().topics().clients().member(group);
    made.subscribe(Set.of(queue.connection().topic().name()), this);
    member = made;
  }

  private KafkaConsumer<?, ?> joined() {
    return Objects.requireNonNull(member);
  }

  private void failed(Throwable e) {
    Throwable cause =
        Objects.requireNonNullElse(e.getCause(), e); // the client could not be created
    String why = String.valueOf(cause instanceof KafkaException ? cause.getMessage() : cause);
    QueueOutage before = failure;
    failure =
        new QueueOutage(
            QueueRefused.Reason.UNAVAILABLE,
            "the %s failed: %s; %s".formatted(membership, why, RETRIES),
            before == null ? Instant.now() : before.since());
    outage.failed(new QueueUnavailable(why, e));
  }

  @Override
  public Optional<QueueOutage> outage() {
    return Optional.ofNullable(failure);
  }

  /** Closes the member, which revokes its partitions; a failed one may not have reported that. */
  private void leave() {
    KafkaConsumer<?, ?> leaving = member;
    try {
      if (leaving != null) {
        leaving.close(CloseOptions.timeout(LEAVE));
      }
    } catch (RuntimeException | Error e) {
      log.warn(
          "Consumer group not left cleanly: {}; the brokers remove the member after"
              + " its session time-out",
          e.getMessage());
    }
    onPartitionsLost(Set.copyOf(held.keySet()));
    member = null;
  }

  /** Commits what was reported of these partitions; if that fails, it is committed later. */
  private void commit(Collection<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
    for (TopicPartition partition : partitions) {
      Long position = passed.remove(partition);
      if (position != null) {
        next.put(partition, new OffsetAndMetadata(position));
      }
    }
    try {
      if (!next.isEmpty()) {
        joined().commitSync(next, COMMIT);
      }
    } catch (KafkaException e) {
      log.debug("Offsets not committed", e);
      next.forEach((partition, offset) -> report(partition, offset.offset()));
    }
  }

  private void report(TopicPartition partition, long position) {
    if (held.containsKey(partition)) {
      passed.merge(partition, position, Math::max);
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    joined().pause(partitions);
    // Any position will do, since nothing is fetched. Without one, the client looks it up, in a
    // busy loop if no broker responds.
    partitions.forEach(partition -> joined().seek(partition, 0));
    generation = joined().groupMetadata();
    assignments++;
    partitions.forEach(passed::remove);
    partitions.forEach(partition -> held.put(partition, assignments));
    tell(partitions, listener::assigned);
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    tell(partitions, listener::revoking);
    tell(partitions, listener::revoked); // may still commit
    partitions.forEach(held::remove);
    if (!closing) {
      tell(partitions, queue::reassigned);
    }
    commit(partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
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
    return held.containsKey(queue.topic(partition))
        ? Ownership.owned()
        : queue.connection().groups().ownership(consumer, partition);
  }

  @Override
  public void rejoin() {
    rejoins = true;
  }

  /** This member as the owner of a partition, until that is revoked or lost. */
  GroupMember of(int partition) {
    TopicPartition owned = queue.topic(partition);
    return new GroupMember(this, owned, held.get(owned));
  }

  /** The generation of this member; null if the assignment has ended. */
  @Nullable ConsumerGroupMetadata generation(TopicPartition partition, Long assignment) {
    ConsumerGroupMetadata now = generation;
    return assignment.equals(held.get(partition)) ? now : null;
  }

  Optional<GroupOffset> offset(TopicPartition partition) {
    return queue.offset(consumer, partition.partition());
  }

  @Override
  public String consumer() {
    return consumer;
  }

  @Override
  public void passed(int partition, long position) {
    queue.checkPartition(partition);
    if (!thread.isAlive()) {
      throw new IllegalStateException(
          "consumer %s has left %s; it must subscribe again first".formatted(consumer, queue));
    }
    report(queue.topic(partition), position);
  }

  @Override
  public void close() {
    closing = true;
    KafkaConsumer<?, ?> joined = member;
    if (joined != null) {
      joined.wakeup();
    }
    if (Thread.currentThread() != thread) {
      Machine.awaitEnd(thread, Machine.FOREVER);
    }
  }
}
