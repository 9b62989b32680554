/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.range;
import static io.forebay.chronicle.Rig.readAll;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.chronicle.file.FrameScan;
import io.forebay.chronicle.file.SettingAside;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.MissingMessages;
import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator has the damaged part of a partition set aside. */
final class SetAsideTest {

  @TempDir Path data;
  private Rig rig;

  /** Four files of a hundred messages each. */
  @BeforeEach
  void write() {
    rig = new Rig(data);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      for (int i = 0; i < 4; i++) {
        send(queue, i * 100L, i * 100L + 100);
        rig.pass(backend, Duration.ofSeconds(2));
      }
    }
    assertThat(rig.files()).hasSize(4);
  }

  private List<MissingMessages> setAside() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      readAll(queue);
      List<MissingMessages> missing = queue.setAside(0);
      assertThat(queue.stats(0).refusal()).as("until it is opened again").isNotNull();
      return missing;
    }
  }

  /** Everything but the missing messages is there, now and after further appends. */
  private void assertHolds(long end, List<MissingMessages> missing) {
    List<Long> expected = new ArrayList<>(range(0, end));
    missing.forEach(gap -> expected.removeAll(range(gap.from(), gap.to() + 1)));
    for (int i = 0; i < 3; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        assertThat(queue.stats(0).refusal()).isNull();
        assertThat(queue.verify(0, 0).good()).isTrue();
        assertThat(readAll(queue)).isEqualTo(new Rig.Read(expected, null));
        long next = end + i * 10L;
        send(queue, next, next + 10);
        expected.addAll(range(next, next + 10));
        assertThat(readAll(queue)).isEqualTo(new Rig.Read(expected, null));
      }
    }
  }

  private List<Path> aside() throws IOException {
    try (Stream<Path> all = Files.walk(rig.partition(0))) {
      return all.filter(file -> file.getParent().getFileName().toString().startsWith("set-aside-"))
          .sorted()
          .toList();
    }
  }

  private void patch(int file, long offset, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(rig.files().get(file), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), offset);
    }
  }

  /** Where a message begins in its file. */
  private long offset(int file, long message) throws IOException {
    try (FrameScan scan = new FrameScan(rig.files().get(file))) {
      long before = 0;
      while (scan.next() != FrameScan.NOTHING && scan.frame().number() != message) {
        before = scan.end();
      }
      return before;
    }
  }

  @Test
  void readableMessagesAndTheDamagedFilesAreKept() throws IOException {
    rig.damage(350);
    byte[] damaged = Files.readAllBytes(rig.files().getLast());
    List<MissingMessages> missing = setAside();
    assertThat(missing).containsExactly(new MissingMessages(350, 350));
    assertHolds(400, missing);
    assertThat(aside()).hasSize(1);
    assertThat(aside().getFirst()).hasBinaryContent(damaged);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHoleInAnOlderFileLeavesAGap(boolean diesMeanwhile) throws IOException {
    patch(1, offset(1, 140), new byte[600]);
    List<MissingMessages> missing = setAside();
    assertThat(missing).hasSize(1);
    assertThat(missing.getFirst().from()).isEqualTo(140);
    assertThat(missing.getFirst().to()).isBetween(150L, 180L);
    if (diesMeanwhile) {
      rig.force =
          (file, metadata) -> {
            throw new IOException("the power goes");
          };
      try (ChronicleBackend backend = rig.open()) {
        assertThatThrownBy(() -> backend.open(QUEUE, 1)).isInstanceOf(QueueFailed.class);
      }
      rig.force = null;
    }
    assertHolds(400, missing);
    assertThat(aside()).hasSize(3);
  }

  @Test
  void aLostEndLeavesAGapSoThatNoPositionIsUsedTwice() throws IOException {
    Files.delete(rig.files().getLast());
    List<MissingMessages> missing = setAside();
    assertThat(missing).containsExactly(new MissingMessages(300, 399));
    assertHolds(400, missing);
  }

  @Test
  void aLostFileInBetweenLeavesAGap() throws IOException {
    Files.delete(rig.files().get(1));
    List<MissingMessages> missing = setAside();
    assertThat(missing).containsExactly(new MissingMessages(100, 199));
    assertHolds(400, missing);
  }

  @Test
  void aQueueThatCannotEvenBeOpenedIsSetAsideByANoteInItsDirectory() throws IOException {
    patch(2, 0, new byte[200]);
    try (ChronicleBackend backend = rig.open()) {
      assertThatThrownBy(() -> backend.open(QUEUE, 1))
          .isInstanceOf(QueueFailed.class)
          .hasMessageContaining(rig.files().get(2).getFileName().toString());
    }
    Files.createFile(rig.partition(0).resolve(SettingAside.NOTE));
    assertHolds(400, List.of());
    assertThat(aside()).hasSize(4);
  }

  @Test
  void anUndamagedPartitionIsNotSetAside() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThatThrownBy(() -> queue.setAside(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> queue.setAside(1)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
