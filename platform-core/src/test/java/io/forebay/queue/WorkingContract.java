/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many threads at once, and many random steps compared with a list. */
abstract class WorkingContract extends QueueFixture {

  private static final int WRITERS = 4;
  private static final int PER_WRITER = 10_000;

  WorkingContract(MessageQueueContract backends) {
    super(backends);
  }

  /** Runs each task in its own thread; the test fails with the first task that fails or hangs. */
  private static final class Crew {
    private final List<Thread> threads = new ArrayList<>();
    private final List<Throwable> thrown = new CopyOnWriteArrayList<>();

    void run(Runnable task) {
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .uncaughtExceptionHandler((thread, e) -> thrown.add(e))
              .start(task));
    }

    void join() throws InterruptedException {
      for (Thread thread : threads) {
        if (!thread.join(PATIENCE)) {
          AssertionError hung = new AssertionError("a thread hangs");
          hung.setStackTrace(thread.getStackTrace());
          throw hung;
        }
      }
      if (!thrown.isEmpty()) {
        throw new AssertionError("a thread failed", thrown.getFirst());
      }
    }
  }

  /** A message with its writer, its number, and a filling that a torn message would not have. */
  private static ByteBuffer message(int writer, int number) {
    ByteBuffer message = ByteBuffer.allocate(8 + (number * 37 + writer * 11) % 700);
    message.putInt(writer).putInt(number);
    while (message.hasRemaining()) {
      message.put((byte) (writer * 31 + number));
    }
    return message.flip();
  }

  private static void check(ByteBuffer message, Map<Integer, Integer> next) {
    ByteBuffer header = message.duplicate();
    int writer = header.getInt();
    int number = header.getInt();
    assertThat(number).isEqualTo(next.getOrDefault(writer, 0));
    next.put(writer, number + 1);
    assertThat(message.equals(message(writer, number))).isTrue();
  }

  @Test
  void concurrentWritersAndReadersLoseTearAndReorderNothing() throws Exception {
    openQueue(2);
    Crew crew = new Crew();
    CountDownLatch together = new CountDownLatch(WRITERS);
    for (int writer = 0; writer < WRITERS; writer++) {
      int own = writer;
      crew.run(() -> writeAll(own, together));
    }
    for (int reader = 0; reader < 4; reader++) {
      int partition = reader % 2;
      crew.run(() -> readAll(partition, WRITERS / 2 * PER_WRITER));
    }
    AtomicBoolean measuring = new AtomicBoolean(true);
    Crew measurer = new Crew();
    measurer.run(() -> {
      while (measuring.get()) {
        assertSensible(queue.stats(0));
        Thread.yield();
      }
    });
    crew.join();
    measuring.set(false);
    measurer.join();
  }

  private void writeAll(int writer, CountDownLatch together) {
    try (Appender appender = queue.appender()) {
      together.countDown();
      assertThat(together.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < PER_WRITER; i++) {
        appender.append(writer % 2, message(writer, i));
      }
      settle(appender);
      assertThat(appender.isAcknowledged(PER_WRITER)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void readAll(int partition, int count) {
    Map<Integer, Integer> next = new HashMap<>();
    try (Tailer tailer = queue.tailer(partition)) {
      long last = Long.MIN_VALUE;
      int read = 0;
      long start = System.nanoTime();
      while (read < count && System.nanoTime() - start < PATIENCE.toNanos()) {
        read += tailer.poll(100, (position, message) -> check(message, next));
        assertThat(tailer.position()).isGreaterThanOrEqualTo(last);
        last = tailer.position();
      }
      assertThat(read).isEqualTo(count);
    }
  }

  private static void assertSensible(QueueStats stats) {
    if (stats.first().isPresent() && stats.end().isPresent()) {
      assertThat(stats.first().getAsLong()).isLessThanOrEqualTo(stats.end().getAsLong());
    }
    if (stats.acknowledged().isPresent() && stats.end().isPresent()) {
      assertThat(stats.acknowledged().getAsLong()).isLessThanOrEqualTo(stats.end().getAsLong());
    }
    stats.bytes().ifPresent(bytes -> assertThat(bytes).isNotNegative());
  }

  @Test
  void closingEndsEveryThreadAndHangsNone() throws Exception {
    openQueue(2);
    CountDownLatch underWay = new CountDownLatch(6);
    Crew crew = new Crew();
    for (int i = 0; i < 2; i++) {
      int partition = i;
      crew.run(() -> appendUntilClosed(partition, underWay));
      crew.run(() -> pollUntilClosed(partition, underWay));
      crew.run(() -> awaitUntilClosed(underWay));
    }
    assertThat(underWay.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    queue.close();
    crew.join();
  }

  private void appendUntilClosed(int partition, CountDownLatch underWay) {
    Appender appender = queue.appender();
    ByteBuffer message = message(partition, 1);
    while (true) {
      try {
        appender.append(partition, message);
        if (appender.ticket() == 10) {
          underWay.countDown();
        }
      } catch (QueueRefused refused) {
        if (refused.reason() == QueueRefused.Reason.CLOSED) {
          return;
        }
        assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.FULL);
        Thread.yield();
      }
    }
  }

  private void pollUntilClosed(int partition, CountDownLatch underWay) {
    Tailer tailer = queue.tailer(partition);
    AtomicLong read = new AtomicLong();
    try {
      while (true) {
        tailer.poll(
            10,
            (position, message) -> {
              if (read.incrementAndGet() == 5) {
                underWay.countDown();
              }
            });
      }
    } catch (IllegalStateException closed) {
      assertThat(closed).hasMessageContaining("closed");
    }
  }

  /** Waits for a ticket that was never issued; the wait must fail. */
  private void awaitUntilClosed(CountDownLatch underWay) {
    Appender appender = queue.appender();
    try {
      underWay.countDown();
      appender.await(1, PATIENCE);
      fail("a ticket that was not given was acknowledged");
    } catch (QueueFailed failed) {
      assertThat(failed).hasMessageContaining("closed");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void behavesAsAListOverThousandsOfRandomSteps() {
    long seed = Long.getLong("forebay.contract.seed", 20260114L);
    try {
      openQueue(1);
      new RandomSteps(this, new Random(seed)).run(4_000);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + " (-Dforebay.contract.seed=" + seed + ")", e);
    }
  }
}
