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

  /**
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  Admin admin(Duration patience) {
    return made(() ->
        Admin.create(
            options.with(
                Map.of(
                    AdminClientConfig.CLIENT_ID_CONFIG,
                    "forebay-admin",
                    AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                    millis(patience)))));
  }

  /**
   * A producer that never blocks an append: it refuses a message if its buffer is full or no broker
   * is known. It tries for ever to deliver an accepted message, in order and once (idempotence).
   *
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  Producer<byte[], byte[]> appending(String topic) {
    return producer(
        Map.of(
            ProducerConfig.CLIENT_ID_CONFIG,
            "forebay-" + topic,
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
            1,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            Integer.MAX_VALUE,
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
            10_000,
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            0,
            ProducerConfig.METADATA_MAX_IDLE_CONFIG,
            Duration.ofDays(365).toMillis(),
            ProducerConfig.BUFFER_MEMORY_CONFIG,
            options.bufferBytes(),
            ProducerConfig.BATCH_SIZE_CONFIG,
            BATCH_BYTES,
            ProducerConfig.LINGER_MS_CONFIG,
            1));
  }

  /**
   * A producer whose messages are sent when a batch is full, or by the commit, which does not
   * linger; never in small requests.
   *
   * @param timeout after which a broker aborts a transaction
   * @param block how long a call may block
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  Producer<byte[], byte[]> transactional(String id, Duration timeout, Duration block) {
    return producer(
        Map.of(
            ProducerConfig.CLIENT_ID_CONFIG,
            "forebay-answers-" + id,
            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
            id,
            ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
            millis(timeout),
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            block.toMillis(),
            ProducerConfig.BATCH_SIZE_CONFIG,
            256 << 10,
            ProducerConfig.LINGER_MS_CONFIG,
            1_000));
  }

  private Producer<byte[], byte[]> producer(Map<String, Object> own) {
    Map<String, Object> all = new HashMap<>(own);
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Topics.MAX_RECORD_BYTES);
    return made(() ->
        new KafkaProducer<>(
            options.with(all), new ByteArraySerializer(), new ByteArraySerializer()));
  }

  /**
   * A consumer without a group, of committed messages.
   *
   * @param question how long it may wait for an offset
   * @param fetch how long a broker may wait for messages
   * @throws QueueUnavailable if it cannot be created; retry later
   */
  KafkaConsumer<ByteBuffer, ByteBuffer> reading(String name, Duration question, Duration fetch) {
    return made(() ->
        consumer(
            Map.of(
                ConsumerConfig.CLIENT_ID_CONFIG,
                "forebay-" + name,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                millis(fetch),
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                2_000,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                4 << 20,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                millis(question))));
  }

  /**
   * A member of a consumer group that fetches no messages.
   *
   * @throws KafkaException if it cannot be created
   */
  KafkaConsumer<ByteBuffer, ByteBuffer> member(String group) {
    return consumer(
        Map.of(
            ConsumerConfig.CLIENT_ID_CONFIG,
            "forebay-" + group,
            ConsumerConfig.GROUP_ID_CONFIG,
            group,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG,
            "consumer",
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "latest"));
  }

  private KafkaConsumer<ByteBuffer, ByteBuffer> consumer(Map<String, Object> own) {
    Map<String, Object> all = new HashMap<>(own);
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    Map<String, Object> properties = options.with(all);
    // The system receives the next fetch while messages are performed; Kafka's default of 64 KB
    // stops it after 1 % of a fetch.
    properties.putIfAbsent(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1);
    return new KafkaConsumer<>(
        properties, new ByteBufferDeserializer(), new ByteBufferDeserializer());
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
