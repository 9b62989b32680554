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

import io.forebay.operations.StartRefused;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
