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
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueTrouble;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Retention;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.Verification;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A queue that is a topic. All its appenders share one producer, as Kafka advises. */
final class KafkaMessageQueue implements MessageQueue {

  private static final Duration CLOSE = Duration.ofSeconds(10);

  private final Wanted wanted;
  private final KafkaBackend.Options options;
  private final TopicHealth health;
  private final Figures figures;
  private final Consumer<KafkaMessageQueue> onClose;
  private final Set<KafkaAppender> appenders = ConcurrentHashMap.newKeySet();
  private final Set<TransactionalAppender> answering = ConcurrentHashMap.newKeySet();
  private final Set<KafkaTailer> tailers = ConcurrentHashMap.newKeySet();
  private final Map<String, KafkaSubscription> subscriptions = new HashMap<>();
  private final Map<Integer, QueueTrouble> refusals = new ConcurrentHashMap<>();
  private final CountDownLatch connecting = new CountDownLatch(1);
  private volatile @Nullable Connection connection;
  private volatile @Nullable QueueTrouble unconnected;
  private volatile boolean accepting = true;
  private volatile boolean closed;

  /** Set when the cluster has responded. */
  private record Connection(Topic topic, Producer<byte[], byte[]> producer, Topics topics) {}

  /**
   * How the queue was opened.
   *
   * @param kept the minimum time its messages must be kept
   */
  record Wanted(String queue, String topic, int partitions, Duration kept) {}

  KafkaMessageQueue(
      Wanted wanted,
      KafkaBackend.Options options,
      TopicHealth health,
      Figures figures,
      Consumer<KafkaMessageQueue> onClose) {
    this.wanted = wanted;
    this.options = options;
    this.health = health;
    this.figures = figures;
    this.onClose = onClose;
  }

  /**
   * Creates or checks the topic; from then on the queue can be used.
   *
   * @throws IllegalStateException if the topic cannot be used as it is
   * @throws QueueUnavailable if the cluster does not respond
   * @throws QueueFailed if the cluster refuses
   */
  void connect(Topics topics) {
    Topic topic = topics.open(wanted.topic(), wanted.partitions(), wanted.kept());
    Producer<byte[], byte[]> producer = producer(topic);
    synchronized (this) {
      if (closed) {
        producer.close(Duration.ZERO);
        return;
      }
      health.watch(topic, () -> knows(producer, topic));
      figures.watch(topic);
      connection = new Connection(topic, producer, topics);
      unconnected = null;
    }
    connecting.countDown();
  }

  /** Reports why {@link #connect} failed. */
  void unconnected(QueueTrouble trouble) {
    unconnected = trouble;
  }

  /** Waits until the queue is connected or closed. */
  boolean awaitConnected(Duration atMost) throws InterruptedException {
    return connecting.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * The producer never blocks an append: it refuses a message if its buffer is full or no broker is
   * known. It tries for ever to deliver an accepted message, in order and once (idempotence).
   */
  private Producer<byte[], byte[]> producer(Topic topic) {
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
        Clients.make(
            options,
            () ->
                new KafkaProducer<>(
                    options.with(own), new ByteArraySerializer(), new ByteArraySerializer()));
    boolean ready = false;
    try {
      awaitKnown(topic, made);
      ready = true;
      return made;
    } catch (KafkaException e) {
      throw new QueueFailed(
          "the Kafka brokers at %s refuse: %s".formatted(options.brokers(), e), e);
    } finally {
      if (!ready) {
        made.close(Duration.ZERO);
      }
    }
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
   * The client forgets its metadata when all brokers are unavailable, and then fails once with an
   * old refusal.
   */
  private static boolean knows(Producer<byte[], byte[]> producer, Topic topic) {
    try {
      return !producer.partitionsFor(topic.name()).isEmpty();
    } catch (KafkaException e) {
      return false;
    }
  }

  @Override
  public String name() {
    return wanted.queue();
  }

  @Override
  public String identity() {
    return topic().identity();
  }

  @Override
  public int partitions() {
    return wanted.partitions();
  }

  /** The level of the topic; the weakest level until the topic is known. */
  @Override
  public Capabilities capabilities() {
    Connection known = connection;
    return new Capabilities(
        known == null ? Level.PROCESS : known.topic().settings().level(),
        Retention.BY_TIME,
        false,
        Capabilities.MAX_MESSAGE_BYTES);
  }

  @Override
  public Optional<QueueTrouble> trouble() {
    Connection known = connection;
    return Optional.ofNullable(known == null ? unconnected : health.trouble(known.topic()));
  }

  @Override
  public boolean shared() {
    return true;
  }

  @Override
  public Optional<Duration> keptFor() {
    Connection known = connection;
    return known == null ? Optional.empty() : known.topic().settings().retention();
  }

  /** True only if the topic keeps messages for ever. */
  @Override
  public boolean keepsWhatIsNeeded() {
    Connection known = connection;
    return known != null && known.topic().settings().retention().isEmpty();
  }

  List<String> warnings() {
    Connection known = connection;
    return known == null
        ? List.of()
        : known.topic().settings().warnings().stream()
            .map(warning -> "topic %s: %s".formatted(wanted.topic(), warning))
            .toList();
  }

  /** The topic, as text for an operator. */
  String description() {
    Connection known = connection;
    return known == null
        ? "not connected"
        : "%s: %d replicas, %d of them for an acknowledgement, kept %s"
            .formatted(
                wanted.topic(),
                known.topic().settings().replication(),
                known.topic().settings().minInsync(),
                keptFor().map(it -> "for " + it.toHours() + " h").orElse("for ever"));
  }

  /**
   * @throws QueueUnavailable if the cluster has not responded yet
   */
  Topic topic() {
    Connection known = connection;
    if (known == null) {
      throw new QueueUnavailable(
          "%s is not connected: %s"
              .formatted(this, trouble().map(QueueTrouble::text).orElse("not yet")),
          null);
    }
    return known.topic();
  }

  /**
   * The high watermark: the end of the acknowledged messages, whether or not they can be read yet.
   *
   * @throws QueueUnavailable if the cluster does not respond
   */
  long end(TopicPartition partition) {
    Connection known = connection;
    if (known == null) {
      throw new QueueUnavailable(this + " is not connected", null);
    }
    Map<TopicPartition, Long> told =
        known.topics().ends(List.of(partition), IsolationLevel.READ_UNCOMMITTED);
    return Objects.requireNonNull(told.get(partition));
  }

  boolean isConnected() {
    return connection != null;
  }

  /** Null if the cluster has not responded yet. */
  @Nullable Producer<byte[], byte[]> producer() {
    Connection known = connection;
    return known == null ? null : known.producer();
  }

  /**
   * @throws QueueFailed if the topic was replaced by another one
   */
  void mustBeTheSame() {
    QueueTrouble lost = health.lost(topic());
    if (lost != null) {
      throw new QueueFailed(lost.text(), null);
    }
  }

  Groups groups() {
    return figures.groups();
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
    KafkaAppender appender = new KafkaAppender(this);
    appenders.add(appender);
    return appender;
  }

  /**
   * Uses a transactional id that belongs to the partition: a new appender fences the previous one,
   * on any host, and messages that the previous one had not committed are never read.
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
            "consumer %s has already subscribed to queue %s".formatted(consumer, name()));
      }
      KafkaSubscription subscription = new KafkaSubscription(this, consumer, listener);
      subscriptions.put(consumer, subscription);
      subscription.start();
      return subscription;
    }
  }

  /** Brokers and readers verify the CRC-32C of each batch of records. */
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
        "Kafka assigns the positions of queue " + name() + " itself");
  }

  /** Applies to this instance; other instances refuse when they work on the partition. */
  @Override
  public void refuse(int partition, String why) {
    refusals.put(partition, new QueueTrouble(QueueRefused.Reason.FAILED, why, Instant.now()));
  }

  @Override
  public void agreed(int partition) {
    refusals.remove(partition);
  }

  /** Why the consumer refuses appends to a partition; null if it does not. */
  @Nullable QueueTrouble refusal(int partition) {
    return refusals.get(partition);
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
    QueueStats.Refusal refusal =
        trouble()
            .or(() -> Optional.ofNullable(refusal(partition)))
            .map(it -> new QueueStats.Refusal(it.reason(), Double.NaN, it.since()))
            .orElse(null);
    Connection open = connection;
    TopicPartition asked = open == null ? null : open.topic().partition(partition);
    Figures.Partition known = asked == null ? null : figures.of(asked);
    return known == null || asked == null
        ? new QueueStats(
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            Map.of(),
            refusal)
        : new QueueStats(
            known.first(),
            known.end(),
            known.bytes(),
            known.end(),
            figures.groups().passed(asked),
            refusal,
            known.hold());
  }

  /** Asks the brokers. */
  @Override
  public OptionalLong passed(String consumer, int partition) {
    checkOpen();
    check(partition);
    Topic topic = topic();
    return Figures.passed(topic, partition, consumer, Objects.requireNonNull(connection).topics());
  }

  /** The last value that the brokers reported, at most about a second old. */
  @Override
  public QueueCounters counters(int partition) {
    QueueStats told = stats(partition);
    return new QueueCounters(told.end(), OptionalLong.empty());
  }

  void check(int partition) {
    if (partition < 0 || partition >= partitions()) {
      throw new IllegalArgumentException(
          "queue %s has no partition %d (partitions=%d)"
              .formatted(name(), partition, partitions()));
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("queue %s is closed".formatted(name()));
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
    Connection last;
    synchronized (this) {
      closed = true;
      last = connection;
    }
    connecting.countDown();
    if (last != null) {
      last.producer().close(CLOSE);
      figures.forget(last.topic());
    }
    appenders.forEach(KafkaAppender::end);
    List.copyOf(answering).forEach(TransactionalAppender::close);
    List.copyOf(tailers).forEach(KafkaTailer::close);
    onClose.accept(this);
  }

  @Override
  public String toString() {
    return "queue " + name();
  }
}
