/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forebay.chronicle.file.DiskSpace;
import io.forebay.chronicle.file.FrameScan;
import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.Host;
import io.forebay.chronicle.file.Mark;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.chronicle.ring.RingSettings;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;
import org.jspecify.annotations.Nullable;

/** A backend on a simulated machine, with the steps that the tests share. */
public final class Rig {

  public static final String QUEUE = "orders.in";
  static final Duration PATIENCE = Duration.ofSeconds(120);

  final Path data;
  RollCycle roll = TestRollCycles.TEST_SECONDLY;
  public ChronicleBackend.Options options = options(Level.PROCESS);
  Function<SingleChronicleQueue, FrameWriter> writers = FrameWriter::new;
  volatile Instant wall = Instant.parse("2026-03-01T12:00:00Z");
  String boot = "one";
  volatile long nanos;
  public volatile long usable = 1L << 40;
  public volatile long total = 1L << 41;
  volatile Host.@Nullable Force force;
  Host.Read read = Host.Read.PLAIN;

  public Rig(Path data) {
    this.data = data;
  }

  /** No minimum of free disk space on the test machine. */
  public static ChronicleBackend.Options options(Level level) {
    return ChronicleBackend.Options.defaults().withLevel(level).withMinFree(0, 0);
  }

  /** Like {@link #options}, with rings of 64 KiB in a directory. */
  static ChronicleBackend.Options ringOptions(Level level, Path rings) {
    return options(level)
        .withWriting(ChronicleBackend.Writing.ASYNC)
        .withRing(new RingSettings(rings, 64 << 10));
  }

  public ChronicleBackend open() {
    return ChronicleBackend.open(
        data,
        options,
        new Host(
            roll,
            8 << 20,
            () -> wall.toEpochMilli(),
            () -> nanos,
            () -> new DiskSpace.Room(usable, total),
            this::force,
            read,
            writers,
            boot,
            false));
  }

  private void force(FileChannel file, boolean metadata) throws IOException {
    Host.Force instead = force;
    if (instead == null) {
      file.force(metadata);
    } else {
      instead.force(file, metadata);
    }
  }

  /** Advances time. */
  public void pass(ChronicleBackend backend, Duration time) {
    wall = wall.plus(time);
    nanos += time.toNanos();
    backend.tick(true);
  }

  /** Sets the wall clock. */
  void setClock(ChronicleBackend backend, Duration by) {
    wall = wall.plus(by);
    backend.tick(true);
  }

  Path partition(int partition) {
    return data.resolve("queues").resolve(QUEUE).resolve(Integer.toString(partition));
  }

  /** The files of partition 0, oldest first. */
  List<Path> files() {
    try (Stream<Path> all = Files.list(partition(0))) {
      return all.filter(file -> file.toString().endsWith(".cq4")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the mark as if the process had died: the next start has to read everything again. */
  void forgetMark() throws IOException {
    Files.deleteIfExists(partition(0).resolve(Mark.FILE));
  }

  /** The position up to which partition 0 is known to be good. */
  String mark() {
    try {
      return Files.readAllLines(partition(0).resolve(Mark.FILE)).getFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Flips a bit of a message in the newest file. */
  void damage(long message) throws IOException {
    long last;
    try (FrameScan scan = new FrameScan(files().getLast())) {
      do {
        assertThat(scan.next()).as("message %d is in the file", message).isPositive();
      } while (scan.frame().number() != message);
      last = scan.end() - Integer.BYTES;
    }
    try (FileChannel file =
        FileChannel.open(files().getLast(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(one, last);
      file.write(one.put(0, (byte) (one.get(0) ^ 1)).clear(), last);
    }
  }

  /** Simulates a power failure before anything was marked. */
  void losePower(Level level) throws IOException {
    Files.writeString(partition(0).resolve(Mark.FILE), "0\nopen " + level + " " + boot + "\n");
    boot += " more";
  }

  public static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  static String text(ByteBuffer message) {
    return UTF_8.decode(message.duplicate()).toString();
  }

  /** Appends {@code message <position>} to partition 0, from one position up to another. */
  public static void send(MessageQueue queue, long from, long to) {
    try (Appender appender = queue.appender()) {
      for (long i = from; i < to; i++) {
        appender.append(0, bytes("message " + i));
        assertThat(appender.position()).isEqualTo(i);
      }
      settle(appender);
    }
  }

  static void settle(Appender appender) {
    try {
      appender.await(appender.ticket(), PATIENCE);
    } catch (TimeoutException | InterruptedException e) {
      throw new AssertionError("not acknowledged", e);
    }
  }

  /** What was read, and why reading stopped; null if it reached the end. */
  record Read(List<Long> positions, @Nullable QueueFailed failure) {}

  /** Reads partition 0 from its start and checks each text against its position. */
  static Read readAll(MessageQueue queue) {
    List<Long> positions = new ArrayList<>();
    try (Tailer tailer = queue.tailer(0)) {
      while (tailer.poll(
              100,
              (position, message) -> {
                assertThat(text(message)).isEqualTo("message " + position);
                positions.add(position);
              })
          > 0) {}
      return new Read(positions, null);
    } catch (QueueFailed e) {
      return new Read(positions, e);
    }
  }

  /** Reads partition 0 and expects exactly the messages from one position up to another. */
  public static void assertReads(MessageQueue queue, long from, long to) {
    Read read = readAll(queue);
    assertThat(read.failure()).isNull();
    assertThat(read.positions()).isEqualTo(range(from, to));
  }

  static List<Long> range(long from, long to) {
    return java.util.stream.LongStream.range(from, to).boxed().toList();
  }

  /** Writes messages to a queue and closes it. */
  void write(int messages) {
    try (ChronicleBackend backend = open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, messages);
    }
  }

  /** Where the document of a message begins in the newest file. */
  long start(long message) throws IOException {
    return place(message) - StoredFrame.DISTANCE_BYTES - StoredFrame.HEADER_BYTES - Integer.BYTES;
  }

  /** Where the text of a message begins in the newest file. */
  long place(long message) throws IOException {
    byte[] wanted = ("message " + message).getBytes(UTF_8);
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(files().getLast()));
    for (int i = 0; i < file.capacity() - wanted.length; i++) {
      if (file.get(i) == 'm' && file.slice(i, wanted.length).equals(ByteBuffer.wrap(wanted))) {
        return i;
      }
    }
    throw new AssertionError("message " + message + " is not in the file");
  }

  /** Overwrites a part of the newest file. */
  void patch(long offset, byte... bytes) throws IOException {
    try (FileChannel file = FileChannel.open(files().getLast(), StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(bytes), offset);
    }
  }

  static void truncate(Path path, long size) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      file.truncate(size);
    }
  }

  static byte[] littleEndian(int word) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(word).array();
  }

  /** Reading stops at a message, and nothing can be appended. */
  static void assertDamagedAt(MessageQueue queue, long position) {
    Rig.Read read = readAll(queue);
    assertThat(read.positions()).isEqualTo(range(0, position));
    assertThat(read.failure())
        .hasMessageContaining(QUEUE)
        .hasMessageContaining("partition 0")
        .hasMessageContaining("message %,d".formatted(position));
    try (Tailer tailer = queue.tailer(0)) {
      tailer.seek(position);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> tailer.poll(1, (at, message) -> {}))
            .isInstanceOf(QueueFailed.class);
        assertThat(tailer.position()).isEqualTo(position);
      }
    }
    assertRefuses(queue);
    assertThat(queue.stats(0).damage().position()).isEqualTo(position);
  }

  static void assertRefuses(MessageQueue queue) {
    QueueRefused refused =
        catchThrowableOfType(
            QueueRefused.class, () -> queue.appender().append(0, ByteBuffer.allocate(1)));
    assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.FAILED);
    assertThat(queue.stats(0).refusal().reason()).isEqualTo(QueueRefused.Reason.FAILED);
  }
}
