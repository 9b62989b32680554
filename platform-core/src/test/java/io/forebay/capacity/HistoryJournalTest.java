/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryJournalTest {

  private static final int LARGE = 1 << 21;

  @TempDir Path directory;

  private static Map<String, byte[]> changes(int value) {
    return Map.of("orders", new byte[] {(byte) value, 1, 2}, "idle", new byte[0]);
  }

  /** A journal after a restart, with the first byte of each change that it read. */
  private HistoryJournal read(List<String> found) throws IOException {
    HistoryJournal journal = new HistoryJournal(directory, LARGE);
    journal.read((frame, history, changes) -> found.add(frame + " " + history + " " + changes[0]));
    return journal;
  }

  @Test
  void framesAreReadInTheirOrderAndNumbersContinue() throws IOException {
    try (HistoryJournal journal = read(new ArrayList<>())) {
      journal.continueAfter(40);
      journal.append(changes(1));
      journal.append(changes(2));
    }
    List<String> found = new ArrayList<>();
    try (HistoryJournal journal = new HistoryJournal(directory, LARGE)) {
      journal.continueAfter(42);
      journal.read((frame, history, changes) -> found.add(frame + " " + history));
      assertThat(found).containsExactly("41 orders", "42 orders");
      journal.append(changes(3));
      assertThat(journal.last()).isEqualTo(43);
    }
  }

  @Test
  void aFileThatIsCutOffAnywhereEndsAtItsLastWholeFrameAndIsContinuedThere() throws IOException {
    try (HistoryJournal journal = read(new ArrayList<>())) {
      journal.append(changes(1));
      journal.append(changes(2));
    }
    Path file = directory.resolve("journal");
    byte[] whole = Files.readAllBytes(file);
    for (int length = whole.length / 2; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      List<String> found = new ArrayList<>();
      try (HistoryJournal journal = read(found)) {
        assertThat(found).containsExactly("1 orders 1");
        journal.append(changes(3));
      }
      read(found).close();
      assertThat(found).as("%d bytes", length).endsWith("1 orders 1", "2 orders 3");
    }
  }

  @Test
  void anyWrongBitEndsIt() throws IOException {
    try (HistoryJournal journal = read(new ArrayList<>())) {
      journal.append(changes(1));
    }
    Path file = directory.resolve("journal");
    byte[] whole = Files.readAllBytes(file);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] wrong = whole.clone();
      wrong[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, wrong);
      List<String> found = new ArrayList<>();
      read(found).close();
      assertThat(found).as("bit %d", bit).isEmpty();
    }
  }

  @Test
  void theFileBeforeThePresentOneIsKept() throws IOException {
    try (HistoryJournal journal = read(new ArrayList<>())) {
      for (int value = 1; value <= 3; value++) {
        journal.append(changes(value));
        journal.rotate();
      }
      journal.append(changes(4));
    }
    List<String> found = new ArrayList<>();
    read(found).close();
    assertThat(found).containsExactly("3 orders 3", "4 orders 4");
  }

  @Test
  void nothingIsWrittenIfNothingChanged() throws IOException {
    try (HistoryJournal journal = read(new ArrayList<>())) {
      journal.append(Map.of("idle", new byte[0]));
      assertThat(journal.last()).isZero();
      assertThat(directory).isEmptyDirectory();
    }
  }

  @Test
  void manyChangesAreSeveralFramesAndMakeItLarge() throws IOException {
    Map<String, byte[]> many = new TreeMap<>();
    for (int i = 0; i < 5; i++) {
      many.put("history" + i, new byte[600_000]);
    }
    try (HistoryJournal journal = read(new ArrayList<>())) {
      journal.append(many);
      assertThat(journal.last()).isEqualTo(3);
      assertThat(journal.isLarge()).isTrue();
      journal.rotate();
      assertThat(journal.isLarge()).isFalse();
      journal.clear();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aFrameThatIsTooLongIsNeitherWrittenNorRead() throws IOException {
    byte[] content = new byte[HistoryJournal.LONGEST_FRAME + 1];
    List<String> found = new ArrayList<>();
    try (HistoryJournal journal = new HistoryJournal(directory, 1 << 30)) {
      assertThatThrownBy(() -> journal.append(Map.of("orders", content)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("limit 33554432");
      journal.append(changes(1));
    }
    Path file = directory.resolve("journal");
    ByteBuffer frame = ByteBuffer.allocate(12 + content.length + 4);
    frame.putInt(content.length).putLong(9).put(content);
    CRC32C crc = new CRC32C();
    crc.update(frame.array(), 0, frame.position());
    Files.write(file, frame.putInt((int) crc.getValue()).array(), StandardOpenOption.APPEND);
    try (HistoryJournal journal = new HistoryJournal(directory, 1 << 30)) {
      journal.read((number, history, changes) -> found.add(history));
      assertThat(found).containsExactly("orders");
    }
  }

  @Test
  void aJournalThatIsTooLargeIsDeletedAndBegunAgain() throws IOException {
    for (String name : List.of("journal", "journal.old")) {
      try (FileChannel channel =
          FileChannel.open(
              directory.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.allocate(1), 6L << 30); // with a hole
      }
    }
    List<String> found = new ArrayList<>();
    try (HistoryJournal journal = read(found)) {
      assertThat(directory).isEmptyDirectory();
      journal.append(changes(1));
    }
    read(found).close();
    assertThat(found).containsExactly("1 orders 1");
  }
}
