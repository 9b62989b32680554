/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.PATIENCE;
import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertDamagedAt;
import static io.forebay.chronicle.Rig.assertRefuses;
import static io.forebay.chronicle.Rig.littleEndian;
import static io.forebay.chronicle.Rig.readAll;
import static io.forebay.chronicle.Rig.send;
import static io.forebay.chronicle.Rig.truncate;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.MissingMessages;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The data on disk differ from what was written: no wrong message is returned, and the error gives
 * the place.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DamageTest extends HourlyFiles {

  @Test
  void messagesBeforeTheDamageAreForcedAlthoughNothingCanBeAppended() throws Exception {
    rig.write(100);
    rig.forgetMark();
    rig.patch(rig.place(50), (byte) 'X');
    rig.options = Rig.options(Level.DISK);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      CompletableFuture.runAsync(() -> queue.awaitSafe(0, 50))
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test
  void aFlippedByteStopsThePartitionAtThatMessageWhenItIsOpened() throws IOException {
    rig.write(MESSAGES);
    rig.patch(rig.place(8_950) + 3, (byte) 'X');
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).end()).isEqualTo(OptionalLong.of(8_950));
      assertDamagedAt(queue, 8_950);
    }
  }

  @Test
  void aFlippedByteAfterACleanCloseIsFoundWhenItIsRead() throws IOException {
    rig.write(MESSAGES);
    rig.patch(rig.place(8_950) + 3, (byte) 'X');
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, MESSAGES, MESSAGES + 10);
      assertDamagedAt(queue, 8_950);
      try (Tailer tailer = queue.tailer(0)) {
        tailer.seek(8_951);
        assertThat(tailer.poll(MESSAGES, (position, message) -> {})).isEqualTo(11_059);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0x5a, 0xff00, 0x40000010, 0x80000000, 0xc0000000, 0x3fffffff, 0x7fffffff, 3})
  void aWrongLengthWordStopsThePartitionAtThatMessage(int word) throws IOException {
    rig.write(MESSAGES);
    rig.patch(rig.start(4_453), littleEndian(word));
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertDamagedAt(queue, 4_453);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 0x5a, 0x40000010, 0x80000000, 0xc0000000, 0x7fffffff, 3})
  void aWrongLengthWordOfTheFirstMessageIsDamageAtIt(int word) throws IOException {
    rig.write(100);
    rig.patch(rig.start(0), littleEndian(word));
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertDamagedAt(queue, 0);
    }
  }

  @Test
  void aLostBeginningIsDamageAtTheFirstMessageAndListedAsMissing() throws IOException {
    rig.write(100);
    long begin = rig.start(0);
    rig.patch(begin, new byte[(int) (rig.start(50) - begin)]);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertDamagedAt(queue, 0);
      assertThat(queue.setAside(0)).containsExactly(new MissingMessages(0, 49));
    }
  }

  @Test
  void aPageOfZerosStopsThePartitionAtTheHole() throws IOException {
    rig.write(MESSAGES);
    long page = rig.place(8_950) / PAGE * PAGE;
    rig.patch(page, new byte[PAGE]);
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      long end = queue.stats(0).end().getAsLong();
      assertThat(end).isBetween(8_700L, 8_950L);
      assertDamagedAt(queue, end);
    }
  }

  @Test
  void aPageOfZerosAfterACleanCloseIsFoundWhenItIsRead() throws IOException {
    rig.write(MESSAGES);
    rig.patch(rig.place(8_950) / PAGE * PAGE, new byte[PAGE]);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      Rig.Read read = readAll(queue);
      assertThat(read.positions()).hasSizeBetween(8_700, 8_950);
      assertThat(read.failure()).hasMessageContaining("%,d".formatted(read.positions().size()));
      assertRefuses(queue);
    }
  }

  @Test
  void aTruncatedFileStopsThePartitionWhereItWasCutOff() throws IOException {
    rig.write(MESSAGES);
    truncate(rig.files().getLast(), rig.place(13_585) / PAGE * PAGE);
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      long end = queue.stats(0).end().getAsLong();
      assertThat(end).isBetween(13_300L, 13_585L);
      assertDamagedAt(queue, end);
    }
  }

  @Test
  void anEmptiedFileIsNotTakenForANewQueueIfMessagesWereStored() throws IOException {
    rig.write(MESSAGES);
    truncate(rig.files().getLast(), 0);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertRefuses(queue);
      assertThat(queue.stats(0).damage().what()).contains("20,000 were stored safely");
    }
  }

  @Test
  void aMissingFileBetweenTwoStopsThePartitionBeforeIt() throws IOException {
    rig.roll = net.openhft.chronicle.queue.rollcycles.TestRollCycles.TEST_SECONDLY;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      for (int i = 0; i < 4; i++) {
        send(queue, i * 100L, i * 100L + 100);
        rig.pass(backend, Duration.ofSeconds(2));
      }
    }
    assertThat(rig.files()).hasSize(4);
    Files.delete(rig.files().get(2));
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertDamagedAt(queue, 200);
    }
  }
}
