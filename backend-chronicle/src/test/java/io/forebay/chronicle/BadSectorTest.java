/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.range;
import static io.forebay.chronicle.Rig.readAll;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.chronicle.file.FrameScan;
import io.forebay.chronicle.file.Host;
import io.forebay.chronicle.file.Mark;
import io.forebay.chronicle.file.SettingAside;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The disk cannot read a sector: that is damage there, and neither less nor more. */
final class BadSectorTest {

  private static final int MESSAGES = 1_000;
  private static final long BLOCK = 4096;

  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void write() {
    rig = new Rig(data);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, MESSAGES);
    }
  }

  /** Where the frame of a message begins. */
  private long start(long message) throws IOException {
    try (FrameScan scan = new FrameScan(rig.files().getFirst())) {
      long before = 0;
      while (scan.next() != FrameScan.NOTHING && scan.frame().number() != message) {
        before = scan.end();
      }
      return before;
    }
  }

  /** The messages with a part in the block that has this place. */
  private List<Long> inBlock(long place) throws IOException {
    long block = place & -BLOCK;
    List<Long> found = new ArrayList<>();
    try (FrameScan scan = new FrameScan(rig.files().getFirst())) {
      long begin = 0;
      while (scan.next() != FrameScan.NOTHING) {
        if (scan.end() > block && begin < block + BLOCK) {
          found.add(scan.frame().number());
        }
        begin = scan.end();
      }
    }
    return found;
  }

  /** The disk no longer reads the block that has this place. */
  private void breakAt(long place) {
    long block = place & -BLOCK;
    rig.read =
        (file, at, into, from, count) -> {
          if (at < block + BLOCK && at + count > block) {
            throw new IOException("Input/output error");
          }
          return Host.Read.PLAIN.read(file, at, into, from, count);
        };
  }

  @ParameterizedTest
  @ValueSource(longs = {500, MESSAGES - 1})
  void noMessageIsCutAfterALossOfPower(long message) throws IOException {
    breakAt(start(message));
    rig.losePower(Level.DISK);
    byte[] before = Files.readAllBytes(rig.files().getFirst());
    for (int i = 0; i < 2; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        assertNamed(queue, start(message));
        assertThat(queue.stats(0).refusal()).isNotNull();
      }
      assertThat(Files.readAllBytes(rig.files().getFirst())).isEqualTo(before);
    }
  }

  private void assertNamed(MessageQueue queue, long place) {
    assertThat(queue.stats(0).damage().what())
        .contains(
            "a sector that the disk cannot read",
            rig.files().getFirst().getFileName().toString(),
            "byte %,d".formatted(place & -BLOCK));
  }

  @Test
  void aPartitionWithoutAMessageKeepsNoOtherFromBeingOpened() throws IOException {
    rig = new Rig(data.resolve("other"));
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 2)) {
      send(queue, 0, 1);
    }
    byte[] header = Arrays.copyOf(Files.readAllBytes(rig.files().getFirst()), 512);
    Files.write(rig.files().getFirst(), header);
    breakAt(0);
    rig.losePower(Level.DISK);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 2)) {
      assertNamed(queue, 0);
      assertThat(queue.stats(1).refusal()).isNull();
    }
  }

  /** Everything up to the end of a block was stored safely. */
  private void markBehind(long block) throws IOException {
    Path mark = rig.partition(0).resolve(Mark.FILE);
    long good = inBlock(block).getLast() + 1;
    Files.writeString(mark, Files.readString(mark).replaceFirst("0", "" + good));
  }

  @Test
  void theFirstMessagesAreNotCutAfterALossOfPowerAlthoughTheOthersAreThere() throws IOException {
    breakAt(start(1));
    rig.losePower(Level.DISK);
    markBehind(start(1));
    byte[] before = Files.readAllBytes(rig.files().getFirst());
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).damage()).isNotNull();
    }
    assertThat(Files.readAllBytes(rig.files().getFirst())).isEqualTo(before);
  }

  @Test
  void aFileWithoutHeaderIsNotTakenForAnUnfinishedOne() throws IOException {
    rig = new Rig(data.resolve("other"));
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 5);
    }
    breakAt(start(1));
    try (FileChannel file = FileChannel.open(rig.files().getFirst(), StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(4));
    }
    rig.forgetMark();
    try (ChronicleBackend backend = rig.open()) {
      assertThatThrownBy(() -> backend.open(QUEUE, 1)).hasMessageContaining("lost its header");
    }
    assertThat(rig.files()).hasSize(1);
  }

  /** The copy misses messages at the start, in the middle and at the end of the file. */
  @ParameterizedTest
  @ValueSource(longs = {1, 500, MESSAGES - 1})
  void nothingIsReplacedIfOnlyTheCopyFindsTheBadSector(long message) throws IOException {
    long block = start(message) & -BLOCK;
    Set<RandomAccessFile> readers = new HashSet<>();
    rig.read =
        (file, at, into, from, count) -> {
          readers.add(file);
          if (readers.size() > 1 && at < block + BLOCK && at + count > block) {
            throw new IOException("Input/output error");
          }
          return Host.Read.PLAIN.read(file, at, into, from, count);
        };
    rig.losePower(Level.DISK);
    if (message == 1) {
      markBehind(block); // the first frame that is copied
    }
    byte[] before = Files.readAllBytes(rig.files().getFirst());
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).damage().what()).contains("does not always read");
      assertThat(queue.stats(0).refusal()).isNotNull();
    }
    assertThat(Files.readAllBytes(rig.files().getFirst())).isEqualTo(before);
    rig.read = Host.Read.PLAIN;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertReads(queue, 0, MESSAGES);
    }
  }

  /** The block with the header of the file, which a rewritten file has anew. */
  @Test
  void aSectorWithoutMessagesIsHealedAfterALossOfPower() throws IOException {
    breakAt(0);
    rig.losePower(Level.DISK);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertReads(queue, 0, MESSAGES);
      send(queue, MESSAGES, MESSAGES + 10);
    }
  }

  @Test
  void theMessagesAroundItSurviveWhenItIsSetAside() throws IOException {
    List<Long> lost = inBlock(start(500));
    assertThat(lost).hasSizeBetween(10, 200).contains(500L);
    breakAt(start(500));
    byte[] before = Files.readAllBytes(rig.files().getFirst());
    Files.createFile(rig.partition(0).resolve(SettingAside.NOTE));
    List<Long> expected = new ArrayList<>(range(0, MESSAGES));
    expected.removeAll(lost);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(readAll(queue)).isEqualTo(new Rig.Read(expected, null));
      send(queue, MESSAGES, MESSAGES + 10);
    }
    try (var aside = Files.walk(rig.partition(0))) {
      assertThat(
              aside.filter(it -> it.getParent().getFileName().toString().startsWith("set-aside-")))
          .singleElement()
          .satisfies(it -> assertThat(Files.readAllBytes(it)).isEqualTo(before));
    }
  }

  /** A mapping of a file that became shorter has pages that cannot be read. */
  @Test
  void aTailerStopsThereAndTheProcessLives() throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      List<Long> first = inBlock(start(500));
      try (FileChannel file = FileChannel.open(rig.files().getFirst(), StandardOpenOption.WRITE)) {
        file.truncate(start(500) & -BLOCK);
      }
      Rig.Read read = readAll(queue);
      assertThat(read.positions()).isEqualTo(range(0, first.getFirst()));
      assertThat(read.failure()).hasMessageContaining("message " + first.getFirst());
      assertThat(queue.stats(0).damage().position()).isEqualTo(first.getFirst());
      try (Tailer tailer = queue.tailer(0)) {
        tailer.seek(first.getFirst());
        assertThatThrownBy(() -> tailer.poll(1, (at, message) -> {}))
            .isInstanceOf(QueueFailed.class);
        tailer.seek(10);
        assertThat(tailer.poll(10, (at, message) -> {})).isEqualTo(10);
      }
    }
  }
}
