/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Idle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TailerLoopTest {

  private static final Duration LONG = Duration.ofMinutes(2);

  private final MemoryBackend backend = MemoryBackend.open();
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final AtomicInteger reads = new AtomicInteger();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final Queue<RuntimeException> idleFailures = new ConcurrentLinkedQueue<>();
  private final Idle idle = Idle.backOff(Duration.ofMillis(1));
  private MessageQueue queue;
  private TailerLoop loop;

  /** Writes what happens to {@code events}; throws what is in {@code failures}. */
  private final class Recorder implements TailerLoop.Reader {

    @Override
    public void open(Tailer tailer, long resume) {
      if (resume < 0) {
        tailer.toEnd();
      } else {
        tailer.seek(resume);
      }
      events.add("open " + tailer.partition());
    }

    @Override
    public int read(Tailer tailer) {
      reads.incrementAndGet();
      switch (failures.poll()) {
        case null -> {}
        case Error e -> throw e;
        case RuntimeException e -> throw e;
        case Throwable e -> throw new AssertionError(e);
      }
      return tailer.poll(
          10, (_, message) -> events.add("read " + tailer.partition() + " " + message.get(0)));
    }

    @Override
    public void missed(int partition) {
      events.add("missed " + partition);
    }

    @Override
    public void failed(Error error) {
      events.add("failed " + error.getMessage());
    }

    @Override
    public void ended(@Nullable RuntimeException failure) {
      events.add("ended " + (failure == null ? "by close" : failure.getMessage()));
    }
  }

  @BeforeEach
  void open() {
    queue = backend.open("texts", 2, Duration.ofDays(1));
    loop =
        new TailerLoop(
            "forebay-test",
            queue,
            new Recorder(),
            (turns, tailer) -> {
              RuntimeException failure = idleFailures.poll();
              if (failure != null) {
                throw failure;
              }
              idle.idle(turns, tailer);
            },
            new Outage(LoggerFactory.getLogger(TailerLoopTest.class), "Reading texts", "retried"));
  }

  @AfterEach
  void close() {
    loop.close();
    queue.close();
    backend.close();
  }

  private void append(int partition, int value) {
    try (Appender appender = queue.appender()) {
      appender.append(partition, ByteBuffer.wrap(new byte[] {(byte) value}));
    }
  }

  private void awaitEvent(String event) {
    await().until(() -> events.contains(event));
  }

  @Test
  void readsWhatIsAppendedToEveryPartitionOnceItIsReading() {
    append(0, 1);
    loop.startAll();
    assertThat(loop.awaitReading(LONG)).isTrue();
    append(0, 2);
    append(1, 3);
    awaitEvent("read 0 2");
    awaitEvent("read 1 3");
    assertThat(events).doesNotContain("read 0 1");
  }

  @Test
  void continuesAtTheSamePositionAfterTheQueueDidNotRespond() {
    failures.addAll(
        List.of(new QueueUnavailable("gone", null), new QueueUnavailable("gone", null)));
    loop.startAll();
    loop.awaitReading(LONG);
    append(0, 1);
    awaitEvent("read 0 1");
    assertThat(failures).isEmpty();
    assertThat(events).containsOnlyOnce("open 0");
  }

  @Test
  void continuesWhenTheQueueDoesNotRespondWhileItWaitsForMessages() {
    idleFailures.add(new QueueUnavailable("the brokers refuse", null));
    loop.startAll();
    loop.awaitReading(LONG);
    await().until(idleFailures::isEmpty);
    append(0, 1);
    awaitEvent("read 0 1");
    assertThat(events).containsOnlyOnce("open 0");
  }

  @Test
  void opensTheTailersWhereTheyWereAfterAnError() {
    loop.startAll();
    loop.awaitReading(LONG);
    failures.add(new NoClassDefFoundError("broken"));
    append(0, 1);
    append(1, 2);
    awaitEvent("failed broken");
    awaitEvent("read 0 1");
    awaitEvent("read 1 2");
    assertThat(events).containsSubsequence("open 0", "failed broken", "open 0");
  }

  @Test
  void skipsToTheFirstMessageKeptIfMessagesWereDeleted() {
    append(0, 1);
    loop.assigned(0);
    failures.add(new PositionOutOfRange("texts", 0, 0, 1, 1));
    loop.start();
    awaitEvent("missed 0");
    awaitEvent("read 0 1");
  }

  @Test
  void endsAfterAnyOtherException() {
    failures.add(new IllegalStateException("broken"));
    loop.startAll();
    await().until(loop::isClosed);
    assertThat(events).containsOnlyOnce("ended broken");
    assertThat(loop.awaitReading(LONG)).isFalse();
  }

  @Test
  void readsARevokedPartitionNoMore() {
    loop.startAll();
    loop.awaitReading(LONG);
    loop.revoked(0);
    append(0, 1);
    append(1, 2);
    awaitEvent("read 1 2");
    int before = reads.get();
    await().until(() -> reads.get() > before + 2);
    assertThat(events).doesNotContain("read 0 1");
    loop.assigned(0);
    await().until(() -> events.stream().filter("open 0"::equals).count() == 2);
  }

  @Test
  void closeWaitsForTheThread() {
    loop.startAll();
    loop.awaitReading(LONG);
    loop.close();
    assertThat(events).endsWith("ended by close");
    int after = reads.get();
    append(0, 1);
    assertThat(reads).hasValue(after);
  }
}
