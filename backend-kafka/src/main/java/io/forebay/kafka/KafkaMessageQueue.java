/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.QueueCounters;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Retention;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.Verification;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A queue that is a topic. All its appenders share one producer, as Kafka advises. */
final class KafkaMessageQueue implements MessageQueue {

  private static final Duration CLOSE = Duration.ofSeconds(10);

  private final String name;
  private final Topic topic;
  private final KafkaBackend.Options options;
  private final Figures figures;
  private final Consumer<KafkaMessageQueue> onClose;
  private final Producer<byte[], byte[]> producer;
  private final Set<KafkaAppender> appenders = ConcurrentHashMap.newKeySet();
  private final Set<TransactionalAppender> answering = ConcurrentHashMap.newKeySet();
  private final Set<KafkaTailer> tailers = ConcurrentHashMap.newKeySet();
  private final Map<String, KafkaSubscription> subscriptions = new HashMap<>();
  private volatile boolean accepting = true;
  private volatile boolean closed;

  KafkaMessageQueue(
      String name,
      Topic topic,
      KafkaBackend.Options options,
      Figures figures,
      Consumer<KafkaMessageQueue> onClose) {
    this.name = name;
    this.topic = topic;
    this.options = options;
    this.figures = figures;
    this.onClose = onClose;
    producer = producer();
    figures.watch(topic);
  }

  /**
   * It never blocks an append: what finds no room, or no broker known, is refused. What it has
   * taken it tries to deliver for ever, in order and once (idempotence).
   */
  private Producer<byte[], byte[]> producer() {
    Map<String, Object> own = new HashMap<>();
    own.put(ProducerConfig.CLIENT_ID_CONFIG, "forebay-" + topic.name());
    own.put(ProducerConfig.ACKS_CONFIG, "all");
    own.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    own.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    own.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    own.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
    own.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
    own.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, Duration.ofDays(365).toMillis());
    own.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Topics.MAX_RECORD_BYTES);
    own.put(ProducerConfig.BUFFER_MEMORY_CONFIG, options.bufferBytes());
    own.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 << 10);
    own.put(ProducerConfig.LINGER_MS_CONFIG, 1);
    Producer<byte[], byte[]> made =
        new KafkaProducer<>(
            options.with(own), new ByteArraySerializer(), new ByteArraySerializer());
    long begin = System.nanoTime();
    while (true) {
      try {
        made.partitionsFor(topic.name());
        return made;
      } catch (TimeoutException e) {
        if (System.nanoTime() - begin > Topics.PATIENCE.toNanos()) {
          made.close(Duration.ZERO);
          throw e;
        }
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String identity() {
    return topic.identity();
  }

  @Override
  public int partitions() {
    return topic.partitions();
  }

  @Override
  public Capabilities capabilities() {
    return new Capabilities(
        Level.REPLICATED, Retention.BY_TIME, false, Capabilities.MAX_MESSAGE_BYTES);
  }

  @Override
  public boolean shared() {
    return true;
  }

  Topic topic() {
    return topic;
  }

  KafkaBackend.Options options() {
    return options;
  }

  boolean accepts() {
    return accepting && !closed;
  }

  @Override
  public synchronized Appender appender() {
    checkOpen();
    KafkaAppender appender = new KafkaAppender(this, producer);
    appenders.add(appender);
    return appender;
  }

  /**
   * By transactions of an id that belongs to the partition: whoever begins with it ends the one
   * before, on whatever host, and what that one had not committed is never read.
   */
  @Override
  public Appender answers(int partition) {
    checkOpen();
    check(partition);
    TransactionalAppender appender = new TransactionalAppender(this, partition);
    synchronized (this) {
      checkOpen();
      answering.add(appender);
    }
    return appender;
  }

  @Override
  public Tailer tailer(int partition) {
    checkOpen();
    check(partition);
    KafkaTailer tailer = new KafkaTailer(this, partition);
    tailers.add(tailer);
    if (closed) {
      tailer.close();
      checkOpen();
    }
    return tailer;
  }

  @Override
  public Subscription subscribe(String consumer, PartitionListener listener) {
    synchronized (subscriptions) {
      checkOpen();
      if (subscriptions.containsKey(consumer)) {
        throw new IllegalStateException(
            "consumer %s has subscribed queue %s already".formatted(consumer, name));
      }
      KafkaSubscription subscription = new KafkaSubscription(this, consumer, listener);
      subscriptions.put(consumer, subscription);
      subscription.start();
      return subscription;
    }
  }

  /** Brokers and readers check what they store and fetch (CRC-32C of each batch of records). */
  @Override
  public Verification verify(int partition, long from) {
    try (Tailer tailer = tailer(partition)) {
      long first = tailer.position();
      tailer.toEnd();
      long end = tailer.position();
      return new Verification(Math.clamp(from, Math.min(first, end), end), end, null);
    }
  }

  @Override
  public void skipTo(int partition, long position) {
    throw new UnsupportedOperationException(
        "Kafka gives the positions of queue " + name + " itself");
  }

  @Override
  public void stopAccepting() {
    checkOpen();
    accepting = false;
  }

  @Override
  public QueueStats stats(int partition) {
    checkOpen();
    check(partition);
    Figures.Partition known = figures.of(topic.partition(partition));
    return known == null
        ? new QueueStats(
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            Map.of(),
            null)
        : new QueueStats(
            known.first(), known.end(), known.bytes(), known.end(), known.passed(), null);
  }

  /** As the brokers last told, perhaps a second ago. */
  @Override
  public QueueCounters counters(int partition) {
    QueueStats told = stats(partition);
    return new QueueCounters(told.end(), OptionalLong.empty());
  }

  void check(int partition) {
    if (partition < 0 || partition >= partitions()) {
      throw new IllegalArgumentException(
          "queue %s has no partition %d (partitions=%d)".formatted(name, partition, partitions()));
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("queue %s is closed".formatted(name));
    }
  }

  void forget(KafkaAppender appender) {
    appenders.remove(appender);
  }

  void forget(TransactionalAppender appender) {
    answering.remove(appender);
  }

  void forget(KafkaTailer tailer) {
    tailers.remove(tailer);
  }

  void left(KafkaSubscription subscription) {
    synchronized (subscriptions) {
      subscriptions.remove(subscription.consumer(), subscription);
    }
  }

  @Override
  public void close() {
    List<KafkaSubscription> members;
    synchronized (this) {
      synchronized (subscriptions) {
        if (closed) {
          return;
        }
        accepting = false;
        members = List.copyOf(subscriptions.values());
      }
    }
    members.forEach(KafkaSubscription::close);
    closed = true;
    producer.close(CLOSE);
    appenders.forEach(KafkaAppender::end);
    List.copyOf(answering).forEach(TransactionalAppender::close);
    List.copyOf(tailers).forEach(KafkaTailer::close);
    figures.forget(topic);
    onClose.accept(this);
  }

  @Override
  public String toString() {
    return "queue " + name;
  }
}
