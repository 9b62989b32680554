/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.PATIENCE;
import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.chronicle.file.FrameReader;
import io.forebay.chronicle.file.FrameWriter;
import io.forebay.operations.StartRefused;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.openhft.chronicle.queue.ExcerptTailer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The data directory stays locked until nothing more can happen to the queues in it. */
final class ClosingTest {

  @TempDir Path data;
  private final Semaphore gate = new Semaphore(0);
  private Rig rig;

  @BeforeEach
  void rig() {
    rig = new Rig(data);
    rig.options = Rig.options(Level.DISK);
  }

  private void assertInUse() {
    assertThatThrownBy(() -> new Rig(data).open())
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("is in use");
  }

  private static Thread start(Runnable action) {
    return Thread.ofPlatform().start(action);
  }

  private static void awaitBlocked(Thread thread) {
    await()
        .atMost(PATIENCE)
        .until(() ->
            thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
  }

  @Test
  void whileAnotherThreadStillClosesAQueue() throws Exception {
    ChronicleBackend backend = rig.open();
    MessageQueue queue = backend.open(QUEUE, 1);
    rig.force =
        (file, metadata) -> {
          gate.acquireUninterruptibly();
          gate.release();
          file.force(metadata);
        };
    try (Appender appender = queue.appender()) {
      appender.append(0, Rig.bytes("message 0"));
    }
    Thread queueCloser = start(queue::close);
    awaitBlocked(queueCloser);
    Thread backendCloser = start(backend::close);
    awaitBlocked(backendCloser);
    assertInUse();
    gate.release();
    backendCloser.join(PATIENCE);
    queueCloser.join(PATIENCE);
    rig.force = null;
    try (ChronicleBackend next = rig.open()) {
      assertReads(next.open(QUEUE, 1), 0, 1);
    }
  }

  /** Polls a handler that waits for the gate. */
  private Thread handle(MessageQueue queue, AtomicBoolean ended) {
    send(queue, 0, 1);
    Tailer tailer = queue.tailer(0);
    Thread thread =
        start(() ->
            tailer.poll(
                1,
                (position, message) -> {
                  gate.acquireUninterruptibly();
                  ended.set(true);
                }));
    await().atMost(PATIENCE).until(gate::hasQueuedThreads);
    return thread;
  }

  @Test
  void whileAHandlerRunsAlthoughTheThreadThatClosesIsInterrupted() throws Exception {
    ChronicleBackend backend = rig.open();
    AtomicBoolean ended = new AtomicBoolean();
    Thread handler = handle(backend.open(QUEUE, 1), ended);
    AtomicBoolean interrupted = new AtomicBoolean();
    AtomicBoolean endedBefore = new AtomicBoolean();
    Thread closer =
        start(() -> {
          Thread.currentThread().interrupt();
          backend.close();
          endedBefore.set(ended.get());
          interrupted.set(Thread.currentThread().isInterrupted());
        });
    awaitBlocked(closer);
    assertInUse();
    gate.release();
    closer.join(PATIENCE);
    handler.join(PATIENCE);
    assertThat(endedBefore).isTrue();
    assertThat(interrupted).isTrue();
    rig.open().close();
  }

  @Tag("proof")
  @Test
  void whileAHandlerRunsLongerThanClosingWaits() throws Exception {
    ChronicleBackend backend = rig.open();
    Thread handler = handle(backend.open(QUEUE, 1), new AtomicBoolean());
    backend.close();
    assertInUse();
    gate.release();
    handler.join(PATIENCE);
    rig.open().close();
  }

  @Test
  void noLongerIfFilesCannotBeClosed() {
    AtomicInteger closed = new AtomicInteger();
    rig.writers =
        queue ->
            new FrameWriter(queue) {
              @Override
              public void close() {
                super.close();
                closed.incrementAndGet();
                throw new InternalError("a page cannot be written");
              }
            };
    ChronicleBackend backend = rig.open();
    send(backend.open(QUEUE, 2), 0, 10);
    send(backend.open("others", 2), 0, 10);
    backend.close();
    assertThat(closed).hasValue(4);
    rig.writers = FrameWriter::new;
    try (ChronicleBackend next = rig.open()) {
      assertReads(next.open(QUEUE, 2), 0, 10);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noLongerIfATailerCannotBeClosed(boolean inItsHandler) throws Exception {
    ChronicleBackend backend = rig.open();
    MessageQueue queue = backend.open(QUEUE, 1);
    send(queue, 0, 1);
    Tailer tailer = queue.tailer(0);
    breakClosing(tailer);
    if (inItsHandler) {
      assertThatThrownBy(() -> tailer.poll(1, (position, message) -> backend.close()))
          .isInstanceOf(InternalError.class);
    } else {
      backend.close();
    }
    rig.open().close();
  }

  /** Has the files of a tailer throw when they are closed. */
  private static void breakClosing(Tailer tailer) throws ReflectiveOperationException {
    Field reader = ChronicleTailer.class.getDeclaredField("reader");
    reader.setAccessible(true);
    Field excerpts = FrameReader.class.getDeclaredField("tailer");
    excerpts.setAccessible(true);
    Object whole = excerpts.get(reader.get(tailer));
    excerpts.set(
        reader.get(tailer),
        Proxy.newProxyInstance(
            ExcerptTailer.class.getClassLoader(),
            new Class<?>[] {ExcerptTailer.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                throw new InternalError("a page cannot be read");
              }
              return method.invoke(whole, arguments);
            }));
  }

  @Test
  void untilAHandlerThatClosesTheQueueItselfHasReturned() {
    ChronicleBackend backend = rig.open();
    MessageQueue queue = backend.open(QUEUE, 1);
    send(queue, 0, 1);
    try (Tailer tailer = queue.tailer(0)) {
      tailer.poll(
          1,
          (position, message) -> {
            backend.close();
            assertInUse();
          });
    }
    rig.open().close();
  }
}
