/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.sender.SenderKeys;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Others write to the topics too, and not what an appender would. */
class ForeignRecordTest {

  @Test
  void aRecordWithoutAValueIsAMessageWithoutAByteAndTheNextOnesAreRead() throws Exception {
    String servers = TestBroker.shared();
    String prefix = UUID.randomUUID() + ".";
    List<String> read = new ArrayList<>();
    try (KafkaBackend backend =
            KafkaBackend.open(KafkaBackend.Options.of(servers).withPrefix(prefix));
        MessageQueue queue = backend.open("orders", 1);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", servers),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        Tailer tailer = queue.tailer(0)) {
      for (byte[] value : new byte[][] {null, {}, "a message".getBytes(UTF_8)}) {
        producer.send(new ProducerRecord<>(prefix + "orders", 0, null, value)).get();
      }
      await()
          .until(() -> {
            tailer.await(Duration.ofMillis(100));
            tailer.poll(10, (_, message) -> read.add(text(message)));
            return read.size() == 3;
          });
    }
    assertThat(read).containsExactly("", "", "a message");
  }

  @Test
  void deletedRecordsAreMissedOnlyByTheTailerOfTheirPartition() throws Exception {
    String servers = TestBroker.shared();
    String prefix = UUID.randomUUID() + ".";
    List<String> read = new ArrayList<>();
    try (KafkaBackend backend =
            KafkaBackend.open(KafkaBackend.Options.of(servers).withPrefix(prefix));
        MessageQueue queue = backend.open("orders", 2);
        Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      IntFunction<Tailer> followers = queue.followers();
      try (Tailer reading = followers.apply(0);
          Tailer late = followers.apply(1)) {
        append(queue, 1, "deleted");
        admin
            .deleteRecords(
                Map.of(new TopicPartition(prefix + "orders", 1), RecordsToDelete.beforeOffset(1)))
            .all()
            .get();
        append(queue, 0, "kept");
        await()
            .until(() -> {
              reading.await(Duration.ofMillis(100));
              reading.poll(10, (position, _) -> read.add("0/" + position));
              return !read.isEmpty();
            });
        await()
            .untilAsserted(() ->
                assertThatExceptionOfType(PositionOutOfRange.class)
                    .isThrownBy(() -> late.poll(10, (_, _) -> {})));
        late.toStart();
        append(queue, 1, "kept too");
        await()
            .until(() -> {
              late.poll(10, (position, _) -> read.add("1/" + position));
              return read.size() == 2;
            });
      }
    }
    assertThat(read).containsExactly("0/0", "1/1");
  }

  /** While a broker keeps a request for one partition, the client asks it for no other. */
  @Test
  void anIdlePartitionDoesNotDelayTheOthersOfItsThread() throws Exception {
    int messages = 20_000;
    String servers = TestBroker.shared();
    String prefix = UUID.randomUUID() + ".";
    try (KafkaBackend backend =
            KafkaBackend.open(KafkaBackend.Options.of(servers).withPrefix(prefix));
        MessageQueue queue = backend.open("orders", 2);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", servers),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
      for (int i = 0; i < messages; i++) {
        producer.send(new ProducerRecord<>(prefix + "orders", 0, null, new byte[1000]));
      }
      producer.flush();
      long alone = Long.MAX_VALUE;
      long beside = Long.MAX_VALUE;
      for (int round = 0; round < 3; round++) {
        IntFunction<Tailer> followers = queue.followers();
        try (Tailer reading = followers.apply(0)) {
          alone = Math.min(alone, nanos(messages, reading, List.of(reading)));
          try (Tailer idle = followers.apply(1)) {
            reading.toStart();
            beside = Math.min(beside, nanos(messages, reading, List.of(idle, reading)));
          }
        }
      }
      assertThat((double) beside / alone).as("it was 30 times as long").isLessThan(8);
    }
  }

  /** How long it takes to read that many messages, in turns as a thread does. */
  private static long nanos(int messages, Tailer waiting, List<Tailer> tailers) {
    long start = System.nanoTime();
    int all = 0;
    while (all < messages) {
      int turn = 0;
      for (Tailer tailer : tailers) {
        turn += tailer.poll(1_000, (_, _) -> {});
      }
      if (turn == 0) {
        waiting.await(Duration.ofMillis(500));
      }
      all += turn;
    }
    return System.nanoTime() - start;
  }

  /** What other programs can make of a message that an instance wrote. */
  @Test
  void onlyAMessageWithTheProofOfItsContentAndPlaceKeepsItsSender() throws Exception {
    String prefix = UUID.randomUUID() + ".";
    KafkaBackend.Options options = KafkaBackend.Options.of(TestBroker.shared()).withPrefix(prefix);
    String old = "a key that was replaced some time ago";
    SenderKeys keys = () -> List.of("a key that only the instances have", old);
    try (KafkaBackend before = KafkaBackend.open(options.withKeys(() -> List.of(old)));
        MessageQueue queue = before.open("orders", 2)) {
      append(queue, 0, "written before the key was replaced");
    }
    try (KafkaBackend backend = KafkaBackend.open(options.withKeys(keys));
        MessageQueue queue = backend.open("orders", 2);
        MessageQueue other = backend.open("invoices", 1);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", options.brokers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
      append(queue, 0, "written by an instance");
      append(other, 0, "of another queue");
      ConsumerRecord<byte[], byte[]> proven = record(options, prefix + "orders", 1);
      ConsumerRecord<byte[], byte[]> elsewhere = record(options, prefix + "invoices", 0);
      byte[] message = proven.value();
      byte[] proof = proven.headers().lastHeader("forebay-proof").value();
      byte[] changed = message.clone();
      changed[changed.length - 1]++;
      byte[] claimsMark = message.clone();
      claimsMark[1] = 23;

      send(producer, prefix + "orders", 0, message, proof); // a copy is what it was
      send(producer, prefix + "orders", 0, message, null);
      send(producer, prefix + "orders", 0, message, new byte[proof.length]);
      send(producer, prefix + "orders", 0, message, Arrays.copyOf(proof, proof.length - 1));
      send(producer, prefix + "orders", 0, message, new byte[0]);
      send(producer, prefix + "orders", 0, changed, proof);
      send(producer, prefix + "orders", 0, claimsMark, null);
      send(producer, prefix + "orders", 1, message, proof);
      byte[] proofElsewhere = elsewhere.headers().lastHeader("forebay-proof").value();
      send(producer, prefix + "orders", 1, elsewhere.value(), proofElsewhere);

      assertThat(senders(queue, 0, 9))
          .containsExactly(
              "web",
              "web",
              "web",
              "kafka:web",
              "kafka:web",
              "kafka:web",
              "kafka:web",
              "kafka:web",
              "kafka:web");
      assertThat(senders(queue, 1, 2)).containsExactly("kafka:web", "kafka:web");
    }
    try (KafkaBackend withoutOld =
            KafkaBackend.open(options.withKeys(() -> keys.keys().subList(0, 1)));
        MessageQueue queue = withoutOld.open("orders", 2)) {
      assertThat(senders(queue, 0, 2)).containsExactly("kafka:web", "web");
    }
    try (KafkaBackend trusting = KafkaBackend.open(options);
        MessageQueue queue = trusting.open("orders", 2)) {
      assertThat(senders(queue, 1, 2)).containsExactly("web", "web");
    }
  }

  @Test
  void aQueueAcceptsNothingBeforeItsKeysCanBeRead() throws Exception {
    AtomicBoolean away = new AtomicBoolean(true);
    SenderKeys keys =
        () -> {
          if (away.get()) {
            throw new QueueUnavailable("the key of senders cannot be read: it is away", null);
          }
          return List.of("a key that only the instances have");
        };
    try (KafkaBackend backend =
            KafkaBackend.open(
                KafkaBackend.Options.of(TestBroker.shared())
                    .withPrefix(UUID.randomUUID() + ".")
                    .withKeys(keys));
        MessageQueue queue = backend.open("orders", 1)) {
      assertThat(queue.outage().orElseThrow().text())
          .isEqualTo("the key of senders cannot be read: it is away");
      assertThatExceptionOfType(QueueRefused.class)
          .isThrownBy(() -> append(queue, 0, "refused"))
          .satisfies(e -> assertThat(e.reason()).isEqualTo(QueueRefused.Reason.UNAVAILABLE));
      away.set(false);
      await().until(() -> queue.outage().isEmpty());
      append(queue, 0, "accepted");
      assertThat(senders(queue, 0, 1)).containsExactly("web");
    }
  }

  /** A protocol of one method. */
  interface Notes {
    void note(String text);
  }

  private static void append(MessageQueue queue, int partition, String text) throws Exception {
    try (Writer<Notes> writer = Protocol.of(Notes.class).writer(queue, partition)) {
      writer.keyed("web", text).calls().note(text);
      writer.await(Duration.ofSeconds(30));
    }
  }

  private static void send(
      KafkaProducer<byte[], byte[]> producer,
      String topic,
      int partition,
      byte[] message,
      byte @Nullable [] proof)
      throws Exception {
    ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, partition, null, message);
    if (proof != null) {
      record.headers().add("forebay-proof", proof);
    }
    producer.send(record).get();
  }

  private static ConsumerRecord<byte[], byte[]> record(
      KafkaBackend.Options options, String topic, long position) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", options.brokers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seek(partition, position);
      List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
      await()
          .until(() -> {
            found.addAll(consumer.poll(Duration.ofMillis(100)).records(partition));
            return !found.isEmpty();
          });
      return found.getFirst();
    }
  }

  /** The senders of the first messages of a partition. */
  private static List<String> senders(MessageQueue queue, int partition, int count) {
    List<String> senders = new ArrayList<>();
    try (Tailer tailer = queue.tailer(partition)) {
      await()
          .until(() -> {
            tailer.await(Duration.ofMillis(100));
            tailer.poll(
                count - senders.size(),
                (position, message) ->
                    senders.add(Message.peek(queue.name(), partition, position, message).client()));
            return senders.size() == count;
          });
    }
    return senders;
  }

  private static String text(ByteBuffer message) {
    return UTF_8.decode(message).toString();
  }
}
