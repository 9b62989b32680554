/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.sender.SenderProof;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topic of a queue, and the producer that all its appenders share, as Kafka advises. Both exist
 * from the moment when the cluster has responded. Thread-safe.
 */
final class Connection {

  private static final Logger log = LoggerFactory.getLogger(Connection.class);
  private static final Duration CLOSE = Duration.ofSeconds(10);

  /** A broker may briefly not know a topic. */
  private static final int MISSED_BEFORE_GONE = 3;

  private final Wanted wanted;
  private final Topics topics;
  private final Figures figures;
  private volatile @Nullable Made made;
  private volatile @Nullable QueueOutage outage;
  private volatile boolean replaced;
  private volatile boolean closed;

  /** How often brokers did not know the topic. Only for the thread of {@link Health}. */
  private int missed;

  private record Made(
      Topic topic, Producer<byte[], byte[]> producer, List<String> keys, Groups groups) {}

  /**
   * How the queue was opened.
   *
   * @param kept the minimum time its messages must be kept
   */
  record Wanted(String queue, String topic, int partitions, Duration kept) {}

  Connection(Wanted wanted, Topics topics, Figures figures) {
    this.wanted = wanted;
    this.topics = topics;
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
    Groups groups = new Groups(topics, topic);
    groups.readDrained();
    Producer<byte[], byte[]> producer = topics.clients().appending(topic.name());
    boolean used = false;
    try {
      List<PartitionInfo> _ = Topics.untilKnown(topic.name(), () -> known(topic, producer));
      synchronized (this) {
        if (!closed) {
          made = new Made(topic, producer, keys, groups);
          canBeUsed();
          used = true;
        }
      }
    } catch (KafkaException e) {
      throw topics.refused(e, e);
    } finally {
      if (!used) {
        producer.close(Duration.ZERO);
      }
    }
  }

  /** What a producer knows of the partitions; null if it has not learnt of them yet. */
  private static @Nullable List<PartitionInfo> known(
      Topic topic, Producer<byte[], byte[]> producer) {
    try {
      return producer.partitionsFor(topic.name());
    } catch (TimeoutException e) {
      return null;
    }
  }

  /** Called by {@link Health}. Logs news. */
  void cannotBeUsed(QueueOutage now) {
    QueueOutage before = outage;
    if (!closed && (before == null || !before.text().equals(now.text()))) {
      Instant since = before == null ? now.since() : before.since();
      outage = new QueueOutage(now.reason(), now.text(), since);
      if (now.reason() == QueueRefused.Reason.FAILED) {
        log.error("{} cannot be used: {}", this, now.text());
      } else {
        log.warn("{} cannot be used now: {}", this, now.text());
      }
    }
  }

  private void canBeUsed() {
    if (outage != null) {
      outage = null;
      log.info("{} can be used", this);
    }
  }

  /**
   * Compares the topic with what the brokers report. A topic that was deleted and created again has
   * another id, and its positions are meaningless to us. A broker may briefly report too few
   * partitions; the number never decreases. Called by {@link Health}.
   *
   * @param now null if there is no such topic
   */
  void compare(@Nullable TopicDescription now) {
    missed = now == null ? missed + 1 : 0;
    replaced = now != null ? !topic().isThat(now) : replaced;
    if (now == null) {
      if (missed >= MISSED_BEFORE_GONE) {
        fail(
            ("topic %s (id %s) no longer exists and its messages are lost; nothing is accepted or"
                    + " performed; stop the service, and see docs/kafka.md, \"A topic was deleted\"")
                .formatted(topic().name(), topic().identity()));
      }
    } else if (replaced) {
      fail(
          ("topic %s was deleted and created again: it has id %s, but the queue was opened with id"
                  + " %s; nothing is accepted, and nothing is performed from the new topic; stop the"
                  + " service, and see docs/kafka.md, \"A topic was deleted\"")
              .formatted(topic().name(), now.topicId(), topic().identity()));
    } else if (now.partitions().size() > topic().partitions()) {
      fail(
          ("topic %s now has %d partitions, but the queue was opened with %d, which cannot change"
                  + " while it is open; nothing is accepted; messages in the first %3$d partitions"
                  + " are performed, those in the new partitions are not; see docs/kafka.md,"
                  + " \"Partitions were added\"")
              .formatted(topic().name(), now.partitions().size(), topic().partitions()));
    } else if (outage != null && knowsBrokers()) {
      canBeUsed();
    }
  }

  private void fail(String why) {
    cannotBeUsed(new QueueOutage(QueueRefused.Reason.FAILED, why, Instant.now()));
  }

  /**
   * Whether its producer knows the brokers. It forgets them when all are unavailable, and then
   * fails once with an old refusal; it notices later than the admin client that they are available
   * again.
   */
  private boolean knowsBrokers() {
    Made known = mustBeMade();
    try {
      return !known.producer().partitionsFor(known.topic().name()).isEmpty();
    } catch (KafkaException e) {
      return false;
    }
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

  /** Why this queue cannot be used now. */
  Optional<QueueOutage> outage() {
    return Optional.ofNullable(outage);
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
              .formatted(this, outage().map(QueueOutage::text).orElse("not yet")),
          null);
    }
    return known;
  }

  /**
   * @throws QueueFailed if the topic was replaced by another one
   */
  void mustBeTheSame() {
    QueueOutage own = outage;
    if (replaced && own != null) {
      throw new QueueFailed(own.text(), null);
    }
  }

  QueueStats stats(int partition, QueueStats.@Nullable Refusal refusal) {
    Made known = made;
    return known == null
        ? Figures.unknown(refusal)
        : figures.of(known.topic().partition(partition), known.groups(), refusal);
  }

  Topics topics() {
    return topics;
  }

  /**
   * What group coordinators report for this queue.
   *
   * @throws QueueUnavailable if the cluster has not responded yet
   */
  Groups groups() {
    return mustBeMade().groups();
  }

  void close() {
    Made last;
    synchronized (this) {
      closed = true;
      last = made;
    }
    if (last != null) {
      last.producer().close(CLOSE);
    }
  }

  @Override
  public String toString() {
    return "queue " + wanted.queue();
  }
}
