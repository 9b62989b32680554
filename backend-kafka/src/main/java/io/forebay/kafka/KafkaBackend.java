/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Storage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Queues as topics of a Kafka cluster: many hosts may append to them and share their partitions. An
 * accepted message is on as many replicas as the topic demands ({@code min.insync.replicas}); it is
 * deleted by its age, whether or not it was performed. Thread-safe.
 */
public final class KafkaBackend implements QueueBackend {

  private final Options options;
  private final boolean shared;
  private final Topics topics;
  private final TopicHealth health;
  private final Disks disks;
  private final Figures figures;
  private final Connector connector;
  private final Map<String, KafkaMessageQueue> open = new TreeMap<>();
  private boolean closed;

  /**
   * @param client properties of every client, such as {@code bootstrap.servers} and those of SASL
   *     and TLS
   * @param prefix of the names of topics and of consumer groups
   * @param replication of topics that are created; empty for the cluster's default
   * @param retention how long topics that are created keep messages
   * @param refuseAfter an append is refused while one before it has not been acknowledged for so
   *     long
   * @param bufferBytes of messages that are not acknowledged yet, per queue; an append is refused
   *     while it is full
   */
  public record Options(
      Map<String, String> client,
      String prefix,
      OptionalInt replication,
      Duration retention,
      Duration refuseAfter,
      long bufferBytes) {

    /** The addresses at which the brokers are looked for: {@code bootstrap.servers}. */
    String brokers() {
      return String.valueOf(client.get("bootstrap.servers"));
    }

    /** The usual ones, with {@code bootstrap.servers}. */
    public static Options of(String bootstrapServers) {
      return new Options(
          Map.of("bootstrap.servers", bootstrapServers),
          "",
          OptionalInt.empty(),
          Duration.ofDays(7),
          Duration.ofSeconds(5),
          32L << 20);
    }

    public Options {
      client = Map.copyOf(client);
    }

    /** Without the properties, which may hold secrets. */
    @Override
    public String toString() {
      return "Kafka at " + brokers() + ", prefix " + prefix;
    }

    /** With a prefix of topics and groups. */
    public Options withPrefix(String other) {
      return new Options(client, other, replication, retention, refuseAfter, bufferBytes);
    }

    /**
     * Properties for a client of one kind, over the ones of all; {@link OwnProperties} has them.
     */
    Map<String, Object> with(Map<String, Object> own) {
      assert OwnProperties.holds(own.keySet()) : "the configuration does not refuse all of " + own;
      Map<String, Object> all = new HashMap<>(client);
      all.putAll(own);
      return all;
    }
  }

  /**
   * @param readAgain how often the settings of open topics are
   */
  KafkaBackend(Options options, boolean shared, Duration readAgain) {
    this.options = options;
    this.shared = shared;
    topics = new Topics(options);
    health = new TopicHealth(topics, options.refuseAfter());
    disks = new Disks(topics, Disks.EVERY);
    figures = new Figures(topics, health, disks, new Changes(topics, readAgain));
    connector = new Connector(topics);
  }

  /** Does not wait for the cluster; {@link #open} does. */
  public static KafkaBackend open(Options options) {
    return new KafkaBackend(options, true, Changes.EVERY);
  }

  /** On a cluster that ends with this process. */
  static KafkaBackend alone(Options options) {
    return new KafkaBackend(options, false, Changes.EVERY);
  }

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public boolean isShared() {
    return shared;
  }

  /**
   * {@inheritDoc}
   *
   * <p>If the cluster does not answer within a few seconds, or refuses this client, the queue is
   * opened nevertheless. It refuses messages, says why, and serves as soon as the cluster lets it.
   * If its topic then proves to be unfit, it says that, until it is.
   *
   * @param kept is not heeded: a topic keeps messages as long as its own retention says, and that
   *     is set when it is created, to the longer of the two
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
        throw new IllegalStateException("queue %s is open already".formatted(name));
      }
      KafkaMessageQueue queue =
          new KafkaMessageQueue(
              new KafkaMessageQueue.Wanted(name, options.prefix() + name, partitions, kept),
              options,
              health,
              figures,
              this::forget);
      connector.connect(queue);
      open.put(name, queue);
      return queue;
    }
  }

  /** Of the brokers: the fullest of the log directories that hold its topics. */
  @Override
  public Optional<Storage> storage() {
    return Optional.of(disks.storage());
  }

  /** Where its brokers are, in words for an operator. */
  String place() {
    String servers = "its brokers are found at " + options.brokers();
    return shared
        ? servers
        : servers + ", started by this process; forebay.kafka.bootstrap-servers is not heeded";
  }

  /** Those that are open now. */
  List<KafkaMessageQueue> queues() {
    synchronized (open) {
      return List.copyOf(open.values());
    }
  }

  private void forget(KafkaMessageQueue queue) {
    connector.forget(queue);
    synchronized (open) {
      open.remove(queue.name(), queue);
    }
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
    connector.close();
    queues.forEach(KafkaMessageQueue::close);
    figures.close();
    topics.close();
  }
}
