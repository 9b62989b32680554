/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.PATIENCE;
import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.bytes;
import static io.forebay.chronicle.Rig.range;
import static io.forebay.chronicle.Rig.readAll;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.ring.RingSettings;
import io.forebay.operations.StartRefused;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Storage;
import io.forebay.queue.Tailer;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that are accepted before they are in the files, while the disk stalls or fails. */
final class RingTest {

  private static final int MANY = 1 << 20;
  private static final int HEADER_BYTES = 4096;

  @TempDir Path directory;
  private Rig rig;
  private final Semaphore permits = new Semaphore(0);
  private volatile boolean broken;

  @BeforeEach
  void setUp() {
    rig = new Rig(directory.resolve("d"));
    rig.options = Rig.ringOptions(Level.PROCESS, directory);
    rig.writers = queue -> new GatedWriter(queue, permits, () -> broken);
  }

  private static MessageQueue open(ChronicleBackend backend) {
    return backend.open(QUEUE, 1);
  }

  private static long stored(MessageQueue queue) {
    return ((ChronicleMessageQueue) queue).log(0).stored();
  }

  private static Storage.Ring ring(ChronicleBackend backend) {
    Storage.Ring ring = backend.storage().orElseThrow().queues().getFirst().ring();
    assertThat(ring).isNotNull();
    return ring;
  }

  @Test
  void messagesAreReadInOrderWhileTheDiskStallsAndWhileItCatchesUp() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      assertThat(queue.inMemoryFirst()).isTrue();
      send(queue, 0, 300);
      assertReads(queue, 0, 300);
      assertThat(stored(queue)).isZero();
      try (Tailer tailer = queue.tailer(0)) {
        for (long position = 0; position < 300; position++) {
          permits.release(position % 7 == 0 ? 13 : 1);
          long expected = position;
          tailer.seek(position);
          assertThat(tailer.poll(1, (at, message) -> assertThat(at).isEqualTo(expected)))
              .isEqualTo(1);
        }
      }
      permits.release(MANY);
      Awaitility.await().until(() -> stored(queue) == 300);
      assertReads(queue, 0, 300);
    }
  }

  @Test
  void fillHighWaterMarkAndLagAreReported() {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      assertThat(ring(backend)).isEqualTo(new Storage.Ring(64 << 10, 0, 0, Duration.ZERO));
      send(queue, 0, 100);
      assertThat(ring(backend).usedBytes()).isBetween(100L * 32, 100L * 64);
      Awaitility.await().until(() -> ring(backend).lag().toMillis() >= 20);
      permits.release(MANY);
      Awaitility.await().until(() -> ring(backend).usedBytes() == 0);
      assertThat(ring(backend).highWaterBytes()).isBetween(32L, 100L * 64);
      assertThat(ring(backend).lag()).isZero();
    }
  }

  @Test
  void appendsWaitWhileTheRingIsFull() throws Exception {
    permits.drainPermits();
    rig.options = rig.options.withRing(new RingSettings(directory, 64 << 10));
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend);
        Appender appender = queue.appender()) {
      long begin = queue.stats(0).end().getAsLong();
      Thread other = Thread.ofPlatform().start(() -> fill(appender, begin));
      Awaitility.await().until(() -> other.getState() == Thread.State.TIMED_WAITING);
      long full = queue.stats(0).end().getAsLong();
      other.interrupt();
      other.join();
      assertThat(queue.stats(0).end()).hasValue(full);
      assertThat(full - begin).isBetween(900L, 2000L);
      permits.release(MANY);
      Awaitility.await().until(() -> stored(queue) == full);
      send(queue, full, full + 500);
      assertReads(queue, 0, full + 500);
    }
  }

  private static void fill(Appender appender, long begin) {
    assertThatThrownBy(
            () -> {
              for (long position = begin; ; position++) {
                appender.append(0, bytes("message " + position));
              }
            })
        .isInstanceOfSatisfying(
            QueueRefused.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.FULL);
              assertThat(refused.fill()).isBetween(0.9, 1.0);
              assertThat(refused.retryAfter()).isPositive();
            });
  }

  @Test
  void atLevelDiskNothingIsAcknowledgedBeforeItIsForced() throws Exception {
    rig.options = Rig.ringOptions(Level.DISK, directory);
    Semaphore forces = new Semaphore(0);
    rig.force =
        (file, metadata) -> {
          forces.acquireUninterruptibly();
          file.force(metadata);
        };
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend);
        Appender appender = queue.appender()) {
      appender.append(0, bytes("message 0"));
      boolean inTheRing = isAcknowledged(appender, Duration.ofMillis(200));
      permits.release(MANY);
      Awaitility.await().until(() -> stored(queue) == 1 && forces.hasQueuedThreads());
      boolean inTheFile = isAcknowledged(appender, Duration.ofMillis(100));
      forces.release(MANY);
      assertThat(isAcknowledged(appender, PATIENCE)).isTrue();
      assertThat(inTheRing).isFalse();
      assertThat(inTheFile).isFalse();
      assertThat(queue.stats(0).acknowledged()).hasValue(1);
    }
  }

  private static boolean isAcknowledged(Appender appender, Duration within)
      throws InterruptedException {
    try {
      appender.await(1, within);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  @Test
  void aMessageThatIsTooLargeForTheRingKeepsItsPlace() {
    permits.release(MANY);
    byte[] large = new byte[100_000];
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend);
        Appender appender = queue.appender();
        Tailer tailer = queue.tailer(0)) {
      for (int i = 0; i < 20; i++) {
        appender.append(0, i % 3 == 2 ? ByteBuffer.wrap(large) : ByteBuffer.allocate(i));
      }
      int[] read = {0};
      while (tailer.poll(
              3,
              (position, message) ->
                  assertThat(message.remaining())
                      .isEqualTo(read[0]++ % 3 == 2 ? large.length : position))
          > 0) {}
      assertThat(read[0]).isEqualTo(20);
    }
  }

  @Test
  void appendingAllocatesNothing() {
    permits.release(MANY);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend);
        Appender appender = queue.appender()) {
      ByteBuffer message = ByteBuffer.allocateDirect(32);
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      for (int i = 0; i < 30_000; i++) {
        appender.append(0, message);
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        appender.append(0, message);
      }
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    }
  }

  @Test
  void refusesTheStartWithoutDirectoryAndWithoutRoom() throws IOException {
    rig.options = rig.options.withRing(new RingSettings(directory.resolve("no"), 64 << 10));
    try (ChronicleBackend backend = rig.open()) {
      assertThatThrownBy(() -> open(backend))
          .isInstanceOf(StartRefused.class)
          .hasMessageContaining("does not exist");
    }
    Path small = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        ChildProcess.tryRun("mount", "-t", "tmpfs", "-o", "size=64k", "t", small.toString())
            .isPresent(),
        "a tmpfs can only be mounted by root on Linux");
    rig.options = rig.options.withRing(new RingSettings(small, 64 << 10));
    try (ChronicleBackend backend = rig.open()) {
      assertThatThrownBy(() -> open(backend))
          .isInstanceOf(StartRefused.class)
          .hasMessageContaining("make room");
      assertThat(small).isEmptyDirectory();
    } finally {
      Awaitility.await().until(() -> ChildProcess.tryRun("umount", small.toString()).isPresent());
    }
  }

  /** Leaves 100 messages: the first ones in the file, the others in the ring. */
  private Path leave(int inFile) {
    rig.writers = queue -> new GatedWriter(queue, permits, () -> broken);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      permits.release(inFile);
      send(queue, 0, 100);
      Awaitility.await().until(() -> stored(queue) == inFile);
      broken = true;
      permits.release(MANY);
    }
    rig.writers = FrameWriter::new;
    return rings().getFirst();
  }

  @ParameterizedTest
  @EnumSource(ChronicleBackend.Writing.class)
  void whatAFailedWriteLeftInTheRingIsWrittenByTheNextStart(ChronicleBackend.Writing next) {
    leave(40);
    rig.options = rig.options.withWriting(next);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      assertThat(stored(queue)).isEqualTo(100);
      assertReads(queue, 0, 100);
      send(queue, 100, 110);
    }
    rig.options = rig.options.withWriting(ChronicleBackend.Writing.DIRECT);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      assertReads(queue, 0, 110);
    }
    assertThat(rings()).isEmpty();
  }

  /** What can be wrong with a ring. */
  private enum Misfit {
    GONE,
    OTHER_PARTITION,
    CUT,
    BAD_COUNTERS,
    BAD_FRAME,
    HOLE;

    void make(Path ring) throws IOException {
      switch (this) {
        case GONE -> Files.delete(ring);
        case OTHER_PARTITION -> flip(ring, 32);
        case CUT -> Files.write(ring, Arrays.copyOf(Files.readAllBytes(ring), 10_000));
        case BAD_COUNTERS -> flip(ring, 2048 + 7);
        case BAD_FRAME -> flip(ring, HEADER_BYTES + 60 * 48 + 40);
        case HOLE -> flip(ring, 2048 + 4);
      }
    }

    private static void flip(Path ring, int at) throws IOException {
      byte[] content = Files.readAllBytes(ring);
      content[at] ^= 1;
      Files.write(ring, content);
    }
  }

  @ParameterizedTest
  @EnumSource(Misfit.class)
  void aRingThatDoesNotFitStopsThePartitionUntilAnOperatorSetsTheDamageAside(Misfit misfit)
      throws IOException {
    Path ring = leave(40);
    misfit.make(ring);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      QueueStats.Damage damage = queue.stats(0).damage();
      assertThat(damage).isNotNull();
      assertThat(damage.what()).contains(ring.toString());
      assertThat(readAll(queue).failure()).isNotNull();
      assertThatThrownBy(() -> send(queue, 40, 41)).isInstanceOf(QueueRefused.class);
      queue.setAside(0);
    }
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      assertThat(queue.stats(0).damage()).isNull();
      long end = queue.stats(0).end().getAsLong();
      send(queue, end, end + 10);
      Rig.Read read = readAll(queue);
      assertThat(read.failure()).isNull();
      assertThat(read.positions()).containsAll(range(0, 40)).doesNotHaveDuplicates().isSorted();
    }
  }

  @Test
  void aRestartOfTheHostMayEmptyTheRing() throws IOException {
    Files.delete(leave(40));
    rig.boot = "two";
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      assertThat(queue.stats(0).damage()).isNull();
      send(queue, 40, 50);
      assertReads(queue, 0, 50);
    }
  }

  @Test
  void aRingIsNotSharedByTwoCopiesOfADataDirectory() throws IOException {
    permits.release(MANY);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = open(backend)) {
      send(queue, 0, 10);
      Path copy = directory.resolve("copy");
      ChildProcess.run("cp", "-r", rig.data.toString(), copy.toString());
      Rig other = new Rig(copy);
      other.options = rig.options;
      try (ChronicleBackend second = other.open()) {
        assertThatThrownBy(() -> open(second))
            .isInstanceOf(StartRefused.class)
            .hasMessageContaining("in use");
      }
      send(queue, 10, 20);
      assertReads(queue, 0, 20);
    }
  }

  private List<Path> rings() {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(it -> it.toString().endsWith(".ring")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
