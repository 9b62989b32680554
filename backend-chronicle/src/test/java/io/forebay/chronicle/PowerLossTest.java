/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.settle;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chronicle.file.Mark;
import io.forebay.chronicle.place.QueueProperties;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The power fails while a group of messages is written. The disk then has everything forced before,
 * and of each page written since, the old content, the new content, or sectors of both. The test
 * makes many such disks from one run and opens the queue on each.
 */
final class PowerLossTest {

  private static final int FEW_IMAGES = 50;
  private static final int IMAGES = Integer.getInteger("forebay.power.images", 250);
  private static final long SEED = Long.getLong("forebay.power.seed", System.nanoTime());
  private static final int PAGE = 4096;
  private static final int SECTOR = 512;
  private static final Path MEMORY = Path.of("/dev/shm");

  private Path scratch;
  private final Random random = new Random(SEED);
  private final List<byte[]> sent = new ArrayList<>();

  /** What was certainly on the disk, and what was written, when the power failed. */
  private record Moment(
      Map<String, byte[]> forced, Map<String, byte[]> written, int acknowledged, int appended) {}

  @BeforeEach
  void scratch() throws IOException {
    scratch =
        Files.isWritable(MEMORY)
            ? Files.createTempDirectory(MEMORY, "forebay-power")
            : Files.createTempDirectory("forebay-power");
  }

  @AfterEach
  void delete() throws IOException {
    delete(scratch);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"DISK, small index, true", "PROCESS, small index, true"})
  @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void everythingAcknowledgedExistsNothingElseAppearsAndMoreIsAccepted(
      Level level, String index, boolean rolls) throws Exception {
    survive(FEW_IMAGES, level, index, rolls);
  }

  @Tag("proof")
  @ParameterizedTest
  @CsvSource({
    "DISK, small index, false",
    "DISK, small index, true",
    "DISK, large index, false",
    "PROCESS, small index, true"
  })
  @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void theSameHoldsForManyDisks(Level level, String index, boolean rolls) throws Exception {
    survive(IMAGES, level, index, rolls);
  }

  private void survive(int images, Level level, String index, boolean rolls) throws Exception {
    RollCycle roll =
        index.equals("small index") ? TestRollCycles.TEST4_SECONDLY : RollCycles.FAST_HOURLY;
    List<Moment> moments = record(level, roll, rolls);
    int cut = 0;
    for (int i = 0; i < images; i++) {
      Moment moment = moments.get(random.nextInt(moments.size()));
      Path disk = scratch.resolve("disk");
      write(moment, disk);
      try {
        cut += check(disk, level, roll, moment) ? 1 : 0;
      } catch (Throwable e) {
        throw new AssertionError("image %d (seed=%d)".formatted(i, SEED), e);
      }
      delete(disk);
    }
    assertThat(cut).as("images that lost something").isGreaterThan(images / 10);
  }

  private List<Moment> record(Level level, RollCycle roll, boolean rolls) throws Exception {
    Rig rig = rig(scratch.resolve("run"), level, roll);
    Semaphore gate = new Semaphore(0);
    rig.force =
        (file, metadata) -> {
          gate.acquireUninterruptibly();
          try {
            file.force(metadata);
          } finally {
            gate.release();
          }
        };
    List<Moment> moments = new ArrayList<>();
    Map<String, byte[]> forced = new TreeMap<>();
    int acknowledged = 0;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Appender appender = queue.appender()) {
      for (int group = 0; group < 12; group++) {
        int size = 1 + random.nextInt(40);
        int rollAt = rolls && group % 3 == 2 ? random.nextInt(size) : -1;
        for (int i = 0; i < size; i++) {
          if (i == rollAt) {
            rig.wall = rig.wall.plus(Duration.ofSeconds(1));
            rig.nanos += 1_000_000_000;
            backend.tick(false);
          }
          append(appender);
          if (i == size - 1 || random.nextInt(10) == 0) {
            moments.add(new Moment(forced, files(rig), acknowledged, sent.size()));
          }
        }
        gate.release();
        settle(appender);
        if (level == Level.PROCESS) {
          long left = ((ChronicleMessageQueue) queue).log(0).store().files().firstOf(newest(queue));
          backend.tick(true);
          Awaitility.await().until(() -> ((ChronicleMessageQueue) queue).log(0).forced() >= left);
          acknowledged = (int) left;
          forced = files(rig);
          forced.remove(rig.files().getLast().getFileName().toString());
        } else {
          acknowledged = sent.size();
          forced = files(rig);
        }
        gate.acquire();
      }
      gate.release();
    }
    return moments;
  }

  private static int newest(MessageQueue queue) {
    return ((ChronicleMessageQueue) queue).log(0).cycle();
  }

  private void append(Appender appender) {
    byte[] message = new byte[random.nextInt(random.nextInt(10) == 0 ? 20_000 : 600)];
    random.nextBytes(message);
    appender.append(0, ByteBuffer.wrap(message));
    sent.add(message);
  }

  private static Rig rig(Path data, Level level, RollCycle roll) {
    Rig rig = new Rig(data);
    rig.options = Rig.options(level);
    rig.roll = roll;
    return rig;
  }

  /** The files of the partition, without trailing zeros. */
  private static Map<String, byte[]> files(Rig rig) throws IOException {
    Map<String, byte[]> all = new TreeMap<>();
    for (Path file : rig.files()) {
      all.put(file.getFileName().toString(), content(file));
    }
    Path mark = rig.partition(0).resolve(Mark.FILE);
    all.put(Mark.FILE, Files.readAllBytes(mark));
    return all;
  }

  private static byte[] content(Path file) throws IOException {
    byte[] all = Files.readAllBytes(file);
    int end = all.length;
    while (end > 0 && all[end - 1] == 0) {
      end--;
    }
    return Arrays.copyOf(all, (end + PAGE) / PAGE * PAGE);
  }

  private void write(Moment moment, Path disk) throws IOException {
    Path queue = disk.resolve("queues").resolve(QUEUE);
    Path partition = queue.resolve("0");
    Files.createDirectories(partition);
    Files.copy(
        scratch.resolve("run").resolve("queues").resolve(QUEUE).resolve(QueueProperties.FILE),
        queue.resolve(QueueProperties.FILE));
    boolean most = random.nextBoolean();
    for (Map.Entry<String, byte[]> file : moment.written.entrySet()) {
      byte[] old = moment.forced.get(file.getKey());
      if (file.getKey().equals(Mark.FILE)) {
        Files.write(partition.resolve(Mark.FILE), file.getValue());
      } else if (old != null || random.nextInt(8) > 0) {
        byte[] image = image(old == null ? new byte[0] : old, file.getValue(), most);
        write(partition.resolve(file.getKey()), image, old != null);
      }
    }
  }

  /**
   * Writes a file. A file that was never forced may have any length; trailing zeros are mostly
   * omitted.
   */
  private void write(Path path, byte[] image, boolean whole) throws IOException {
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      int size = whole || random.nextInt(8) > 0 ? image.length : random.nextInt(image.length);
      file.write(ByteBuffer.wrap(image, 0, size));
      if (size == image.length && random.nextInt(16) == 0) {
        file.write(ByteBuffer.allocate(1), 10 << 20);
      }
    }
  }

  /** Makes each page the old content, the new content, or sectors of both. */
  private byte[] image(byte[] old, byte[] written, boolean most) {
    byte[] image = Arrays.copyOf(old, written.length);
    for (int at = 0; at < written.length; at += PAGE) {
      int choice = random.nextInt(most ? 16 : 4);
      if (choice == 0) {
        continue;
      }
      for (int sector = at; sector < at + PAGE; sector += SECTOR) {
        if (choice > 1 || random.nextBoolean()) {
          System.arraycopy(written, sector, image, sector, SECTOR);
        }
      }
    }
    return image;
  }

  /** Whether something was lost; it must not have been acknowledged. */
  private boolean check(Path disk, Level level, RollCycle roll, Moment moment) throws IOException {
    Rig rig = rig(disk, level, roll);
    rig.boot = "two";
    rig.wall = rig.wall.plus(Duration.ofSeconds(random.nextInt(4)));
    int end;
    List<byte[]> expected;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).refusal()).isNull();
      end = Math.toIntExact(queue.stats(0).end().getAsLong());
      assertThat(end).isBetween(moment.acknowledged, moment.appended);
      expected = new ArrayList<>(sent.subList(0, end));
      assertHolds(queue, expected);
      try (Appender appender = queue.appender()) {
        for (int i = random.nextInt(4); i >= 0; i--) {
          byte[] message = new byte[random.nextInt(300)];
          random.nextBytes(message);
          appender.append(0, ByteBuffer.wrap(message));
          assertThat(appender.position()).isEqualTo(expected.size());
          expected.add(message);
        }
        settle(appender);
      }
      assertHolds(queue, expected);
    }
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).refusal()).isNull();
      assertHolds(queue, expected);
    }
    return end < moment.appended;
  }

  private void assertHolds(MessageQueue queue, List<byte[]> expected) {
    try (Tailer tailer = queue.tailer(0)) {
      int[] next = new int[1];
      while (tailer.poll(
              1_000,
              (position, message) -> {
                assertThat(position).isEqualTo(next[0]);
                if (!message.equals(ByteBuffer.wrap(expected.get(next[0])))) {
                  throw new AssertionError("message " + position + " is not what was appended");
                }
                next[0]++;
              })
          > 0) {}
      assertThat(next[0]).isEqualTo(expected.size());
      if (!expected.isEmpty()) {
        int seek = random.nextInt(expected.size());
        tailer.seek(seek);
        tailer.poll(1, (position, message) -> assertThat(position).isEqualTo(seek));
      }
    }
  }
}
