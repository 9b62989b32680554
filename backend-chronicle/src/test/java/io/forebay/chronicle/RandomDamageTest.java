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
import static io.forebay.chronicle.Rig.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chronicle.file.Mark;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import net.openhft.chronicle.queue.RollCycles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file of a queue whose process died, damaged at a random place, many times. A reader gets the
 * messages before the damage, or all of them, and never a wrong one; missing messages are reported.
 */
final class RandomDamageTest {

  private static final int FEW_IMAGES = 40;
  private static final int IMAGES = Integer.getInteger("forebay.damage.images", 120);
  private static final long SEED = Long.getLong("forebay.damage.seed", 20260301L);
  private static final int MESSAGES = 3_000;

  @TempDir Path data;

  /**
   * @param marked whether the queue was closed cleanly before, so that a start does not read all of
   *     it
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void noWrongMessageIsReturnedAndMissingOnesAreReported(boolean marked) throws IOException {
    survive(FEW_IMAGES, marked);
  }

  @Tag("proof")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void theSameHoldsForManyImages(boolean marked) throws IOException {
    survive(IMAGES, marked);
  }

  private void survive(int images, boolean marked) throws IOException {
    Rig rig = new Rig(data);
    rig.roll = RollCycles.FAST_HOURLY;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, MESSAGES);
    }
    Path file = rig.files().getFirst();
    byte[] image = written(file);

    Random random = new Random(SEED);
    int stopped = 0;
    for (int i = 0; i < images; i++) {
      String what = damage(file, image.clone(), random);
      Path mark = rig.partition(0).resolve(Mark.FILE);
      Files.deleteIfExists(mark);
      if (marked) {
        Files.writeString(mark, Long.toString(MESSAGES));
      }
      try {
        stopped += checkOne(rig, random, marked) ? 1 : 0;
      } catch (Throwable e) {
        throw new AssertionError("image %d: %s (seed=%d)".formatted(i, what, SEED), e);
      }
    }
    assertThat(stopped).as("images that stopped the partition").isGreaterThan(images / 2);
  }

  /** The part of the file that was written. */
  private static byte[] written(Path file) throws IOException {
    byte[] all = Files.readAllBytes(file);
    int end = all.length;
    while (all[end - 1] == 0) {
      end--;
    }
    byte[] part = new byte[end + 8];
    System.arraycopy(all, 0, part, 0, end);
    return part;
  }

  private String damage(Path file, byte[] image, Random random) throws IOException {
    int at = random.nextInt(10) == 0 ? random.nextInt(8) : random.nextInt(image.length);
    int size = 1 << random.nextInt(13);
    String what;
    switch (random.nextInt(4)) {
      case 0 -> {
        image[at] ^= (byte) (1 << random.nextInt(8));
        what = "one bit at " + at;
      }
      case 1 -> {
        int from = at / size * size;
        Arrays.fill(image, from, Math.min(image.length, from + size), (byte) 0);
        what = size + " zeros at " + from;
      }
      case 2 -> {
        byte[] noise = new byte[Math.min(size, image.length - at)];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, image, at, noise.length);
        what = noise.length + " bytes of noise at " + at;
      }
      default -> {
        at = Math.max(at, 100_000);
        image = Arrays.copyOf(image, at);
        what = "cut off at " + at;
      }
    }
    Files.deleteIfExists(file);
    Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".unfinished"));
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(image));
    }
    return what;
  }

  /** Whether the damage stopped the partition. */
  private static boolean checkOne(Rig rig, Random random, boolean marked) {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertSeeks(queue, random);
      Rig.Read read = readAll(queue);
      int count = read.positions().size();
      assertThat(read.positions()).isEqualTo(range(0, count));
      boolean stopped = queue.stats(0).refusal() != null;
      assertThat(queue.stats(0).damage() != null).isEqualTo(stopped);
      if (stopped) {
        assertThat(read.failure() != null || count == MESSAGES).isTrue();
        return true;
      }
      assertThat(read.failure()).isNull();
      assertThat(count).isGreaterThanOrEqualTo(marked ? MESSAGES : MESSAGES - 1);
      send(queue, count, count + 300);
      assertReads(queue, 0, count + 300);
      return false;
    } catch (QueueFailed cannotBeOpened) {
      return true;
    }
  }

  private static void assertSeeks(MessageQueue queue, Random random) {
    try (Tailer tailer = queue.tailer(0)) {
      for (int i = 0; i < 5; i++) {
        long to = random.nextLong(MESSAGES);
        tailer.seek(to);
        tailer.poll(
            10, (position, message) -> assertThat(text(message)).isEqualTo("message " + position));
      }
    } catch (PositionOutOfRange | QueueFailed damaged) {
      assertThat(queue.stats(0).refusal()).as(damaged.toString()).isNotNull();
    }
  }
}
