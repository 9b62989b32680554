/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.queue.Appender;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class KafkaAppenderTest {

  @Test
  void aQueueForgetsClosedAppenders() throws Exception {
    try (KafkaBackend backend =
            KafkaBackend.open(
                KafkaBackend.Options.of(TestBroker.shared().bootstrap())
                    .withPrefix(UUID.randomUUID() + "."));
        KafkaMessageQueue queue = (KafkaMessageQueue) backend.open("orders", 1)) {
      for (int i = 0; i < 20; i++) {
        try (Appender appender = queue.appender()) {
          appender.await(append(appender), Duration.ofSeconds(20));
        }
      }
      assertThat(queue.openParts()).as("closed after their last message").isZero();
      Appender last = null;
      for (int i = 0; i < 20; i++) {
        try (Appender appender = queue.appender()) {
          append(appender);
          last = appender;
        }
      }
      last.await(1, Duration.ofSeconds(20));
      await()
          .untilAsserted(
              () -> assertThat(queue.openParts()).as("closed before their last message").isZero());
    }
  }

  private static long append(Appender appender) {
    return appender.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
  }
}
