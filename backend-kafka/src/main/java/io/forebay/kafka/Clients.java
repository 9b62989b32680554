/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.QueueUnavailable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/**
 * Creates Kafka's clients, each with the properties that Forebay sets for its use. The constructor
 * of a client resolves the brokers' host names and fails if none of them resolves.
 */
record Clients(KafkaBackend.Options options) {

  /** The producer of messages takes at least this of its buffer for each batch. */
  static final int BATCH_BYTES = 64 << 10;

  /** How long a reader may wait for an offset. */
  private static final int LONGEST_QUESTION_MILLIS = 5_000;

  /**
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  Admin admin() {
    Map<String, Object> own = named("admin");
    own.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(Topics.PATIENCE));
    return made(() -> Admin.create(options.with(own)));
  }

  /**
   * A producer that never blocks an append: it refuses a message if its buffer is full or no broker
   * is known. It tries for ever to deliver an accepted message, in order and once (idempotence).
   *
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  Producer<byte[], byte[]> appending(String topic) {
    Map<String, Object> own = named(topic);
    own.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    own.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    own.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
    own.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
    own.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, Duration.ofDays(365).toMillis());
    own.put(ProducerConfig.BUFFER_MEMORY_CONFIG, KafkaBackend.BUFFER_BYTES);
    own.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
    own.put(ProducerConfig.LINGER_MS_CONFIG, 1);
    return producer(own);
  }

  /**
   * A producer whose messages are sent when a batch is full, or by the commit, which does not
   * linger; never in small requests.
   *
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  Producer<byte[], byte[]> transactional(String id) {
    Map<String, Object> own = named("answers-" + id);
    own.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
    own.put(
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
        millis(TransactionalAppender.TRANSACTION_TIMEOUT));
    own.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, TransactionalAppender.BLOCK.toMillis());
    own.put(ProducerConfig.BATCH_SIZE_CONFIG, 256 << 10);
    own.put(ProducerConfig.LINGER_MS_CONFIG, 1_000);
    return producer(own);
  }

  private Producer<byte[], byte[]> producer(Map<String, Object> own) {
    own.put(ProducerConfig.ACKS_CONFIG, "all");
    own.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    own.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Topics.MAX_RECORD_BYTES);
    return made(() ->
        new KafkaProducer<>(
            options.with(own), new ByteArraySerializer(), new ByteArraySerializer()));
  }

  /**
   * A consumer without a group, of committed messages.
   *
   * @param fetch how long a broker may wait for messages
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  KafkaConsumer<ByteBuffer, ByteBuffer> reading(String name, Duration fetch) {
    Map<String, Object> own = named(name);
    own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    own.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    own.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, millis(fetch));
    own.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 2_000);
    own.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 4 << 20);
    own.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, LONGEST_QUESTION_MILLIS);
    return made(() -> consumer(own));
  }

  /**
   * A member of a consumer group that fetches no messages.
   *
   * @throws KafkaException if it cannot be created
   */
  KafkaConsumer<ByteBuffer, ByteBuffer> member(String group) {
    Map<String, Object> own = named(group);
    own.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    own.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
    own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
    return consumer(own);
  }

  private KafkaConsumer<ByteBuffer, ByteBuffer> consumer(Map<String, Object> own) {
    own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    Map<String, Object> properties = options.with(own);
    // The system receives the next fetch while messages are performed; Kafka's default of 64 KB
    // stops it after 1 % of a fetch.
    properties.putIfAbsent(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1);
    return new KafkaConsumer<>(
        properties, new ByteBufferDeserializer(), new ByteBufferDeserializer());
  }

  private static Map<String, Object> named(String name) {
    Map<String, Object> own = new HashMap<>();
    own.put(CommonClientConfigs.CLIENT_ID_CONFIG, "forebay-" + name);
    return own;
  }

  private static int millis(Duration time) {
    return Math.toIntExact(time.toMillis());
  }

  private <T> T made(Supplier<T> client) {
    try {
      return client.get();
    } catch (KafkaException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new QueueUnavailable(
          "cannot create a client of the Kafka brokers %s: %s"
              .formatted(options.brokers(), cause.getMessage()),
          e);
    }
  }
}
