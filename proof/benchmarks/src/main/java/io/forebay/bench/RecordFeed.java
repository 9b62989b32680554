/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.LongFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Sends rows as records, with the same producer settings as Forebay. */
final class RecordFeed implements SinkFeed {

  private final String topic;
  private final LongFunction<byte[]> format;
  private final KafkaProducer<byte[], byte[]> producer;
  private volatile @Nullable Exception failure;

  /**
   * @param format the record of a row
   */
  RecordFeed(String bootstrap, String topic, LongFunction<byte[]> format) {
    this.topic = topic;
    this.format = format;
    create(bootstrap, topic);
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("acks", "all");
    settings.put("enable.idempotence", true);
    settings.put("batch.size", 64 << 10);
    settings.put("linger.ms", 1);
    producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void create(String bootstrap, String topic) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin
          .createTopics(List.of(new NewTopic(topic, Optional.of(1), Optional.empty())))
          .all()
          .get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("topic " + topic + " could not be created", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** The schema of the rows, as Kafka Connect's JSON converter expects it. */
  static String schema() {
    return "{\"type\":\"struct\",\"optional\":false,\"fields\":["
        + String.join(
            ",",
            field("id", "int64"),
            field("customer", "string"),
            field("amount", "double"),
            field("sent", "int64"))
        + "]}";
  }

  private static String field(String name, String type) {
    return "{\"field\":\"%s\",\"type\":\"%s\",\"optional\":false}".formatted(name, type);
  }

  /** A JSON object. */
  static byte[] json(long number) {
    String json =
        "{\"id\":"
            + number
            + ",\"customer\":\""
            + Burst.customer(number)
            + "\",\"amount\":"
            + SinkTable.amount(number)
            + ",\"sent\":"
            + SinkTable.nowMicros()
            + "}";
    return json.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void send(long number) {
    producer.send(
        new ProducerRecord<>(topic, format.apply(number)),
        (_, e) -> failure = e == null ? failure : e);
  }

  @Override
  public void flush() {
    producer.flush();
    if (failure != null) {
      throw new IllegalStateException("a row was not acknowledged", failure);
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
