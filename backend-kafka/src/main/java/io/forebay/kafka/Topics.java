/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Capabilities;
import io.forebay.queue.QueueFailed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates topics, and checks those that are there. Thread-safe. */
final class Topics implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Topics.class);

  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The largest message, and what a batch of one record adds to it. */
  static final int MAX_RECORD_BYTES =
      Capabilities.MAX_MESSAGE_BYTES + (Capabilities.MAX_MESSAGE_BYTES >> 2);

  private final KafkaBackend.Options options;
  private final Admin admin;

  Topics(KafkaBackend.Options options) {
    this.options = options;
    admin =
        Admin.create(
            options.with(
                Map.of(
                    AdminClientConfig.CLIENT_ID_CONFIG,
                    "forebay-admin",
                    AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                    Math.toIntExact(PATIENCE.toMillis()))));
  }

  Admin admin() {
    return admin;
  }

  /**
   * The topic, which is created if there is none.
   *
   * @throws IllegalStateException if it exists and cannot serve as it is
   * @throws QueueFailed if the cluster does not answer
   */
  Topic open(String name, int partitions, Duration kept) {
    Optional<TopicDescription> found = describe(name);
    if (found.isEmpty()) {
      create(name, partitions, kept);
      found = describeCreated(name, partitions);
    }
    TopicDescription topic =
        found.orElseThrow(() ->
            new QueueFailed("topic %s was created and cannot be found".formatted(name), null));
    if (topic.partitions().size() != partitions) {
      throw new IllegalStateException(
          "topic %s has %d partitions and was to be opened with %d; their number is fixed as long as it exists"
              .formatted(name, topic.partitions().size(), partitions));
    }
    check(name);
    return new Topic(name, partitions, topic.topicId().toString());
  }

  private void create(String name, int partitions, Duration kept) {
    Duration retention = kept.compareTo(options.retention()) > 0 ? kept : options.retention();
    NewTopic topic =
        new NewTopic(
                name,
                Optional.of(partitions),
                options.replication().isPresent()
                    ? Optional.of((short) options.replication().getAsInt())
                    : Optional.empty())
            .configs(
                Map.of(
                    TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                    Integer.toString(MAX_RECORD_BYTES),
                    TopicConfig.CLEANUP_POLICY_CONFIG,
                    TopicConfig.CLEANUP_POLICY_DELETE,
                    TopicConfig.RETENTION_BYTES_CONFIG,
                    "-1",
                    TopicConfig.RETENTION_MS_CONFIG,
                    Long.toString(retention.toMillis())));
    try {
      get(admin.createTopics(List.of(topic)).all());
      log.info("topic {} was created (partitions={}, retention={})", name, partitions, retention);
    } catch (TopicExistsException e) {
      log.debug("topic {} was created by another instance", name);
    }
  }

  /** A broker tells of a new topic a moment later. */
  private Optional<TopicDescription> describeCreated(String name, int partitions) {
    long begin = System.nanoTime();
    while (true) {
      Optional<TopicDescription> found = describe(name);
      boolean whole =
          found
              .map(TopicDescription::partitions)
              .filter(all -> all.size() == partitions)
              .filter(all -> all.stream().allMatch(one -> one.leader() != null))
              .isPresent();
      if (whole || System.nanoTime() - begin > PATIENCE.toNanos()) {
        return found;
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** What there is of it; empty if there is none. */
  Optional<TopicDescription> describe(String name) {
    try {
      return Optional.ofNullable(
          get(admin.describeTopics(List.of(name)).allTopicNames()).get(name));
    } catch (UnknownTopicOrPartitionException e) {
      return Optional.empty();
    }
  }

  /**
   * @throws IllegalStateException if messages could be lost or refused as it is configured
   */
  private void check(String name) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
    Config config =
        Objects.requireNonNull(get(admin.describeConfigs(List.of(resource)).all()).get(resource));
    if (config
        .get(TopicConfig.CLEANUP_POLICY_CONFIG)
        .value()
        .contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      throw new IllegalStateException(
          "topic %s is compacted, which would drop messages; set its cleanup.policy to delete"
              .formatted(name));
    }
    int largest = Integer.parseInt(config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value());
    if (largest < MAX_RECORD_BYTES) {
      throw new IllegalStateException(
          "topic %s takes records of at most %,d bytes; set its max.message.bytes to %,d at least"
              .formatted(name, largest, MAX_RECORD_BYTES));
    }
  }

  /**
   * @throws QueueFailed if the cluster does not answer
   */
  static <T> T get(KafkaFuture<T> future) {
    try {
      return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicExistsException exists) {
        throw exists;
      }
      if (e.getCause() instanceof UnknownTopicOrPartitionException unknown) {
        throw unknown;
      }
      throw new QueueFailed("the Kafka cluster does not answer as needed: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new QueueFailed("the Kafka cluster does not answer within " + PATIENCE, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueFailed("interrupted while waiting for the Kafka cluster", e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(5));
  }
}
