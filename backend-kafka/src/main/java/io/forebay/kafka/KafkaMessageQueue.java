/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.time.AppendTimes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A queue that is a topic. */
final class KafkaMessageQueue implements MessageQueue {

  private static final Duration FULL_RETRY = Duration.ofMillis(100);
  private static final Duration UNAVAILABLE_RETRY = Duration.ofSeconds(1);

  private final Connection connection;
  private final Consumer<KafkaMessageQueue> onClose;
  private final AppendTimes appendTimes;

  /** How to close each open tailer and each appender of answers. */
  private final Map<Object, Runnable> parts = new ConcurrentHashMap<>();

  private final List<Unacknowledged> unacknowledged;

  private final Map<String, KafkaSubscription> subscriptions = new HashMap<>();
  private final Map<Integer, Refusal> refusals = new ConcurrentHashMap<>();
  private volatile boolean accepting = true;
  private volatile boolean closed;

  /**
   * Why a partition is refused.
   *
   * @param untilMoved whether that ends when another instance takes the partition
   */
  private record Refusal(QueueOutage outage, boolean untilMoved) {

    static Refusal of(String why, boolean untilMoved) {
      return new Refusal(
          new QueueOutage(QueueRefused.Reason.FAILED, why, Instant.now()), untilMoved);
    }
  }

  KafkaMessageQueue(Connection connection, Consumer<KafkaMessageQueue> onClose) {
    this.connection = connection;
    this.onClose = onClose;
    this.appendTimes = new AppendTimes(connection.wanted().partitions());
    AtomicLong bytesOfQueue = new AtomicLong();
    this.unacknowledged =
        Stream.generate(() -> new Unacknowledged(bytesOfQueue))
            .limit(connection.wanted().partitions())
            .toList();
  }

  Connection connection() {
    return connection;
  }

  @Override
  public String name() {
    return connection.wanted().queue();
  }

  @Override
  public String identity() {
    return connection.topic().identity();
  }

  @Override
  public int partitions() {
    return connection.wanted().partitions();
  }

  @Override
  public AppendTimes appendTimes() {
    return appendTimes;
  }

  /** The level of the topic; the weakest level until the topic is known. */
  @Override
  public Capabilities capabilities() {
    return new Capabilities(
        connection.settings().map(Topic.Settings::level).orElse(Level.PROCESS),
        false,
        Capabilities.MAX_MESSAGE_BYTES);
  }

  @Override
  public Optional<QueueOutage> outage() {
    return connection.outage();
  }

  @Override
  public boolean shared() {
    return true;
  }

  @Override
  public Optional<Duration> keptFor() {
    return connection.settings().flatMap(Topic.Settings::retention);
  }

  /** True only if the topic keeps messages for ever. */
  @Override
  public boolean keepsWhatIsNeeded() {
    return connection.settings().filter(it -> it.retention().isEmpty()).isPresent();
  }

  boolean accepts() {
    return accepting && !closed;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public Appender appender() {
    checkOpen();
    return new KafkaAppender(this);
  }

  Unacknowledged unacknowledged(int partition) {
    return unacknowledged.get(partition);
  }

  @Override
  public Appender answers(int partition) {
    return answers(partition, (GroupMember) null);
  }

  @Override
  public Appender answers(int partition, Subscription consumer) {
    return answers(
        partition, consumer instanceof KafkaSubscription member ? member.of(partition) : null);
  }

  /**
   * Uses a transactional id that belongs to the partition: a new appender fences the previous one,
   * on any host, and messages that the previous one had not committed are never read.
   */
  private Appender answers(int partition, @Nullable GroupMember member) {
    checkOpen();
    checkPartition(partition);
    TransactionalAppender appender = new TransactionalAppender(this, partition, member);
    closeWithQueue(appender, appender::close);
    return appender;
  }

  private void closeWithQueue(Object part, Runnable close) {
    parts.put(part, close);
    if (closed) { // meanwhile
      close.run();
      checkOpen();
    }
  }

  @Override
  public Tailer tailer(int partition) {
    return tailer(partition, fetches(Fetches.SHORT));
  }

  /** They share a consumer. */
  @Override
  public IntFunction<Tailer> followers() {
    Fetches fetches = fetches(Fetches.LONG);
    return partition -> tailer(partition, fetches);
  }

  private Fetches fetches(Duration longest) {
    return new Fetches(name(), connection.topics(), longest);
  }

  private Tailer tailer(int partition, Fetches fetches) {
    checkOpen();
    checkPartition(partition);
    KafkaTailer tailer =
        new KafkaTailer(
            fetches, topic(partition), connection.proof(), connection::mustBeTheSame, this::forget);
    closeWithQueue(tailer, tailer::close);
    return tailer;
  }

  @Override
  public synchronized Subscription subscribe(String consumer, PartitionListener listener) {
    checkOpen();
    if (subscriptions.containsKey(consumer)) {
      throw new IllegalStateException(
          "consumer %s has already subscribed to queue %s".formatted(consumer, name()));
    }
    KafkaSubscription subscription = new KafkaSubscription(this, consumer, listener);
    subscriptions.put(consumer, subscription);
    subscription.start();
    return subscription;
  }

  @Override
  public void skipTo(int partition, long position) {
    throw new UnsupportedOperationException(
        "Kafka assigns the positions of queue " + name() + " itself");
  }

  /** Applies to this instance; other instances refuse when they work on the partition. */
  @Override
  public void refuse(int partition, String why) {
    refusals.put(partition, Refusal.of(why, false));
  }

  @Override
  public void refuseUntilMoved(int partition, String why) {
    refusals.putIfAbsent(partition, Refusal.of(why, true));
  }

  /** Another instance works on the partition now. */
  void reassigned(int partition) {
    refusals.computeIfPresent(partition, (_, refusal) -> refusal.untilMoved() ? null : refusal);
  }

  @Override
  public boolean drained(int partition) {
    connection.groups().drained(partition, true);
    return unacknowledged(partition).isEmpty();
  }

  /** Asks the brokers, because another instance may have drained it a moment ago. */
  @Override
  public void agreed(int partition) {
    if (connection.isMade()) {
      connection.groups().readDrained();
      if (isDrained(partition)) {
        connection.groups().drained(partition, false);
      }
    }
    refusals.remove(partition);
  }

  /** Why appends to a partition are refused; null if they are not. */
  @Nullable QueueOutage refusal(int partition) {
    Refusal refusal = refusals.get(partition);
    if (refusal != null) {
      return refusal.outage();
    }
    return isDrained(partition)
        ? new QueueOutage(
            QueueRefused.Reason.UNAVAILABLE,
            "partition %d was drained; it accepts messages when its service has started and reached its database"
                .formatted(partition),
            Instant.now())
        : null;
  }

  boolean isDrained(int partition) {
    return connection.isMade() && connection.groups().isDrained(partition);
  }

  @Override
  public void stopAccepting() {
    checkOpen();
    accepting = false;
  }

  @Override
  public QueueStats stats(int partition) {
    checkOpen();
    checkPartition(partition);
    QueueStats.Refusal refusal =
        outage()
            .or(() -> Optional.ofNullable(refusal(partition)))
            .map(it -> new QueueStats.Refusal(it.reason(), Double.NaN, it.since()))
            .orElse(null);
    return connection.stats(partition, refusal);
  }

  /** Asks the brokers. */
  @Override
  public Optional<GroupOffset> offset(String consumer, int partition) {
    checkOpen();
    checkPartition(partition);
    return connection.groups().offset(consumer, partition);
  }

  /**
   * A copy of a message to append.
   *
   * @throws QueueRefused if it is too large
   */
  byte[] content(ByteBuffer message) {
    if (message.remaining() > Capabilities.MAX_MESSAGE_BYTES) {
      throw refused(
          QueueRefused.Reason.TOO_LARGE,
          "a message of %,d bytes is too large (limit=%,d)"
              .formatted(message.remaining(), Capabilities.MAX_MESSAGE_BYTES));
    }
    byte[] bytes = new byte[message.remaining()];
    message.get(message.position(), bytes);
    return bytes;
  }

  QueueRefused refused(QueueRefused.Reason reason, String why) {
    return new QueueRefused(
        reason,
        reason == QueueRefused.Reason.FULL ? 1 : Double.NaN,
        switch (reason) {
          case FULL -> FULL_RETRY;
          case UNAVAILABLE -> UNAVAILABLE_RETRY;
          default -> Duration.ZERO;
        },
        "%s refused a message: %s; nothing was written".formatted(this, why));
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("queue %s is closed".formatted(name()));
    }
  }

  TopicPartition topic(int partition) {
    return connection.topic().partition(partition);
  }

  /** The tailer or appender of answers was closed. */
  void forget(Object part) {
    parts.remove(part);
  }

  synchronized void left(KafkaSubscription subscription) {
    subscriptions.remove(subscription.consumer(), subscription);
  }

  @Override
  public void close() {
    List<KafkaSubscription> members;
    synchronized (this) {
      if (closed) {
        return;
      }
      accepting = false;
      members = List.copyOf(subscriptions.values());
    }
    members.forEach(KafkaSubscription::close);
    closed = true;
    connection.close();
    List.copyOf(parts.values()).forEach(Runnable::run);
    onClose.accept(this);
  }

  @Override
  public String toString() {
    return "queue " + name();
  }
}
