/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.call.value.Aliases;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes the documented message to the topic of a gateway, and reads all answers. */
final class ForeignProgram {

  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Aliases ALIASES = Aliases.none().with("row", Row.class);

  private final String bootstrap;
  private final Map<String, Object> writing;

  /**
   * @param bootstrap where it may read everything
   * @param writing properties of its producer
   */
  ForeignProgram(String bootstrap, Map<String, Object> writing) {
    this.bootstrap = bootstrap;
    this.writing = writing;
  }

  /** Sends one statement and returns its id once it is accepted. */
  UUID send(String topic, Consumer<JDBCStatement> call) throws Exception {
    return write(topic, writer -> call.accept(writer.calls()));
  }

  /** Like {@link #send}; the caller may give the message a sender and a key. */
  UUID write(String topic, Consumer<Writer<JDBCStatement>> call) throws Exception {
    byte[][] payload = new byte[1][];
    UUID id;
    try (MemoryBackend memory = MemoryBackend.open();
        MessageQueue queue = memory.open("message", 1);
        Writer<JDBCStatement> writer = Protocol.of(JDBCStatement.class, ALIASES).writer(queue);
        Tailer tailer = queue.tailer(0)) {
      call.accept(writer);
      id = writer.lastId();
      tailer.poll(
          1,
          (_, message) -> {
            payload[0] = new byte[message.remaining()];
            message.get(payload[0]);
          });
    }
    Properties properties = new Properties();
    properties.putAll(writing);
    properties.put("acks", "all");
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      byte[] key =
          ByteBuffer.allocate(16)
              .putLong(id.getMostSignificantBits())
              .putLong(id.getLeastSignificantBits())
              .array();
      producer.send(new ProducerRecord<>(topic, key, payload[0])).get(120, TimeUnit.SECONDS);
    }
    return id;
  }

  /**
   * The answers so far as text, by the id of the statement.
   *
   * @throws IllegalStateException if the broker does not deliver them within a minute
   */
  Map<UUID, List<String>> answers(String topic, int partitions) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrap);
    properties.put("isolation.level", "read_committed");
    Words words = new Words();
    CallReader<JDBCResult> reader = Protocol.of(JDBCResult.class, ALIASES).reader(topic, words);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> all =
          IntStream.range(0, partitions).mapToObj(it -> new TopicPartition(topic, it)).toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      Instant end = Instant.now().plus(LONGEST);
      while (all.stream().anyMatch(it -> consumer.position(it) < ends.get(it))) {
        if (Instant.now().isAfter(end)) {
          throw new IllegalStateException("the broker does not deliver " + topic);
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          reader.read(record.partition(), record.offset(), ByteBuffer.wrap(record.value()));
        }
      }
    }
    return words.byId;
  }

  private static final class Words implements JDBCResult {

    final Map<UUID, List<String>> byId = new HashMap<>();

    private void add(String word) {
      byId.computeIfAbsent(Message.current().id(), _ -> new ArrayList<>()).add(word);
    }

    @Override
    public void queryResult(Rows rows) {
      add(rows.values().toString());
    }

    @Override
    public void queryThrown(SqlFailure failure) {
      updateThrown(failure);
    }

    @Override
    public void updateResult(long count) {
      add(Long.toString(count));
    }

    @Override
    public void updateThrown(SqlFailure failure) {
      add(failure.kind() + " " + failure.sqlState() + " " + failure.message());
    }
  }
}
