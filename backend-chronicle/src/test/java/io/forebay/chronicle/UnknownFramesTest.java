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

import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.Mark;
import io.forebay.chronicle.file.SettingAside;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files are intact, but this version does not understand them: a later version or another program
 * wrote them. A loss of power is no reason to delete them.
 */
final class UnknownFramesTest {

  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void rig() {
    rig = new Rig(data);
  }

  /** How the frames of the other version differ. */
  private enum Version {
    WITH_ANOTHER_KIND,
    WITH_ANOTHER_CHECKSUM
  }

  private void write(Version version, long from, long to) {
    rig.writers = queue -> new OtherWriter(queue, version);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, from, to);
      rig.pass(backend, Duration.ofSeconds(2));
      send(queue, to, to + 10);
    }
    rig.writers = FrameWriter::new;
  }

  private static final class OtherWriter extends FrameWriter {

    private final Version version;
    private final ExcerptAppender appender;

    OtherWriter(SingleChronicleQueue queue, Version version) {
      super(queue);
      this.version = version;
      appender = queue.createAppender();
      appender.singleThreadedCheckDisabled(true);
    }

    @Override
    public void write(StoredFrame frame) {
      if (version == Version.WITH_ANOTHER_KIND) {
        frame.word(frame.word() + (1L << 56));
      }
      Bytes<?> document = Bytes.allocateElasticOnHeap();
      document.writeLong(frame.word());
      document.writeInt(
          version == Version.WITH_ANOTHER_CHECKSUM ? ~frame.checksum() : frame.checksum());
      document.write(frame.bytes(), StoredFrame.WORD_BYTES, frame.length());
      appender.writeBytes(document);
    }

    @Override
    public int cycle() {
      return appender.cycle();
    }

    @Override
    public void close() {
      appender.close();
      super.close();
    }
  }

  private Map<String, byte[]> files() throws IOException {
    Map<String, byte[]> all = new TreeMap<>();
    for (Path file : rig.files()) {
      all.put(file.getFileName().toString(), Files.readAllBytes(file));
    }
    return all;
  }

  private static void assertSame(Map<String, byte[]> now, Map<String, byte[]> before) {
    assertThat(now.keySet()).isEqualTo(before.keySet());
    before.forEach((name, content) -> assertThat(now.get(name)).as(name).isEqualTo(content));
  }

  private void assertNotOpened() {
    try (ChronicleBackend backend = rig.open()) {
      assertThatThrownBy(() -> backend.open(QUEUE, 1))
          .isInstanceOf(QueueFailed.class)
          .hasMessageContainingAll(
              "partition 0 of queue orders.in",
              rig.partition(0).toString(),
              "2 files",
              "start the version that wrote them",
              "set-aside");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "WITH_ANOTHER_KIND, DISK, 0",
    "WITH_ANOTHER_KIND, PROCESS, 110",
    "WITH_ANOTHER_CHECKSUM, DISK, 110",
    "WITH_ANOTHER_CHECKSUM, PROCESS, 0"
  })
  void filesWithoutOneKnownFrameStayAfterALossOfPower(Version version, Level level, int marked)
      throws IOException {
    write(version, 0, 100);
    rig.losePower(level);
    Path mark = rig.partition(0).resolve(Mark.FILE);
    Files.writeString(mark, Files.readString(mark).replaceFirst("0", "" + marked));
    Map<String, byte[]> before = files();
    assertThat(before).hasSize(2);
    for (int i = 0; i < 2; i++) {
      assertNotOpened();
      assertSame(files(), before);
    }

    Files.createFile(rig.partition(0).resolve(SettingAside.NOTE));
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).end()).hasValue(marked);
      send(queue, marked, marked + 10);
    }
    assertSame(aside(), before);
  }

  private Map<String, byte[]> aside() throws IOException {
    Map<String, byte[]> all = new TreeMap<>();
    try (Stream<Path> walk = Files.walk(rig.partition(0))) {
      for (Path file : walk.filter(Files::isRegularFile).toList()) {
        if (file.getParent().getFileName().toString().startsWith("set-aside-")) {
          all.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
      }
    }
    return all;
  }

  /** The version is set back while the partition was not closed. */
  @ParameterizedTest
  @EnumSource(Version.class)
  void unknownFramesBehindKnownOnesAreNotCutAfterALossOfPower(Version version) throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 50);
    }
    write(version, 50, 100);
    rig.losePower(Level.DISK);
    Map<String, byte[]> before = files();
    for (int i = 0; i < 2; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        Rig.Read read = readAll(queue);
        assertThat(read.positions()).isEqualTo(range(0, 50));
        assertThat(read.failure()).hasMessageContaining("message 50");
        assertThat(queue.stats(0).refusal()).isNotNull();
      }
      assertSame(files(), before);
    }
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void aLastFrameOfAnotherVersionIsNotCut(Version version) throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 50);
    }
    rig.writers = queue -> new OtherWriter(queue, version);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 50, 51);
    }
    rig.writers = FrameWriter::new;
    Map<String, byte[]> before = files();
    rig.forgetMark();
    for (int i = 0; i < 2; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        assertThat(queue.stats(0).end()).hasValue(50);
        assertThat(queue.stats(0).damage()).isNotNull();
      }
      assertSame(files(), before);
      rig.losePower(Level.DISK);
    }
  }

  @Test
  void aGoodLastFrameIsNeverCut() throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 51);
    }
    rig.forgetMark();
    for (int i = 0; i < 2; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        assertReads(queue, 0, 51);
      }
      rig.losePower(Level.DISK);
    }
  }

  /** A process died, or the power was lost, while it created the first file. */
  @Test
  void aFileInWhichNothingWasWrittenIsNoReasonToRefuse() throws IOException {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 1);
    }
    byte[] header = new byte[512];
    ByteBuffer.wrap(Files.readAllBytes(rig.files().getFirst())).get(header);
    Files.write(rig.files().getFirst(), header);
    rig.losePower(Level.DISK);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 10);
      assertReads(queue, 0, 10);
    }
  }
}
