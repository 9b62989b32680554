/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.queue.memory.MemoryBackend;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A queue with a retention time evicts the oldest messages when it is full. */
class MemoryEvictionTest {

  private static final PartitionListener NO_WORK =
      new PartitionListener() {
        @Override
        public void assigned(int partition) {}

        @Override
        public void revoked(int partition) {}

        @Override
        public void lost(int partition) {}
      };

  private final MemoryBackend backend = MemoryBackend.open(2 << 20, InstantSource.system());
  private final MessageQueue queue = backend.open("results", 1, Duration.ofHours(1));
  private final Appender appender = queue.appender();

  /** A hundred of them fill the queue. */
  private final ByteBuffer message = ByteBuffer.allocate((2 << 20) / 100 - 96);

  @AfterEach
  void close() {
    backend.close();
  }

  @Test
  void acceptsMessagesForEverAndKeepsTheLatest() {
    for (int i = 0; i < 1_000; i++) {
      appender.append(0, message);
    }
    QueueStats stats = queue.stats(0);
    assertThat(stats.end()).hasValue(1_000);
    assertThat(stats.first().orElseThrow()).isBetween(900L, 999L);
    assertThat(stats.refusal()).isNull();
  }

  @Test
  void evictsNothingThatARegisteredConsumerNeeds() {
    try (Subscription subscription = queue.subscribe("archive", NO_WORK)) {
      for (int i = 0; i < 100; i++) {
        appender.append(0, message);
      }
      assertThatThrownBy(() -> appender.append(0, message))
          .isInstanceOfSatisfying(
              QueueRefused.class,
              refused -> assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.FULL));
      subscription.passed(0, 50);
      for (int i = 0; i < 50; i++) {
        appender.append(0, message);
      }
      assertThat(queue.stats(0).first()).hasValue(50);
      assertThatThrownBy(() -> appender.append(0, message)).isInstanceOf(QueueRefused.class);
    }
  }

  @Test
  void keepsWhatItsConsumersHavePassedUntilItIsFull() {
    try (Subscription subscription = queue.subscribe("receiver", NO_WORK)) {
      for (int i = 0; i < 100; i++) {
        appender.append(0, message);
      }
      subscription.passed(0, 100);
      assertThat(queue.stats(0).first()).hasValue(0);
      appender.append(0, message);
      assertThat(queue.stats(0).first().orElseThrow()).isPositive();
    }
  }

  @Test
  void evictsNothingAfterAppendsHaveStopped() {
    for (int i = 0; i < 100; i++) {
      appender.append(0, message);
    }
    queue.stopAccepting();
    assertThatThrownBy(() -> appender.append(0, message)).isInstanceOf(QueueRefused.class);
    assertThat(queue.stats(0).first()).hasValue(0);
  }
}
