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
import io.forebay.chronicle.file.Mark;
import io.forebay.chronicle.file.SettingAside;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.MissingMessages;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import io.forebay.service.progress.Adoption;
import io.forebay.service.progress.AnsweredProgress;
import io.forebay.service.progress.Comparison;
import io.forebay.service.progress.HostedProgress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  @Test
  void theFilesOfTwoRequestsAtTheSameTimeOfTheClockAreKept() throws IOException {
    List<byte[]> damaged = new ArrayList<>();
    List<MissingMessages> missing = new ArrayList<>();
    for (long message : new long[] {350, 360}) {
      rig.damage(message);
      rig.forgetMark();
      missing.addAll(setAside());
      damaged.add(Files.readAllBytes(rig.files().getLast()));
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        assertThat(queue.stats(0).refusal()).isNull();
      }
    }
    assertThat(missing)
        .containsExactly(new MissingMessages(350, 350), new MissingMessages(360, 360));
    assertThat(aside()).hasSize(2);
    for (int i = 0; i < 2; i++) {
      assertThat(aside().reversed().get(i)).hasBinaryContent(damaged.get(i));
    }
  }

  @Test
  void aQueueBeginsWithTheGapIfItsOldestMessageIsMissing() throws IOException {
    patch(0, offset(0, 1) - Integer.BYTES, new byte[] {0x7f});
    List<MissingMessages> missing = setAside();
    assertThat(missing.getFirst().from()).isZero();
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Tailer tailer = queue.tailer(0)) {
      assertThat(queue.stats(0).first()).hasValue(0);
      assertThat(tailer.position()).isZero();
      tailer.seek(0);
    }
    assertHolds(400, missing);
  }

  /** A consumer has performed 450 messages; the queue kept 400 of them and accepted 20 others. */
  @ParameterizedTest
  @CsvSource({"400, 0", "400, 20", "430, 0", "0, 0"})
  void whatFollowsLostMessagesIsMovedBehindThem(int kept, int others) throws IOException {
    if (kept == 0) {
      for (Path file : rig.files()) {
        Files.delete(file);
      }
      rig.forgetMark();
    }
    List<MissingMessages> missing;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      if (kept > 400) {
        send(queue, 400, kept);
      }
      send(queue, kept, kept + others);
      queue.lost(0, kept, 450);
      try (Appender appender = queue.appender()) {
        assertThatThrownBy(() -> appender.append(0, Rig.bytes("late")))
            .isInstanceOf(QueueRefused.class);
      }
      missing = queue.setAside(0);
    }
    assertThat(missing).containsExactly(new MissingMessages(kept, 449));
    for (int opened = 0; opened < 2; opened++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1);
          Tailer tailer = queue.tailer(0)) {
        assertThat(queue.stats(0).refusal()).isNull();
        assertThat(queue.uncompared(0).orElseThrow()).isGreaterThanOrEqualTo(450);
        tailer.seek(kept == 0 ? 450 : kept);
        List<Long> moved = new ArrayList<>();
        tailer.poll(
            100,
            (position, message) -> {
              moved.add(position);
              assertThat(Rig.text(message)).isEqualTo("message " + (position - 450 + kept));
            });
        assertThat(moved).isEqualTo(range(450, 450 + others));
        assertThat(tailer.end()).isEqualTo(450 + others);
      }
    }
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 450 + others, 460 + others);
    }
  }

  /** The process dies after it replaced some of the two files, before it deleted the note. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void messagesAreMovedOnlyOnceIfTheProcessDiesMeanwhile(int replaced) throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 400, 410);
      rig.pass(backend, Duration.ofSeconds(2));
      send(queue, 410, 420);
      queue.lost(0, 400, 450);
      queue.setAside(0);
    }
    Path note = rig.partition(0).resolve(SettingAside.NOTE);
    Path mark = rig.partition(0).resolve(Mark.FILE);
    byte[] request = Files.readAllBytes(note);
    byte[] marked = Files.readAllBytes(mark);
    try (ChronicleBackend backend = rig.open()) {
      backend.open(QUEUE, 1);
    }
    List<Path> originals = aside();
    assertThat(originals).hasSize(2);
    for (Path original : originals.subList(0, 2 - replaced)) {
      Path file = rig.partition(0).resolve(original.getFileName());
      Files.copy(original, file, StandardCopyOption.REPLACE_EXISTING);
    }
    Files.write(mark, marked);
    Files.write(note, request);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Tailer tailer = queue.tailer(0)) {
      assertThat(queue.stats(0).refusal()).isNull();
      assertThat(tailer.end()).isEqualTo(470);
      tailer.seek(400);
      List<Long> moved = new ArrayList<>();
      tailer.poll(100, (position, message) -> moved.add(position));
      assertThat(moved).isEqualTo(range(450, 470));
    }
  }

  /** The message that an own service answered last is in the gap. */
  @ParameterizedTest
  @ValueSource(ints = {0, 20})
  void anOwnServiceContinuesBehindTheGap(int others) {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 400, 400 + others);
      queue.lost(0, 400, 450);
      queue.setAside(0);
    }
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        MessageQueue answers = backend.open("answers", 1);
        Tailer tailer = queue.tailer(0)) {
      Comparison comparison =
          new Comparison("here", queue, "shop", "answers", tailer, OptionalLong.of(449));
      assertThat(
              new AnsweredProgress(
                      new Adoption("shop", 0, queue, HostedProgress.none()),
                      answers,
                      System::nanoTime)
                  .resume(comparison)
                  .next())
          .isEqualTo(450);
    }
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
