/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** A tailer that finds nothing leaves the brokers alone, and misses nothing. */
class IdleTailerTest {

  private static final Duration MOMENT = Duration.ofMillis(20);
  private static final Duration TIME = Duration.ofSeconds(3);

  @Test
  void asksRarelyAndReadsWhatComes() throws Exception {
    String prefix = UUID.randomUUID() + ".";
    try (KafkaBackend backend =
            KafkaBackend.open(
                KafkaBackend.Options.of(TestBroker.shared().bootstrap()).withPrefix(prefix));
        MessageQueue queue = backend.open("orders", 1);
        Appender appender = queue.appender();
        Tailer tailer = queue.tailer(0)) {
      append(appender, 1);
      assertThat(readOne(tailer)).isEqualTo(1);
      long position = tailer.position();

      waitInVain(tailer, TIME);
      double before = fetches(prefix);
      waitInVain(tailer, TIME);
      assertThat(fetches(prefix) - before).isLessThan(4 * TIME.toSeconds());
      assertThat(tailer.position()).isEqualTo(position);

      append(appender, 2);
      append(appender, 3);
      assertThat(readOne(tailer)).isEqualTo(2);
      assertThat(readOne(tailer)).isEqualTo(3);
      tailer.seek(position);
      assertThat(readOne(tailer)).isEqualTo(2);
    }
  }

  private static void append(Appender appender, int content) {
    appender.append(0, ByteBuffer.allocate(Integer.BYTES).putInt(0, content));
  }

  private static int readOne(Tailer tailer) {
    List<Integer> read = new ArrayList<>();
    while (tailer.poll(1, (_, message) -> read.add(message.getInt(message.position()))) == 0) {
      tailer.await(MOMENT);
    }
    return read.getFirst();
  }

  private static void waitInVain(Tailer tailer, Duration time) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < time.toNanos()) {
      tailer.await(MOMENT);
      assertThat(tailer.poll(1, (_, _) -> {})).isZero();
    }
  }

  /** How many fetches the consumers of a topic have sent, by the metrics of Kafka's client. */
  private static double fetches(String prefix) throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName all =
        new ObjectName(
            "kafka.consumer:type=consumer-fetch-manager-metrics,client-id=forebay-"
                + prefix
                + "orders-0*");
    double total = 0;
    for (ObjectName name : server.queryNames(all, null)) {
      total += (double) server.getAttribute(name, "fetch-total");
    }
    assertThat(server.queryNames(all, null)).isNotEmpty();
    return total;
  }
}
