/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.queue.memory.MemoryQueue;
import io.forebay.queue.memory.Ring;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The ring under a memory queue: wrap-around, damage, overtaken readers, no allocation. */
final class MemoryRingTest {

  private static final MemoryBackend.Limits SMALL =
      new MemoryBackend.Limits(2 << 20, Integer.MAX_VALUE);
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final int MESSAGE_BYTES = 100;
  private static final int FRAME_BYTES = 128;

  private static final class Indifferent implements PartitionListener {
    @Override
    public void assigned(int partition) {}

    @Override
    public void revoked(int partition) {}

    @Override
    public void lost(int partition) {}
  }

  private static MessageQueue open(MemoryBackend.Limits limits) {
    return MemoryBackend.open(limits, InstantSource.system()).open("orders.in", 1);
  }

  private static Ring ringOf(MessageQueue queue) {
    return ((MemoryQueue) queue).partition(0).ring();
  }

  private static int segmentsMade(MessageQueue queue) {
    Set<byte[]> made = Collections.newSetFromMap(new IdentityHashMap<>());
    for (long i = 0; i < 1024; i++) {
      byte[] segment = ringOf(queue).segment(i * Ring.SEGMENT_BYTES);
      if (segment != null) {
        made.add(segment);
      }
    }
    return made.size();
  }

  @Test
  void wrapsAroundManyTimesWithMessagesOfAllSizes() {
    Random random = new Random(20260114);
    try (MessageQueue queue = open(SMALL);
        Appender appender = queue.appender();
        Tailer tailer = queue.tailer(0)) {
      Subscription orders = queue.subscribe("orders", new Indifferent());
      ArrayDeque<byte[]> kept = new ArrayDeque<>();
      long written = 0;
      while (written < 40L << 20) {
        byte[] bytes =
            new byte
                [random.nextInt(10) == 0 ? random.nextInt((1 << 20) + 1) : random.nextInt(2000)];
        random.nextBytes(bytes);
        while (!taken(appender, bytes)) {
          tailer.poll(
              1 + random.nextInt(kept.size()), (position, message) -> assertNext(kept, message));
          orders.passed(0, tailer.position());
        }
        kept.add(bytes);
        written += bytes.length;
      }
      tailer.poll(Integer.MAX_VALUE, (position, message) -> assertNext(kept, message));
      assertThat(kept).isEmpty();
      assertThat(segmentsMade(queue)).isBetween(8, 10);
    }
  }

  private static boolean taken(Appender appender, byte[] bytes) {
    try {
      appender.append(0, ByteBuffer.wrap(bytes));
      return true;
    } catch (QueueRefused full) {
      assertThat(full.reason()).isEqualTo(QueueRefused.Reason.FULL);
      return false;
    }
  }

  private static void assertNext(ArrayDeque<byte[]> kept, ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(bytes);
    assertThat(Arrays.equals(bytes, kept.remove())).isTrue();
  }

  @Test
  void seeksAnywhereAfterWrappingAround() {
    try (MessageQueue queue = open(SMALL);
        Appender appender = queue.appender();
        Tailer tailer = queue.tailer(0)) {
      Subscription orders = queue.subscribe("orders", new Indifferent());
      ByteBuffer message = ByteBuffer.allocate(5000);
      for (long i = 0; i < 2000; i++) {
        appender.append(0, message.putLong(0, i));
        orders.passed(0, Math.max(0, i - 300));
      }
      long first = queue.stats(0).first().getAsLong();
      assertThat(first).isEqualTo(1699);
      for (long position = 2000; position >= first; position--) {
        tailer.seek(position);
        long wanted = position;
        int told =
            tailer.poll(
                1, (at, found) -> assertThat(found.getLong()).isEqualTo(at).isEqualTo(wanted));
        assertThat(told).isEqualTo(position < 2000 ? 1 : 0);
      }
      assertThatExceptionOfType(PositionOutOfRange.class).isThrownBy(() -> tailer.seek(first - 1));
    }
  }

  @Test
  void growsOnlyAsFarAsMessagesAreKept() {
    try (MessageQueue queue = open(MemoryBackend.Limits.DEFAULT);
        Appender appender = queue.appender()) {
      Subscription orders = queue.subscribe("orders", new Indifferent());
      ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES);
      for (int i = 0; i < 20 * Ring.SEGMENT_BYTES / FRAME_BYTES; i++) {
        appender.append(0, message);
        orders.passed(0, appender.position());
      }
      assertThat(segmentsMade(queue)).isEqualTo(2);
    }
  }

  @Test
  void appendsAndReadsWithoutGarbageAfterTheFirstWrapAround() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    List<ByteBuffer> messages =
        List.of(
            ByteBuffer.allocate(MESSAGE_BYTES),
            ByteBuffer.allocateDirect(MESSAGE_BYTES),
            ByteBuffer.allocate(MESSAGE_BYTES).asReadOnlyBuffer());
    long[] told = new long[1];
    MessageHandler reader = (position, message) -> told[0] += message.remaining();
    try (MessageQueue queue = open(SMALL);
        Appender appender = queue.appender();
        Tailer tailer = queue.tailer(0)) {
      appender.onAcknowledged((partition, ticket, position) -> told[0]++);
      Subscription orders = queue.subscribe("orders", new Indifferent());
      long appending = -1;
      long reading = -1;
      for (int round = 0; round < 20; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 5000; i++) {
          appender.append(0, messages.get(i % 3));
        }
        long between = threads.getCurrentThreadAllocatedBytes();
        int read = tailer.poll(Integer.MAX_VALUE, reader);
        long after = threads.getCurrentThreadAllocatedBytes();
        appending = between - before;
        reading = after - between;
        assertThat(read).isEqualTo(5000);
        orders.passed(0, tailer.position());
      }
      assertThat(appending).isZero();
      assertThat(reading).isZero();
    }
  }

  @Test
  void findsEveryDamagedByteOfAFrame() {
    for (int at = 0; at < Ring.HEADER_BYTES + MESSAGE_BYTES; at++) {
      try (MessageQueue queue = open(SMALL);
          Appender appender = queue.appender()) {
        ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES);
        for (int i = 0; i < 3; i++) {
          appender.append(0, message.put(0, (byte) i));
        }
        ringOf(queue).segment(0)[FRAME_BYTES + at] ^= 0x10;
        assertDamageAtOne(queue);
      }
    }
  }

  private static void assertDamageAtOne(MessageQueue queue) {
    List<Long> told = new ArrayList<>();
    MessageHandler reader = (position, message) -> told.add(position);
    try (Tailer tailer = queue.tailer(0);
        Appender appender = queue.appender()) {
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatExceptionOfType(QueueFailed.class)
            .isThrownBy(() -> tailer.poll(3, reader))
            .withMessageStartingWith(
                "message 1 in partition 0 of queue orders.in is damaged (first=0, end=3)");
        assertThat(tailer.position()).isEqualTo(1);
      }
      assertThat(told).containsExactly(0L);
      Verification found = queue.verify(0, 0);
      assertThat(found.good()).isFalse();
      assertThat(found.end()).isEqualTo(1);
      assertThat(found.damage()).contains("message 1 in partition 0 of queue orders.in is damaged");

      assertThat(QueueFixture.refusal(appender, 0, ByteBuffer.allocate(1)).reason())
          .isEqualTo(QueueRefused.Reason.FAILED);
      assertThat(queue.stats(0).refusal().reason()).isEqualTo(QueueRefused.Reason.FAILED);
      assertThat(queue.stats(0).end()).hasValue(3);
    }
  }

  @Test
  void nothingIsSoughtOrFreedBeyondADamagedHeader() {
    try (MessageQueue queue = open(SMALL);
        Appender appender = queue.appender()) {
      Subscription orders = queue.subscribe("orders", new Indifferent());
      for (int i = 0; i < 3; i++) {
        appender.append(0, ByteBuffer.allocate(MESSAGE_BYTES));
      }
      ringOf(queue).segment(0)[FRAME_BYTES + 8] ^= 0x10;
      try (Tailer tailer = queue.tailer(0)) {
        tailer.toEnd();
        assertThatExceptionOfType(QueueFailed.class).isThrownBy(() -> tailer.seek(2));
        assertThat(tailer.position()).isEqualTo(3);
      }
      assertThatExceptionOfType(QueueFailed.class).isThrownBy(() -> orders.passed(0, 3));
      assertThat(queue.stats(0).first()).hasValue(1);
    }
  }

  @Test
  void anOvertakenReaderGetsAnErrorAndNeverAMixedMessage() throws Exception {
    AtomicBoolean overtaken = new AtomicBoolean();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    Thread reader;
    try (MessageQueue queue = open(new MemoryBackend.Limits(4 << 20, Integer.MAX_VALUE));
        Appender appender = queue.appender()) {
      Subscription orders = queue.subscribe("orders", new Indifferent());
      reader =
          Thread.ofPlatform()
              .uncaughtExceptionHandler((thread, e) -> failed.set(e))
              .start(() -> readUntilClosed(queue, overtaken));
      ByteBuffer message = ByteBuffer.allocate(Capabilities.MAX_MESSAGE_BYTES);
      long start = System.nanoTime();
      for (long n = 0; n < 2_000 || !overtaken.get(); n++) {
        assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
        Arrays.fill(message.array(), (byte) n);
        appender.append(0, message);
        orders.passed(0, n);
      }
    }
    assertThat(reader.join(PATIENCE)).isTrue();
    assertThat(failed.get()).isNull();
  }

  private static void readUntilClosed(MessageQueue queue, AtomicBoolean overtaken) {
    Tailer tailer = queue.tailer(0);
    try {
      while (true) {
        if (!pollWhole(tailer)) {
          overtaken.set(true);
          tailer.toStart();
        }
      }
    } catch (IllegalStateException closed) {
      assertThat(closed).hasMessageContaining("closed");
    }
  }

  private static boolean pollWhole(Tailer tailer) {
    try {
      tailer.poll(10, MemoryRingTest::assertWhole);
      return true;
    } catch (PositionOutOfRange freed) {
      return false;
    }
  }

  private static void assertWhole(long position, ByteBuffer message) {
    assertThat(message.remaining()).isEqualTo(Capabilities.MAX_MESSAGE_BYTES);
    while (message.hasRemaining()) {
      if (message.get() != (byte) position) {
        throw new AssertionError("mixed message at " + position);
      }
    }
  }
}
