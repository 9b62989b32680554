/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are deleted whole, oldest first, and only when no registered consumer needs them. */
final class RetentionTest {

  private static final Duration ROLL = Duration.ofSeconds(1);
  private static final Duration KEPT = Duration.ofHours(72);

  static final PartitionListener INDIFFERENT =
      new PartitionListener() {
        @Override
        public void assigned(int partition) {}

        @Override
        public void revoked(int partition) {}

        @Override
        public void lost(int partition) {}
      };

  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void rig() {
    rig = new Rig(data);
  }

  /** Ten files of 100 messages each. */
  private void fill(ChronicleBackend backend, MessageQueue queue) {
    for (int i = 0; i < 10; i++) {
      send(queue, i * 100L, i * 100L + 100);
      rig.pass(backend, ROLL);
    }
    assertThat(rig.files()).hasSize(10);
  }

  @Test
  void theSlowerOfTwoConsumersDecides() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      Subscription fast = queue.subscribe("fast", INDIFFERENT);
      Subscription slow = queue.subscribe("slow", INDIFFERENT);
      fill(backend, queue);
      fast.passed(0, 1_000);
      backend.tick(true);
      assertThat(rig.files()).hasSize(10);

      slow.passed(0, 399);
      backend.tick(true);
      assertThat(rig.files()).hasSize(7);
      assertThat(queue.stats(0).first()).isEqualTo(OptionalLong.of(300));
      assertReads(queue, 300, 1_000);

      slow.passed(0, 400);
      backend.tick(true);
      assertThat(rig.files()).hasSize(6);
      assertReads(queue, 400, 1_000);
      send(queue, 1_000, 1_100);
      assertReads(queue, 400, 1_100);
    }
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).first()).isEqualTo(OptionalLong.of(400));
      assertThat(queue.stats(0).passed()).isEqualTo(Map.of("fast", 1_000L, "slow", 400L));
      assertReads(queue, 400, 1_100);
    }
  }

  @Test
  void theLastTwoFilesStayWhateverConsumersPassed() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      Subscription only = queue.subscribe("only", INDIFFERENT);
      fill(backend, queue);
      only.passed(0, 1_000);
      backend.tick(true);
      assertThat(rig.files()).hasSize(2);
      assertReads(queue, 800, 1_000);
    }
  }

  @Test
  void nothingIsDeletedWhileNobodyIsRegistered() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      fill(backend, queue);
      rig.pass(backend, Duration.ofDays(30));
      assertReads(queue, 0, 1_000);
    }
  }

  @Test
  void anUnstoredConsumerPositionKeepsMoreFilesNotFewer() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      queue.subscribe("crashing", INDIFFERENT);
      fill(backend, queue);
      // A crash leaves the file as it was written at the registration.
      assertThat(data.resolve("queues").resolve(QUEUE).resolve(Consumers.FILE))
          .content()
          .contains("passed.0.crashing=0");
    }
  }

  @Test
  void filesKeptByTimeAreKeptThatLongAndUntilAllConsumersPassed() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1, KEPT)) {
      Subscription only = queue.subscribe("only", INDIFFERENT);
      fill(backend, queue);
      only.passed(0, 500);
      backend.tick(true);
      assertThat(rig.files()).hasSize(10);
      rig.pass(backend, KEPT.minusSeconds(8));
      assertThat(queue.stats(0).first()).isEqualTo(OptionalLong.of(200));
      rig.pass(backend, KEPT);
      assertReads(queue, 500, 1_000);
    }
  }

  @Test
  void filesKeptByTimeAreDeletedByTimeAloneWithoutConsumers() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1, KEPT)) {
      fill(backend, queue);
      rig.pass(backend, KEPT.minusSeconds(11));
      assertThat(rig.files()).hasSize(10);
      rig.pass(backend, Duration.ofSeconds(5));
      assertThat(queue.stats(0).first()).isEqualTo(OptionalLong.of(400));
    }
  }

  @Test
  void aConsumerUnseenForTheKeptTimeIsDropped() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1, KEPT)) {
      queue.subscribe("gone", INDIFFERENT).close();
      Subscription stays = queue.subscribe("stays", INDIFFERENT);
      fill(backend, queue);
      stays.passed(0, 1_000);
      rig.pass(backend, KEPT.minusMinutes(1));
      assertThat(queue.stats(0).passed()).containsOnlyKeys("gone", "stays");
      assertReads(queue, 0, 1_000);
      rig.pass(backend, Duration.ofMinutes(2));
      assertThat(queue.stats(0).passed()).containsOnlyKeys("stays");
      assertReads(queue, 800, 1_000);
    }
  }

  @Test
  void aNewConsumerBeginsAtTheFirstMessageKept() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      Subscription first = queue.subscribe("first", INDIFFERENT);
      fill(backend, queue);
      first.passed(0, 1_000);
      backend.tick(true);
      queue.subscribe("second", INDIFFERENT);
      assertThat(queue.stats(0).passed()).containsEntry("second", 800L);
      send(queue, 1_000, 1_100);
      rig.pass(backend, ROLL);
      send(queue, 1_100, 1_200);
      first.passed(0, 1_200);
      backend.tick(true);
      assertReads(queue, 800, 1_200);
    }
  }

  @Test
  void aTailerOvertakenByRetentionThrows() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Tailer tailer = queue.tailer(0)) {
      Subscription only = queue.subscribe("only", INDIFFERENT);
      fill(backend, queue);
      tailer.seek(250);
      tailer.poll(10, (position, message) -> {});
      only.passed(0, 1_000);
      backend.tick(true);
      assertThatExceptionOfType(PositionOutOfRange.class)
          .isThrownBy(() -> {
            while (tailer.poll(100, (position, message) -> {}) > 0) {}
          })
          .withMessageContaining("first=800");
      tailer.toStart();
      assertThat(tailer.poll(1, (position, message) -> assertThat(position).isEqualTo(800)))
          .isOne();
      assertThatExceptionOfType(PositionOutOfRange.class).isThrownBy(() -> tailer.seek(799));
    }
  }
}
