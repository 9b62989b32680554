/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.PATIENCE;
import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.bytes;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** At level DISK nothing is acknowledged before it is forced. */
final class ForceTest extends ForcedQueue {

  @Test
  void acknowledgesOnlyWhatWasForcedAndInGroups() throws Exception {
    AtomicInteger count = new AtomicInteger();
    rig.force =
        (file, metadata) -> {
          forces.acquireUninterruptibly();
          count.incrementAndGet();
          file.force(metadata);
        };
    try (Appender appender = queue.appender()) {
      for (int i = 0; i < 100; i++) {
        appender.append(0, bytes("message " + i));
      }
      assertThatThrownBy(() -> appender.await(1, Duration.ofMillis(50)))
          .isInstanceOf(TimeoutException.class);
      assertThat(appender.isAcknowledged(1)).isFalse();
      assertThat(queue.stats(0).acknowledged()).isEqualTo(OptionalLong.of(0));
      assertThat(queue.stats(0).end()).isEqualTo(OptionalLong.of(100));

      forces.release(1_000);
      appender.await(100, PATIENCE);
      assertThat(queue.stats(0).acknowledged()).isEqualTo(OptionalLong.of(100));
      assertThat(count.get()).isLessThan(10);
    }
  }

  @Test
  void awaitForcedReturnsAfterTheForceAndThrowsIfItFails() throws Exception {
    rig.force =
        (file, metadata) -> {
          forces.acquireUninterruptibly();
          if (forces.availablePermits() > 1_000) {
            throw new IOException("the disk is gone");
          }
        };
    try (Appender appender = queue.appender()) {
      appender.append(0, bytes("message 0"));
      CompletableFuture<Void> safe = CompletableFuture.runAsync(() -> queue.awaitSafe(0, 1));
      assertThatThrownBy(() -> safe.get(50, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      forces.release(100);
      safe.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      forces.drainPermits();
      appender.append(0, bytes("message 1"));
      CompletableFuture<Void> never = CompletableFuture.runAsync(() -> queue.awaitSafe(0, 2));
      forces.release(2_000);
      assertThatThrownBy(() -> never.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .hasCauseInstanceOf(QueueFailed.class)
          .hasMessageContaining("not forced to disk up to message 2");
    }
  }

  @Test
  void doesNotForceWhileNothingIsAppended() throws Exception {
    send(queue, 0, 10);
    AtomicInteger count = new AtomicInteger();
    rig.force = (file, metadata) -> count.incrementAndGet();
    backend.tick(true);
    Thread.sleep(50);
    assertThat(count).hasValue(0);
  }

  @Test
  void forcesTheFinishedFileAndTheNewFileAndItsName() throws Exception {
    send(queue, 0, 10);
    List<Boolean> metadata = new CopyOnWriteArrayList<>();
    rig.force =
        (file, withMetadata) -> {
          forces.acquireUninterruptibly();
          metadata.add(withMetadata);
        };
    try (Appender appender = queue.appender()) {
      appender.append(0, bytes("message 10"));
      rig.pass(backend, Duration.ofSeconds(1));
      appender.append(0, bytes("message 11"));
      forces.release(1_000);
      appender.await(2, PATIENCE);
    }
    assertThat(metadata)
        .as("the old file once or twice, the new file with its length, the directory")
        .endsWith(false, true, true);
  }

  @Test
  void messagesNotForcedBeforeTheProcessEndedAreForcedAfterTheStart() throws Exception {
    send(queue, 0, 10);
    queue.close();
    rig.forgetMark();
    rig.force =
        (file, metadata) -> {
          forces.acquireUninterruptibly();
          file.force(metadata);
        };
    queue = backend.open(QUEUE, 1);
    long acknowledged = queue.stats(0).acknowledged().getAsLong();
    forces.release(1_000);
    assertThat(acknowledged).as("the forced position in a later message").isLessThan(10);
    Awaitility.await().until(() -> queue.stats(0).acknowledged().equals(OptionalLong.of(10)));
  }

  /** The process may have ended between the creation of a file and the force of its name. */
  @Test
  void theNamesOfTheFilesOfAnEndedProcessAreForcedBeforeAnythingIsAcknowledged() throws Exception {
    send(queue, 0, 10);
    queue.close();
    rig.forgetMark();
    List<String> forced = new CopyOnWriteArrayList<>();
    rig.force =
        (file, metadata) -> {
          forced.add(isDirectory(file) ? "directory" : "file");
          forces.acquireUninterruptibly();
        };
    queue = backend.open(QUEUE, 1);
    Awaitility.await().until(() -> forced.equals(List.of("file")));
    forces.release();
    Awaitility.await().until(() -> forced.equals(List.of("file", "directory")));
    assertThat(queue.stats(0).acknowledged().getAsLong()).isLessThan(10);
    forces.release(1_000);
    Awaitility.await().until(() -> queue.stats(0).acknowledged().equals(OptionalLong.of(10)));
  }

  private static boolean isDirectory(FileChannel file) {
    try {
      file.read(ByteBuffer.allocate(1), 0);
      return false;
    } catch (NonReadableChannelException e) {
      return false; // it was opened for writing
    } catch (IOException e) {
      return true;
    }
  }
}
