/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryJournalTest {

  @TempDir Path directory;

  private static Map<String, byte[]> changes(int value) {
    return Map.of("orders", new byte[] {(byte) value, 1, 2}, "idle", new byte[0]);
  }

  /** A journal after a restart, with the first byte of each change that it read. */
  private HistoryJournal read(List<String> found) throws IOException {
    HistoryJournal journal = new HistoryJournal(directory);
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
    try (HistoryJournal journal = new HistoryJournal(directory)) {
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
}
