/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TwoBrokers;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers with a partition each, without replicas; one of them is killed. */
class PartitionAwayTest {

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int HEALTHY = 0;
  private static final int AWAY = 1;

  @TempDir Path directory;

  @Test
  void aPartitionWithoutALeaderCostsItsOwnMessagesOnly() throws Exception {
    List<Integer> acknowledged = new CopyOnWriteArrayList<>();
    try (TwoBrokers brokers = TwoBrokers.start(directory, List.of("orders"));
        KafkaBackend backend = KafkaBackend.open(KafkaBackend.Options.of(brokers.bootstrap()));
        MessageQueue queue = backend.open("orders", 2);
        Appender appender = queue.appender()) {
      BrokerProcess other = brokers.other();
      for (int partition : List.of(HEALTHY, AWAY)) {
        appender.await(append(appender, partition), PATIENCE);
      }
      appender.onAcknowledged((partition, _, _) -> acknowledged.add(partition));
      other.kill();
      long waiting = append(appender, AWAY);
      appender.await(append(appender, HEALTHY), SOON);
      assertThat(acknowledged).containsExactly(HEALTHY);
      fill(appender);
      appender.await(append(appender, HEALTHY), SOON);

      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThatThrownBy(() -> append(appender, AWAY))
                  .isInstanceOf(QueueRefused.class)
                  .hasMessageContaining("partition 1"));
      appender.await(append(appender, HEALTHY), SOON);
      try (Appender later = queue.appender()) {
        assertThatThrownBy(() -> append(later, AWAY)).isInstanceOf(QueueRefused.class);
        later.await(append(later, HEALTHY), SOON);
      }
      assertThat(queue.drained(HEALTHY)).as("it waits for its own messages only").isTrue();
      queue.agreed(HEALTHY);
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ofSeconds(5)) // figures are read once a second
          .untilAsserted(() -> assertThat(queue.stats(HEALTHY).end()).hasValue(5));

      other.restart();
      appender.await(waiting, PATIENCE);
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(QueueRefused.class)
          .untilAsserted(() -> appender.await(append(appender, AWAY), PATIENCE));
    }
  }

  /** Before they are refused, its messages take what is free of the buffer, and no more. */
  private static void fill(Appender appender) {
    assertThatThrownBy(
            () -> {
              while (true) {
                appender.append(AWAY, ByteBuffer.allocate(100_000));
              }
            })
        .isInstanceOf(QueueRefused.class);
  }

  private static long append(Appender appender, int partition) {
    return appender.append(partition, ByteBuffer.wrap(new byte[] {1, 2, 3}));
  }
}
