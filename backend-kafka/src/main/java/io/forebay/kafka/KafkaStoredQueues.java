/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Tailer;
import io.forebay.queue.sender.SenderKeys;
import io.forebay.queue.sender.SenderProof;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The topics with the prefix of Forebay, which it neither creates nor changes. */
final class KafkaStoredQueues implements StoredQueues {

  private final Topics topics;
  private final KafkaBackend.Options options;

  KafkaStoredQueues(Topics topics) {
    this.topics = topics;
    options = topics.clients().options();
  }

  @Override
  public String place() {
    return "topics %s* of the Kafka brokers %s".formatted(options.prefix(), options.brokers());
  }

  @Override
  public boolean contiguous() {
    return false;
  }

  @Override
  public List<StoredQueue> queues() {
    ListTopicsOptions patient = new ListTopicsOptions().timeoutMs(Topics.CONNECT_MILLIS);
    List<String> all =
        topics.get(topics.admin().listTopics(patient).names()).stream()
            .filter(topic -> topic.startsWith(options.prefix()))
            .sorted()
            .toList();
    return all.stream().<StoredQueue>map(topic -> new Stored(topic, all)).toList();
  }

  /** For a process that only reads queues; no part of a service. */
  @AutoConfiguration
  @ConditionalOnProperty(name = "forebay.backend", havingValue = "kafka")
  @EnableConfigurationProperties(KafkaProperties.class)
  static class Configuration {

    @Bean
    Topics kafkaTopics(KafkaProperties properties, BeanFactory beans) {
      return new Topics(properties.options(Brokers.of(properties, beans), SenderKeys.NONE, true));
    }

    @Bean
    StoredQueues kafkaStoredQueues(Topics topics) {
      return new KafkaStoredQueues(topics);
    }
  }

  /** A topic, for reading only. */
  private final class Stored implements StoredQueue {

    private final String topic;
    private final List<String> all;
    private @Nullable Map<String, Map<TopicPartition, OffsetAndMetadata>> committed;

    /**
     * @param all topics with the prefix of Forebay
     */
    Stored(String topic, List<String> all) {
      this.topic = topic;
      this.all = all;
    }

    @Override
    public String name() {
      return topic.substring(options.prefix().length());
    }

    @Override
    public int partitions() {
      TopicDescription found = topics.describe(topic);
      if (found == null) {
        throw new QueueFailed("topic %s no longer exists".formatted(topic), null);
      }
      return found.partitions().size();
    }

    @Override
    public QueueStats stats(int partition) {
      TopicPartition place = topic(partition);
      return new QueueStats(
          OptionalLong.of(topics.begin(place)),
          OptionalLong.of(topics.end(place)),
          OptionalLong.empty(),
          OptionalLong.empty(),
          Groups.passed(committed(), place),
          null);
    }

    /** What the consumer groups of the queue have committed, by the name of the consumer. */
    private Map<String, Map<TopicPartition, OffsetAndMetadata>> committed() {
      Map<String, Map<TopicPartition, OffsetAndMetadata>> known = committed;
      if (known == null) {
        int prefix = Topic.groupPrefix(topic).length();
        ListConsumerGroupOffsetsSpec offsets = new ListConsumerGroupOffsetsSpec();
        known =
            groups().stream()
                .collect(
                    Collectors.toMap(
                        group -> group.substring(prefix),
                        group -> topics.committed(group, offsets, false)));
        committed = known;
      }
      return known;
    }

    /** The consumer groups of the topic, without those of topics whose names begin alike. */
    private List<String> groups() {
      String prefix = Topic.groupPrefix(topic);
      List<String> others =
          all.stream().filter(it -> it.startsWith(prefix)).map(Topic::groupPrefix).toList();
      return topics
          .get(topics.admin().listGroups(ListGroupsOptions.forConsumerGroups()).valid())
          .stream()
          .map(GroupListing::groupId)
          .filter(group -> group.startsWith(prefix))
          .filter(group -> others.stream().noneMatch(group::startsWith))
          .toList();
    }

    @Override
    public Tailer tailer(int partition) {
      return new KafkaTailer(
          new Fetches(name(), topics, Fetches.SHORT),
          topic(partition),
          new SenderProof(topic, options.keys().keys()),
          () -> {},
          _ -> {});
    }

    private TopicPartition topic(int partition) {
      return new TopicPartition(topic, partition);
    }
  }
}
