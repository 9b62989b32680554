/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.kafka.meters.ClientMeters;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.queue.stored.StoredQueues;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Queues as topics of a Kafka cluster: many hosts may append to them and share their partitions. An
 * accepted message is stored on at least {@code min.insync.replicas} replicas. It is deleted by
 * age, whether or not it was performed. Thread-safe.
 */
public final class KafkaBackend implements QueueBackend {

  /** How often the settings of open topics are read: retention may be changed meanwhile. */
  private static final Duration READ_AGAIN = Duration.ofMinutes(1);

  private final Options options;

  /**
   * An append is refused while an earlier one to the same partition has been unacknowledged for
   * this time, or when the cluster has not responded for this time.
   */
  static final Duration REFUSE_AFTER = Duration.ofSeconds(5);

  /**
   * The buffer of unacknowledged messages of a queue. An append is refused while its partition
   * takes more of it than is free.
   */
  static final long BUFFER_BYTES = 32L << 20;

  private final Topics topics;
  private final Health health;
  private final Figures figures;
  private final Map<String, KafkaMessageQueue> open = new ConcurrentSkipListMap<>();
  private boolean closed;

  /**
   * @param client properties of every Kafka client, such as {@code bootstrap.servers} and those of
   *     SASL and TLS
   * @param prefix of the names of topics and of consumer groups
   * @param replication of topics that are created; empty for the cluster's default
   * @param retention how long topics that are created keep messages
   * @param keys prove which messages an instance wrote
   * @param trustUnproven whether messages without a proof may name any sender
   */
  public record Options(
      Map<String, ?> client,
      String prefix,
      OptionalInt replication,
      Duration retention,
      SenderKeys keys,
      boolean trustUnproven) {

    /** The addresses of the brokers: {@code bootstrap.servers}. */
    String brokers() {
      return String.valueOf(client.get("bootstrap.servers"));
    }

    /**
     * The default options, with {@code bootstrap.servers}. All programs that can write to the
     * topics are trusted; see {@link #withKeys}.
     */
    public static Options of(String bootstrapServers) {
      return new Options(
          Map.of("bootstrap.servers", bootstrapServers),
          "",
          OptionalInt.empty(),
          Duration.ofDays(7),
          SenderKeys.NONE,
          true);
    }

    public Options {
      client = Map.copyOf(client);
    }

    /** Omits the properties, which may contain secrets. */
    @Override
    public String toString() {
      return "Kafka at " + brokers() + ", prefix " + prefix;
    }

    /** These options with another prefix of topics and groups. */
    public Options withPrefix(String other) {
      return new Options(client, other, replication, retention, keys, trustUnproven);
    }

    /**
     * These options with keys that only the instances have. The sender of a message without their
     * proof is {@code kafka:<name>}, whatever name it claims.
     */
    public Options withKeys(SenderKeys secret) {
      return new Options(client, prefix, replication, retention, secret, false);
    }

    /** These options with meters of all clients. */
    Options withMeters(ClientMeters meters) {
      return new Options(meters.addTo(client), prefix, replication, retention, keys, trustUnproven);
    }

    /**
     * The properties of all clients plus those of one kind of client; {@link OwnProperties} lists
     * the latter.
     */
    Map<String, Object> with(Map<String, Object> own) {
      assert OwnProperties.holds(own.keySet()) : "the configuration does not refuse all of " + own;
      Map<String, Object> all = new HashMap<>(client);
      all.putAll(own);
      return all;
    }
  }

  /**
   * @param readAgain how often the settings of open topics are read
   */
  KafkaBackend(Options options, Duration readAgain) {
    this.options = options;
    topics = new Topics(options);
    health =
        new Health(
            topics, () -> open.values().stream().map(KafkaMessageQueue::connection).toList());
    figures = new Figures(topics, health, readAgain);
  }

  /** Does not wait for the cluster; {@link #open} does. */
  public static KafkaBackend open(Options options) {
    return new KafkaBackend(options, READ_AGAIN);
  }

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public boolean isShared() {
    return true;
  }

  /**
   * {@inheritDoc}
   *
   * <p>If the cluster does not respond within a few seconds, or refuses this client, the queue is
   * opened nevertheless. It refuses messages with the reason, and starts to accept them as soon as
   * the cluster allows it. If the topic then proves unusable, the queue reports that until the
   * topic is corrected.
   *
   * @param kept applies only when the topic is created: its retention is set to the longer of this
   *     and the configured retention; after that, the topic's own setting decides
   */
  @Override
  public MessageQueue open(String name, int partitions, Duration kept) {
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "queue %s needs at least one partition (partitions=%d)".formatted(name, partitions));
    }
    synchronized (open) {
      if (closed) {
        throw new IllegalStateException("the Kafka backend is closed");
      }
      if (open.containsKey(name)) {
        throw new IllegalStateException(
            "queue %s is already open in this process; each service needs a name of its own"
                .formatted(name));
      }
      Connection connection =
          new Connection(
              new Connection.Wanted(name, options.prefix() + name, partitions, kept),
              topics,
              figures);
      health.open(connection);
      KafkaMessageQueue queue =
          new KafkaMessageQueue(connection, closing -> open.remove(name, closing));
      open.put(name, queue);
      return queue;
    }
  }

  /** Reads its topics from outside. */
  StoredQueues stored() {
    return new KafkaStoredQueues(topics);
  }

  @Override
  public void close() {
    List<KafkaMessageQueue> queues;
    synchronized (open) {
      if (closed) {
        return;
      }
      closed = true;
      queues = List.copyOf(open.values());
    }
    health.close();
    queues.forEach(KafkaMessageQueue::close);
    figures.close();
    topics.close();
  }
}
