/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.send;
import static io.forebay.chronicle.Rig.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.chronicle.file.FrameScan;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import io.forebay.queue.stored.StoredQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Reads the files of a queue from outside, beside the process that owns them. */
class StoredTailerTest {

  /** On the disk: in memory each file may have whole pages of 2 MB. */
  @TempDir(factory = TempDirFactory.Standard.class)
  Path data;

  private Rig rig;

  @BeforeEach
  void prepare() {
    rig = new Rig(data);
  }

  private StoredQueue stored() {
    return new ChronicleStoredQueues(data)
        .queues().stream().filter(it -> it.name().equals(QUEUE)).findFirst().orElseThrow();
  }

  /** Reads what there is; checks each text against its position. */
  private static List<Long> read(Tailer tailer) {
    List<Long> positions = new ArrayList<>();
    int count;
    do {
      count =
          tailer.poll(
              1,
              (position, message) -> {
                assertThat(text(message)).isEqualTo("message " + position);
                positions.add(position);
              });
    } while (count > 0);
    return positions;
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  /** Three files: 0 to 99, 100 to 199, 200 to 299. */
  private void sendThreeFiles(ChronicleBackend backend, MessageQueue queue) {
    for (int file = 0; file < 3; file++) {
      send(queue, 100L * file, 100L * (file + 1));
      rig.pass(backend, Duration.ofSeconds(2));
    }
    assertThat(rig.files()).hasSize(3);
  }

  @Test
  void readsAndFindsMessagesInAllFilesWhileTheyAreOpen() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Tailer tailer = stored().tailer(0)) {
      assertThat(tailer.end()).isZero();
      assertThat(read(tailer)).isEmpty();
      sendThreeFiles(backend, queue);
      assertThat(read(tailer)).isEqualTo(range(0, 300));
      send(queue, 300, 310);
      assertThat(read(tailer)).isEqualTo(range(300, 310));
      assertThat(tailer.end()).isEqualTo(310);
      for (long from : new long[] {0, 1, 99, 100, 101, 199, 250, 309, 310}) {
        tailer.seek(from);
        assertThat(read(tailer)).isEqualTo(range(from, 310));
      }
      assertThatThrownBy(() -> tailer.seek(311)).isInstanceOf(PositionOutOfRange.class);
      assertThat(stored().stats(0).first()).hasValue(0);
      assertThat(stored().stats(0).bytes().orElseThrow()).isBetween(10_000L, 1_000_000L);
    }
  }

  @Test
  void findsAPositionInALargeFile() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      try (Appender appender = queue.appender()) {
        byte[] large = new byte[100_000];
        for (int i = 0; i < 200; i++) {
          appender.append(0, ByteBuffer.wrap(i % 10 == 0 ? large : new byte[50]));
        }
        Rig.settle(appender);
      }
      send(queue, 200, 20_000);
      try (Tailer tailer = stored().tailer(0)) {
        assertThat(tailer.end()).isEqualTo(20_000);
        for (long from = 7; from < 20_000; from += 611) {
          tailer.seek(from);
          long[] found = {-1};
          assertThat(tailer.poll(1, (position, message) -> found[0] = position)).isOne();
          assertThat(found[0]).isEqualTo(from);
        }
      }
    }
  }

  @Test
  void continuesWithTheNextFileWhenRetentionDeletesOne() throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      sendThreeFiles(backend, queue);
      try (Tailer tailer = stored().tailer(0);
          Tailer late = stored().tailer(0)) {
        assertThat(tailer.poll(10, (position, message) -> {})).isEqualTo(10);
        Files.delete(rig.files().get(1));
        Files.delete(rig.files().get(0));
        assertThat(read(tailer)).containsAll(range(10, 100)).endsWith(299L);
        assertThat(read(late)).isEqualTo(range(200, 300));
        assertThatThrownBy(() -> late.seek(150)).isInstanceOf(PositionOutOfRange.class);
      }
      assertThat(stored().stats(0).first()).hasValue(200);
    }
  }

  @Test
  void skipsAGapAndADamagedMessage() throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 50);
      queue.skipTo(0, 80);
      assertThat(stored().stats(0).end()).hasValue(80);
      send(queue, 80, 90);
    }
    rig.damage(20);
    try (Tailer tailer = stored().tailer(0)) {
      List<Long> expected = new ArrayList<>(range(0, 90));
      expected.remove(20L);
      expected.removeAll(range(50, 80));
      assertThat(read(tailer)).isEqualTo(expected);
      tailer.seek(60);
      assertThat(read(tailer)).isEqualTo(range(80, 90));
      tailer.seek(20);
      assertThat(read(tailer)).startsWith(21L);
    }
  }

  @Test
  void readsTheMessagesBehindAHole() throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 50);
      rig.pass(backend, Duration.ofSeconds(2));
      send(queue, 50, 100);
    }
    zero(rig.files().getFirst(), 20);
    zero(rig.files().getLast(), 80);
    try (Tailer tailer = stored().tailer(0)) {
      assertThat(tailer.end()).isEqualTo(100);
      List<Long> expected = new ArrayList<>(range(0, 100));
      expected.removeAll(List.of(20L, 80L));
      assertThat(read(tailer)).isEqualTo(expected);
    }
  }

  /** Overwrites a message with zeros, as if its page had not been written. */
  private static void zero(Path path, long message) throws IOException {
    long start;
    long end;
    try (FrameScan scan = new FrameScan(path)) {
      do {
        start = scan.end();
        assertThat(scan.next()).isPositive();
        end = scan.end();
      } while (scan.frame().number() != message);
    }
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate((int) (end - start)), start);
    }
  }

  @Test
  void aMessageWhoseHandlerThrewIsReadAgain() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Tailer tailer = stored().tailer(0)) {
      send(queue, 0, 3);
      assertThatThrownBy(() ->
              tailer.poll(
                  3,
                  (position, message) -> {
                    if (position == 1) {
                      throw new IllegalStateException("expected");
                    }
                  }))
          .hasMessage("expected");
      assertThat(read(tailer)).isEqualTo(range(1, 3));
    }
  }

  @Test
  void saysWhichDirectoryIsMissing() {
    assertThatThrownBy(() -> new ChronicleStoredQueues(data.resolve("none")).queues())
        .isInstanceOf(QueueFailed.class)
        .hasMessageContainingAll(data.resolve("none/queues").toString(), "--forebay.data=DIR");
  }
}
