/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueTrouble;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.sender.SenderProof;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The topic of a queue, and the producer that all its appenders share, as Kafka advises. Both exist
 * from the moment when the cluster has responded. Thread-safe.
 */
final class Connection {

  private static final Duration CLOSE = Duration.ofSeconds(10);

  private final Wanted wanted;
  private final Topics topics;
  private final Health health;
  private final Figures figures;
  private final CountDownLatch decided = new CountDownLatch(1);
  private volatile @Nullable Made made;
  private volatile @Nullable QueueTrouble trouble;
  private volatile boolean replaced;
  private boolean closed;

  private record Made(Topic topic, Producer<byte[], byte[]> producer, List<String> keys) {}

  /**
   * How the queue was opened.
   *
   * @param kept the minimum time its messages must be kept
   */
  record Wanted(String queue, String topic, int partitions, Duration kept) {}

  Connection(Wanted wanted, Topics topics, Health health, Figures figures) {
    this.wanted = wanted;
    this.topics = topics;
    this.health = health;
    this.figures = figures;
  }

  /**
   * Creates or checks the topic, and waits until the producer can use it.
   *
   * @param keys of senders
   * @throws IllegalStateException if the topic cannot be used as it is
   * @throws QueueUnavailable if the cluster does not respond
   * @throws QueueFailed if the cluster refuses
   */
  void connect(List<String> keys) {
    Topic topic = topics.open(wanted.topic(), wanted.partitions(), wanted.kept());
    groups().readDrained(topic);
    Producer<byte[], byte[]> producer = topics.clients().appending(topic.name());
    try {
      awaitKnown(topic, producer);
    } catch (KafkaException e) {
      producer.close(Duration.ZERO);
      throw topics.refused(e, e);
    } catch (RuntimeException | Error e) {
      producer.close(Duration.ZERO);
      throw e;
    }
    synchronized (this) {
      if (closed) {
        producer.close(Duration.ZERO);
        return;
      }
      groups().watch(topic);
      made = new Made(topic, producer, keys);
      trouble = null;
    }
    decided.countDown();
  }

  private static void awaitKnown(Topic topic, Producer<byte[], byte[]> producer) {
    long begin = System.nanoTime();
    while (true) {
      try {
        producer.partitionsFor(topic.name());
        return;
      } catch (TimeoutException e) {
        if (System.nanoTime() - begin > Topics.PATIENCE.toNanos()) {
          throw new QueueUnavailable("no broker reports topic " + topic.name(), e);
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /**
   * Whether its producer knows the brokers. It forgets them when all are unavailable, and then
   * fails once with an old refusal.
   */
  boolean isUsable() {
    Made known = mustBeMade();
    try {
      return !known.producer().partitionsFor(known.topic().name()).isEmpty();
    } catch (KafkaException e) {
      return false;
    }
  }

  /**
   * Called by {@link Health}.
   *
   * @return whether that is news
   */
  boolean cannotBeUsed(QueueRefused.Reason reason, String why) {
    QueueTrouble before = trouble;
    if (before != null && before.text().equals(why)) {
      return false;
    }
    trouble = new QueueTrouble(reason, why, before == null ? Instant.now() : before.since());
    return true;
  }

  /** Called by {@link Health}. */
  void canBeUsed() {
    trouble = null;
  }

  /** Called by {@link Health}: messages of another topic must not be performed. */
  void isReplaced(boolean value) {
    replaced = value;
  }

  /** Waits until the queue is connected or closed. */
  boolean await(Duration atMost) throws InterruptedException {
    return decided.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  Wanted wanted() {
    return wanted;
  }

  boolean isMade() {
    return made != null;
  }

  Optional<Topic.Settings> settings() {
    return Optional.ofNullable(made).map(known -> known.topic().settings());
  }

  Optional<QueueTrouble> trouble() {
    QueueTrouble own = trouble;
    return Optional.ofNullable(own == null && isMade() ? health.away() : own);
  }

  /** Why this queue cannot be used, although the cluster may respond; null if it can. */
  @Nullable QueueTrouble ownTrouble() {
    return trouble;
  }

  /** Null if the cluster has not responded yet. */
  @Nullable Producer<byte[], byte[]> producer() {
    Made known = made;
    return known == null ? null : known.producer();
  }

  /**
   * @throws QueueUnavailable if the cluster has not responded yet
   */
  Topic topic() {
    return mustBeMade().topic();
  }

  /**
   * Makes and checks proofs, for one thread.
   *
   * @throws QueueUnavailable if the cluster has not responded yet
   */
  SenderProof proof() {
    Made known = mustBeMade();
    return new SenderProof(known.topic().name(), known.keys());
  }

  private Made mustBeMade() {
    Made known = made;
    if (known == null) {
      throw new QueueUnavailable(
          "%s is not connected: %s"
              .formatted(this, trouble().map(QueueTrouble::text).orElse("not yet")),
          null);
    }
    return known;
  }

  /**
   * @throws QueueFailed if the topic was replaced by another one
   */
  void mustBeTheSame() {
    QueueTrouble own = trouble;
    if (replaced && own != null) {
      throw new QueueFailed(own.text(), null);
    }
  }

  /**
   * The high watermark: the end of the acknowledged messages, whether or not they can be read yet.
   *
   * @throws QueueUnavailable if the cluster does not respond
   */
  long end(TopicPartition partition) {
    return topics.end(partition);
  }

  QueueStats stats(int partition, QueueStats.@Nullable Refusal refusal) {
    Made known = made;
    return known == null
        ? Figures.unknown(refusal)
        : figures.of(known.topic().partition(partition), refusal);
  }

  Clients clients() {
    return topics.clients();
  }

  Groups groups() {
    return figures.groups();
  }

  void close() {
    Made last;
    synchronized (this) {
      closed = true;
      last = made;
    }
    decided.countDown();
    if (last != null) {
      last.producer().close(CLOSE);
      groups().forget(last.topic());
    }
  }

  @Override
  public String toString() {
    return "queue " + wanted.queue();
  }
}
