/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.PATIENCE;
import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.bytes;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A failed force is final. */
final class FailedForceTest extends ForcedQueue {

  private static final Path WRITTEN = Path.of("/proc/self/io");

  @Test
  void aFailedForceFailsEveryWaiterAndIsNeverTriedAgain() throws Exception {
    send(queue, 0, 10);
    AtomicInteger tries = new AtomicInteger();
    rig.force =
        (file, metadata) -> {
          tries.incrementAndGet();
          throw new IOException("Input/output error");
        };
    List<String> told = new CopyOnWriteArrayList<>();
    try (Appender appender = queue.appender();
        Appender other = queue.appender()) {
      appender.onAcknowledged(
          new Appender.AcknowledgementListener() {
            @Override
            public void acknowledged(int partition, long ticket, long position) {
              told.add("acknowledged " + ticket);
            }

            @Override
            public void failed(long first, long last, QueueFailed cause) {
              told.add("failed from " + first);
            }
          });
      appender.append(0, bytes("message 10"));
      assertThatThrownBy(() -> appender.await(1, PATIENCE))
          .isInstanceOf(QueueFailed.class)
          .hasMessageContaining(QUEUE)
          .hasStackTraceContaining("Input/output error");
      assertThatThrownBy(() -> other.await(1, PATIENCE)).isInstanceOf(QueueFailed.class);
      Awaitility.await().until(() -> !told.isEmpty());
      assertThat(told).containsExactly("failed from 1");

      QueueRefused refused =
          catchThrowableOfType(QueueRefused.class, () -> appender.append(0, bytes("late")));
      assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.FAILED);
      assertThat(queue.stats(0).refusal().reason()).isEqualTo(QueueRefused.Reason.FAILED);
      try (Appender late = queue.appender()) {
        assertThatThrownBy(() -> late.await(1, PATIENCE)).isInstanceOf(QueueFailed.class);
      }
      assertThat(appender.isAcknowledged(1)).isFalse();
      assertThat(queue.stats(0).acknowledged()).isEqualTo(OptionalLong.of(10));
    }
    rig.force = null;
    backend.tick(true);
    queue.close();
    assertThat(tries).hasValue(1);
    assertThat(rig.mark()).isEqualTo("10");

    queue = backend.open(QUEUE, 1);
    send(queue, 11, 20);
    assertReads(queue, 0, 20);
  }

  @Test
  void anErrorInTheThreadThatForcesFailsTheQueue() throws Exception {
    rig.force =
        (file, metadata) -> {
          throw new StackOverflowError("for a test");
        };
    try (Appender appender = queue.appender()) {
      long ticket = appender.append(0, bytes("a message"));
      assertThatThrownBy(() -> appender.await(ticket, PATIENCE))
          .isInstanceOf(QueueFailed.class)
          .hasMessageContaining("not acknowledged");
      assertThat(catchThrowableOfType(QueueRefused.class, () -> appender.append(0, bytes("next"))))
          .extracting(QueueRefused::reason)
          .isEqualTo(QueueRefused.Reason.FAILED);
    }
  }

  /**
   * The kernel keeps pages whose write failed as if they were written, and reports success for the
   * next force. In this test the pages really are written, so only a second write of them can be
   * observed.
   */
  @Test
  void pagesOfAFailedForceAreRewrittenAfterARestart() throws Exception {
    assumeTrue(countsWrites(), "the system counts what is written to a disk");
    rig.force =
        (file, metadata) -> {
          forces.acquireUninterruptibly();
          file.force(metadata);
          throw new IOException("Input/output error");
        };
    int messages = 4_000;
    int bytes = 1_000;
    try (Appender appender = queue.appender()) {
      for (int i = 0; i < messages; i++) {
        appender.append(0, ByteBuffer.allocate(bytes).putInt(0, i));
      }
      forces.release();
      assertThatThrownBy(() -> appender.await(1, PATIENCE)).isInstanceOf(QueueFailed.class);
    }
    queue.close();
    try (FileChannel file = FileChannel.open(rig.files().getLast(), StandardOpenOption.WRITE)) {
      file.force(true);
    }

    rig.force = null;
    long before = written();
    queue = backend.open(QUEUE, 1);
    OptionalLong end = queue.stats(0).end();
    assertThat(end.getAsLong()).isEqualTo(messages);
    Awaitility.await().until(() -> queue.stats(0).acknowledged().equals(end));
    assertThat(written() - before).isGreaterThan((long) messages * bytes);
  }

  private boolean countsWrites() throws IOException {
    if (!Files.isReadable(WRITTEN)) {
      return false;
    }
    long before = written();
    Files.write(data.resolve("some"), new byte[1 << 20]);
    return written() - before >= 1 << 20;
  }

  /** The bytes that this process made the kernel write to disks. */
  private static long written() throws IOException {
    return Files.readAllLines(WRITTEN).stream()
        .filter(line -> line.startsWith("write_bytes:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }
}
