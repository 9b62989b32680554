/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Capabilities;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates topics and checks existing ones. Thread-safe. */
final class Topics implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Topics.class);

  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The time-out of requests that are repeated soon. */
  static final int QUICK_MILLIS = 3_000;

  /** The time-out of a first request, which must connect and which nothing repeats. */
  static final int CONNECT_MILLIS = 10_000;

  /** With this many replicas, a message survives the loss of one. */
  static final int SAFE_REPLICAS = 2;

  /** The largest message plus the overhead of a batch of one record. */
  static final int MAX_RECORD_BYTES =
      Capabilities.MAX_MESSAGE_BYTES + (Capabilities.MAX_MESSAGE_BYTES >> 2);

  private static final String TRANSACTION_VERSION = "transaction.version";
  private static final int LEAST_TRANSACTION_VERSION = 2;

  private static final String NOT_RESPONDING = "the Kafka brokers are not responding";

  private final Clients clients;
  private final KafkaBackend.Options options;
  private @Nullable Admin admin;

  Topics(KafkaBackend.Options options) {
    this.options = options;
    clients = new Clients(options);
  }

  Clients clients() {
    return clients;
  }

  /**
   * Created at first use, so that a process can start before its brokers' names resolve.
   *
   * @throws QueueUnavailable if it cannot be created
   */
  synchronized Admin admin() {
    if (admin == null) {
      admin = clients.admin();
    }
    return admin;
  }

  /**
   * Opens the topic; creates it if it does not exist.
   *
   * @throws IllegalStateException if it exists but cannot be used as it is
   * @throws QueueUnavailable if the cluster does not respond
   * @throws QueueFailed if the cluster refuses, for example because it does not know this client
   */
  Topic open(String name, int partitions, Duration kept) {
    mustEndTransactions();
    TopicDescription topic = describe(name);
    if (topic == null) {
      create(name, partitions, kept);
      topic = untilKnown(name, () -> describeUsable(name, partitions));
    }
    return new Topic(
        topic,
        config(name),
        new TopicCheck(partitions, options.replication(), kept, options.retention()));
  }

  /**
   * Without this feature (KIP-890), a late message of an ended transaction could become part of the
   * next one.
   */
  private void mustEndTransactions() {
    FinalizedVersionRange version =
        get(admin().describeFeatures().featureMetadata())
            .finalizedFeatures()
            .get(TRANSACTION_VERSION);
    int level = version == null ? 0 : version.maxVersionLevel();
    if (level < LEAST_TRANSACTION_VERSION) {
      throw new IllegalStateException(
          ("the Kafka cluster at %s has transaction.version=%d; set it to %d with kafka-features.sh,"
                  + " see docs/kafka.md")
              .formatted(options.brokers(), level, LEAST_TRANSACTION_VERSION));
    }
  }

  /**
   * Reads the settings of an open topic again, unless it was deleted.
   *
   * @throws QueueUnavailable if the cluster does not respond
   * @throws QueueFailed if the cluster refuses
   */
  void readAgain(Topic open) {
    TopicDescription now = describe(open.name());
    if (now != null) {
      open.read(now, config(open.name()));
    }
  }

  /**
   * @throws QueueUnavailable also if the broker that is asked does not know the topic, which can
   *     happen shortly after it was created
   */
  Config config(String topic) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    DescribeConfigsOptions quick = new DescribeConfigsOptions().timeoutMs(QUICK_MILLIS);
    try {
      return Objects.requireNonNull(
          get(admin().describeConfigs(List.of(resource), quick).all()).get(resource));
    } catch (UnknownTopicOrPartitionException e) {
      throw notKnown(topic, e);
    }
  }

  /**
   * @throws QueueUnavailable if no broker responds
   */
  void mustAnswer() {
    get(admin().describeCluster(new DescribeClusterOptions().timeoutMs(QUICK_MILLIS)).clusterId());
  }

  /** The description of the topic; null if it does not exist. */
  @Nullable TopicDescription describe(String name) {
    return describe(List.of(name)).get(name);
  }

  /** The description of each topic; null if it does not exist. */
  Map<String, @Nullable TopicDescription> describe(Collection<String> names) {
    Map<String, @Nullable TopicDescription> told = new HashMap<>();
    admin()
        .describeTopics(names, new DescribeTopicsOptions().timeoutMs(QUICK_MILLIS))
        .topicNameValues()
        .forEach((name, description) -> {
          try {
            told.put(name, get(description));
          } catch (UnknownTopicOrPartitionException e) {
            told.put(name, null);
          }
        });
    return told;
  }

  /**
   * The high watermark of a partition.
   *
   * @throws QueueUnavailable if the partition's broker does not respond
   * @throws QueueFailed if the cluster refuses
   */
  long end(TopicPartition partition) {
    return offset(partition, OffsetSpec.latest());
  }

  /** The position of the first message kept; throws as {@link #end}. */
  long begin(TopicPartition partition) {
    return offset(partition, OffsetSpec.earliest());
  }

  private long offset(TopicPartition partition, OffsetSpec spec) {
    return offset(ask(List.of(partition), spec, IsolationLevel.READ_UNCOMMITTED), partition);
  }

  /** Asks for offsets of partitions, with a short time-out, and does not wait for the answers. */
  ListOffsetsResult ask(
      Collection<TopicPartition> partitions, OffsetSpec spec, IsolationLevel level) {
    return admin()
        .listOffsets(
            partitions.stream().collect(Collectors.toMap(Function.identity(), _ -> spec)),
            new ListOffsetsOptions(level).timeoutMs(QUICK_MILLIS));
  }

  /**
   * Waits for the answer of one partition, whose broker may be the only one that does not respond.
   *
   * @throws QueueUnavailable if the partition's broker does not respond
   * @throws QueueFailed if the cluster refuses
   */
  long offset(ListOffsetsResult asked, TopicPartition partition) {
    return get(asked.partitionResult(partition)).offset();
  }

  private void create(String name, int partitions, Duration kept) {
    Duration retention = kept.compareTo(options.retention()) > 0 ? kept : options.retention();
    Map<String, String> configs = new HashMap<>();
    configs.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(MAX_RECORD_BYTES));
    configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    configs.put(TopicConfig.RETENTION_BYTES_CONFIG, "-1");
    configs.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, TopicCheck.BROKER_TIME);
    configs.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(retention.toMillis()));
    Optional<Short> factor =
        options.replication().isPresent()
            ? Optional.of((short) options.replication().getAsInt())
            : Optional.empty();
    NewTopic topic = new NewTopic(name, Optional.of(partitions), factor).configs(configs);
    try {
      if (options.replication().orElseGet(() -> usualReplicas(topic)) >= SAFE_REPLICAS) {
        configs.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(SAFE_REPLICAS));
      }
      get(admin().createTopics(List.of(topic)).all());
      log.info(
          "Topic {} created (partitions={}, retention={})",
          name,
          partitions,
          Formats.duration(retention));
    } catch (TopicExistsException e) {
      log.debug("Topic {} was created by another instance", name);
    }
  }

  /** The number that the cluster would choose, if this client may know it. */
  private int usualReplicas(NewTopic topic) {
    CreateTopicsOptions asking = new CreateTopicsOptions().validateOnly(true);
    try {
      return get(admin().createTopics(List.of(topic), asking).replicationFactor(topic.name()));
    } catch (QueueFailed e) {
      log.debug("The cluster does not report its default replication", e);
      return 1;
    }
  }

  private @Nullable TopicDescription describeUsable(String name, int partitions) {
    TopicDescription found = describe(name);
    return found != null
            && found.partitions().size() == partitions
            && found.partitions().stream().allMatch(it -> it.leader() != null)
        ? found
        : null;
  }

  /**
   * Repeats a question until it has an answer: brokers know a new topic after a short delay.
   *
   * @throws QueueUnavailable if that takes too long
   */
  static <T> T untilKnown(String topic, Supplier<@Nullable T> question) {
    long begin = System.nanoTime();
    T answer = question.get();
    while (answer == null) {
      if (System.nanoTime() - begin > PATIENCE.toNanos()) {
        throw notKnown(topic, null);
      }
      LockSupport.parkNanos(5_000_000);
      answer = question.get();
    }
    return answer;
  }

  private static QueueUnavailable notKnown(String topic, @Nullable Exception e) {
    return new QueueUnavailable("not all brokers know topic %s yet".formatted(topic), e);
  }

  /**
   * What a consumer group has committed: nothing if there is no such group, null for a partition
   * without an offset.
   *
   * @param stable whether to leave out partitions whose offset an open transaction may change
   */
  Map<TopicPartition, OffsetAndMetadata> committed(
      String group, ListConsumerGroupOffsetsSpec asked, boolean stable) {
    try {
      return get(askCommitted(group, asked, stable, Math.toIntExact(PATIENCE.toMillis())));
    } catch (GroupIdNotFoundException e) {
      return Map.of();
    }
  }

  /** As {@link #committed}, does not wait for the answer. */
  KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> askCommitted(
      String group, ListConsumerGroupOffsetsSpec asked, boolean stable, int timeoutMillis) {
    ListConsumerGroupOffsetsOptions options =
        new ListConsumerGroupOffsetsOptions().requireStable(stable).timeoutMs(timeoutMillis);
    return admin()
        .listConsumerGroupOffsets(Map.of(group, asked), options)
        .partitionsToOffsetAndMetadata(group);
  }

  /**
   * @throws QueueUnavailable if the cluster does not respond, or part of it is unavailable
   * @throws QueueFailed if the cluster refuses
   */
  <T> T get(KafkaFuture<T> future) {
    try {
      return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw switch (e.getCause()) {
        case TopicExistsException exists -> exists;
        case UnknownTopicOrPartitionException unknown -> unknown;
        case GroupIdNotFoundException none -> none;
        case InvalidReplicationFactorException few ->
            unavailable("there are fewer Kafka brokers than replicas", few);
        case RetriableException later -> unavailable(NOT_RESPONDING, later);
        case null, default -> refused(e.getCause(), e);
      };
    } catch (TimeoutException e) {
      throw new QueueUnavailable(
          "%s within %s (brokers=%s)"
              .formatted(NOT_RESPONDING, Formats.duration(PATIENCE), options.brokers()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable("interrupted while waiting for the Kafka cluster", e);
    }
  }

  QueueFailed refused(@Nullable Throwable why, Exception e) {
    return new QueueFailed(
        "the Kafka brokers at %s refuse this client: %s".formatted(options.brokers(), why), e);
  }

  private QueueUnavailable unavailable(String what, Exception e) {
    return new QueueUnavailable(
        "%s (brokers=%s): %s".formatted(what, options.brokers(), e.getMessage()), e);
  }

  @Override
  public synchronized void close() {
    if (admin != null) {
      admin.close(Duration.ofSeconds(5));
    }
  }
}
