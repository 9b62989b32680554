/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Others write to the topics too, and not what an appender would. */
class ForeignRecordTest {

  @Test
  void aRecordWithoutAValueIsAMessageWithoutAByteAndTheNextOnesAreRead() throws Exception {
    String servers = TestBroker.shared().bootstrap();
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

  private static String text(ByteBuffer message) {
    return UTF_8.decode(message).toString();
  }
}
