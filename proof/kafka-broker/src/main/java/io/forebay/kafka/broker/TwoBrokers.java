/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka.broker;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Two brokers with topics without replicas: of each topic, partition 0 is on the first one, and
 * partition 1 on the other one, which is to be killed. The internal topics are on the first one.
 *
 * @param other the broker of partition 1
 */
public record TwoBrokers(BrokerProcess first, BrokerProcess other) implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  /** Starts both. */
  public static TwoBrokers start(Path directory, List<String> topics)
      throws ExecutionException, TimeoutException, InterruptedException {
    BrokerProcess first = TestBroker.start(directory.resolve("1"), Map.of());
    Map<String, Object> client = Map.of("bootstrap.servers", first.bootstrap());
    try (Admin admin = Admin.create(client)) {
      createInternalTopics(admin, first.bootstrap());
      TwoBrokers both = new TwoBrokers(first, first.join(directory.resolve("2")));
      while (get(admin.describeCluster().nodes()).size() < 2) {
        LockSupport.parkNanos(50_000_000);
      }
      Map<String, String> configs = Map.of("max.message.bytes", "1310720");
      Map<Integer, List<Integer>> places = Map.of(0, List.of(1), 1, List.of(2));
      get(
          admin
              .createTopics(
                  topics.stream().map(name -> new NewTopic(name, places).configs(configs)).toList())
              .all());
      return both;
    }
  }

  private static void createInternalTopics(Admin admin, String servers)
      throws ExecutionException, TimeoutException, InterruptedException {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers, "transactional.id", "any"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
    }
    get(admin.createTopics(List.of(new NewTopic("any", 1, (short) 1))).all());
    Map<TopicPartition, OffsetAndMetadata> offset =
        Map.of(new TopicPartition("any", 0), new OffsetAndMetadata(0));
    get(admin.alterConsumerGroupOffsets("any", offset).all());
  }

  private static <T> T get(KafkaFuture<T> future)
      throws ExecutionException, TimeoutException, InterruptedException {
    return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** The address for clients. */
  public String bootstrap() {
    return first.bootstrap();
  }

  /** Kills both. */
  @Override
  public void close() {
    first.kill();
    other.kill();
  }
}
