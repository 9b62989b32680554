/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.memory.MemoryBackend;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A full memory queue: its refusals, and when it accepts messages again. */
final class MemoryPressureTest {

  private static final Instant NOON = Instant.parse("2026-01-14T12:00:00.123456789Z");

  /** It takes 1 KiB, so 2,048 of them fill 2 MiB. */
  private static final ByteBuffer KIB = ByteBuffer.wrap(new byte[928]);

  private static final int FULL = 2048;

  private Instant now = NOON;
  private QueueBackend backend = MemoryBackend.open();
  private MessageQueue queue = backend.open("none", 1);
  private Appender appender = queue.appender();

  private void openSmall() {
    backend = MemoryBackend.open(2 << 20, () -> now);
    queue = backend.open("orders.in", 2);
    appender = queue.appender();
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private int fill() {
    int taken = 0;
    while (true) {
      try {
        appender.append(0, KIB);
        taken++;
      } catch (QueueRefused full) {
        assertThat(full.reason()).isEqualTo(QueueRefused.Reason.FULL);
        return taken;
      }
    }
  }

  private QueueRefused refusal(ByteBuffer message) {
    return QueueFixture.refusal(appender, 0, message);
  }

  private Subscription subscribe(String consumer) {
    return queue.subscribe(
        consumer,
        new PartitionListener() {
          @Override
          public void assigned(int partition) {}

          @Override
          public void revoked(int partition) {}

          @Override
          public void lost(int partition) {}
        });
  }

  @Test
  void refusesAtItsLimitAndSaysHowFullItIsAndSinceWhen() {
    openSmall();
    assertThat(queue.stats(0).refusal()).isNull();
    assertThat(fill()).isEqualTo(FULL);
    now = NOON.plusSeconds(90);

    QueueRefused refused = refusal(KIB);

    assertThat(refused.fill()).isEqualTo(1.0);
    assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(1));
    assertThat(refused)
        .hasMessage(
            "partition 0 of queue orders.in has been full since 2026-01-14T12:00:00Z (bytes=2,097,152, limit=2,097,152;"
                + " messages=2,048); no consumer is registered; register one to free space");
    assertThat(queue.stats(0).refusal())
        .isEqualTo(new QueueStats.Refusal(QueueRefused.Reason.FULL, 1.0, NOON));
    assertThat(queue.stats(0).end()).hasValue(FULL);
    assertThat(appender.ticket()).isEqualTo(FULL);
    assertThat(appender.append(1, KIB)).isEqualTo(FULL + 1);
    assertThat(queue.stats(1).refusal()).isNull();
  }

  @Test
  void acceptsMessagesAgainWhenItsSlowestConsumerHasAdvanced() {
    openSmall();
    Subscription slow = subscribe("slow");
    Subscription fast = subscribe("fast");
    fill();
    assertThat(refusal(KIB)).hasMessageEndingWith("when its slowest consumer has advanced");
    fast.passed(0, FULL);
    assertThat(refusal(KIB).reason()).isEqualTo(QueueRefused.Reason.FULL);

    slow.passed(0, 3);
    assertThat(queue.stats(0).refusal()).isNull();
    now = NOON.plusSeconds(60);
    assertThat(fill()).isEqualTo(3);
    assertThat(queue.stats(0).refusal())
        .isEqualTo(new QueueStats.Refusal(QueueRefused.Reason.FULL, 1.0, NOON.plusSeconds(60)));
  }

  @Test
  void isNotFullForASmallerMessageThatFits() {
    openSmall();
    for (int i = 0; i < FULL - 1; i++) {
      appender.append(0, KIB);
    }
    QueueRefused refused = refusal(ByteBuffer.allocate(929));
    assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.FULL);
    assertThat(refused.fill()).isEqualTo(2047.0 / 2048);
    assertThat(queue.stats(0).refusal()).isNotNull();
    appender.append(0, KIB);
    assertThat(queue.stats(0).refusal()).isNull();
  }

  @Test
  void theLargestMessageFitsInTheSmallestQueueOnceItIsEmpty() {
    openSmall();
    Subscription orders = subscribe("orders");
    fill();
    orders.passed(0, FULL);
    appender.append(0, ByteBuffer.allocate(Capabilities.MAX_MESSAGE_BYTES));
    assertThat(queue.stats(0).end()).hasValue(FULL + 1);
  }
}
