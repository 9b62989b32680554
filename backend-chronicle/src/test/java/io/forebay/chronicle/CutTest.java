/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertDamagedAt;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.assertRefuses;
import static io.forebay.chronicle.Rig.littleEndian;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.chronicle.file.FrameScan;
import io.forebay.chronicle.file.FreshFiles;
import io.forebay.chronicle.file.Mark;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a partition is cut if no message that was acknowledged can be lost by it. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CutTest extends HourlyFiles {

  private static final int SECTOR = 512;

  /** The last message lacks a sector, as if a loss of power had interrupted it. */
  private void writeTorn(int messages) throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Appender appender = queue.appender()) {
      for (int i = 0; i < messages; i++) {
        appender.append(0, Rig.bytes("message " + i + " ".repeat(i + 1 < messages ? 0 : 2_000)));
      }
      Rig.settle(appender);
    }
    rig.patch((rig.place(messages - 1) / SECTOR + 1) * SECTOR, new byte[SECTOR]);
  }

  @Test
  void aBadLastFrameIsCutAndItsNumberIsReused() throws IOException {
    writeTorn(1_000);
    rig.forgetMark();
    for (int i = 0; i < 2; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        long end = 999 + i * 500;
        assertThat(queue.stats(0).end()).isEqualTo(OptionalLong.of(end));
        send(queue, end, end + 500);
        assertReads(queue, 0, end + 500);
        for (long seek : new long[] {0, 998, 999, 1000, end, end + 499}) {
          try (Tailer tailer = queue.tailer(0)) {
            tailer.seek(seek);
            assertThat(tailer.position()).isEqualTo(seek);
            tailer.poll(1, (position, message) -> assertThat(position).isEqualTo(seek));
          }
        }
      }
      rig.forgetMark();
    }
  }

  @Test
  void aBadLastFrameIsCutAlsoWhenItIsTheOnlyOneOrTheNextOneGoesToANewFile() throws IOException {
    writeTorn(1);
    rig.forgetMark();
    rig.wall = rig.wall.plus(Duration.ofHours(5));
    for (int i = 0; i < 2; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        send(queue, i * 10L, i * 10L + 10);
        assertReads(queue, 0, i * 10L + 10);
      }
      rig.forgetMark();
    }
    assertThat(rig.files()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLastFrameThatIsNotTornIsNotCut(boolean markIsLost) throws IOException {
    rig.write(1_000);
    rig.patch(rig.place(999) + 3, (byte) 'X');
    if (markIsLost) {
      rig.forgetMark();
    }
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertDamagedAt(queue, 999);
    }
  }

  @Test
  void aWrongLengthOfTheLastFrameDoesNotHideTheOnesBeforeIt() throws IOException {
    rig.write(1_000);
    rig.patch(rig.start(990), littleEndian(10_000));
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertDamagedAt(queue, 990);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHoleInUnforcedMessagesIsCutAfterALossOfPower(boolean diesWhileHealing) throws IOException {
    rig.write(MESSAGES);
    rig.patch(rig.place(8_950) / PAGE * PAGE, new byte[PAGE]);
    rig.losePower(Level.PROCESS);
    if (diesWhileHealing) {
      rig.force =
          (file, metadata) -> {
            throw new IOException("the power goes again");
          };
      try (ChronicleBackend backend = rig.open()) {
        assertThatThrownBy(() -> backend.open(QUEUE, 1)).isInstanceOf(QueueFailed.class);
      }
      rig.force = null;
    }
    long end;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      end = queue.stats(0).end().getAsLong();
      assertThat(end).isBetween(8_700L, 8_950L);
      assertReads(queue, 0, end);
      send(queue, end, end + 500);
      assertReads(queue, 0, end + 500);
    }
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertReads(queue, 0, end + 500);
    }
    assertThat(rig.partition(0).resolve(FreshFiles.DIRECTORY)).doesNotExist();
  }

  @Test
  void aLostBeginningStopsThePartitionEvenIfAllThatIsLeftWasNeverForced() throws IOException {
    rig.write(100);
    loseBeginning(rig.start(50));
    assertBeginningIsMissed();
  }

  @Test
  void aLostBeginningStopsThePartitionEvenIfOnlyTheGapBehindItIsLeft() throws IOException {
    long gap;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 40);
      gap = end();
      queue.skipTo(0, 50);
    }
    loseBeginning(gap);
    assertBeginningIsMissed();
  }

  /** Where the next document begins. */
  private long end() throws IOException {
    try (FrameScan scan = new FrameScan(rig.files().getLast())) {
      scan.seek(Long.MAX_VALUE);
      return scan.end();
    }
  }

  /** The messages before a place are lost, although those before 50 were forced. */
  private void loseBeginning(long place) throws IOException {
    long begin = rig.start(0);
    rig.patch(begin, new byte[(int) (place - begin)]);
    rig.losePower(Level.DISK);
    Path mark = rig.partition(0).resolve(Mark.FILE);
    Files.writeString(mark, Files.readString(mark).replaceFirst("0", "50"));
  }

  private void assertBeginningIsMissed() throws IOException {
    byte[] before = Files.readAllBytes(rig.files().getLast());
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).damage().what()).contains("a hole, but messages before 50 ");
      assertThat(queue.stats(0).damage().position()).isZero();
      assertRefuses(queue);
    }
    assertThat(rig.files().getLast()).hasBinaryContent(before);
  }

  @Test
  void aHoleBeforeAForcedMessageStopsThePartitionEvenAfterALossOfPower() throws IOException {
    rig.options = Rig.options(Level.DISK);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 10_000);
      send(queue, 10_000, 10_010);
    }
    rig.patch(rig.place(8_950) / PAGE * PAGE, new byte[PAGE]);
    rig.losePower(Level.DISK);
    for (int i = 0; i < 2; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        long end = queue.stats(0).end().getAsLong();
        assertThat(end).isBetween(8_700L, 8_950L);
        assertDamagedAt(queue, end);
      }
    }
  }
}
