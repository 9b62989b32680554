/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.bytes;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The outcome of an append that throws half-way is definite: written, or not written. */
final class FailingAppendTest {

  /** What the file system does to the next append. */
  private enum Fault {
    NONE,
    BEFORE_IT_IS_WRITTEN,
    AFTER_IT_IS_WRITTEN,
    WRITTEN_WRONG,
    NOTHING_CAN_BE_SEEN
  }

  @TempDir Path data;
  private Rig rig;
  private ChronicleBackend backend;
  private MessageQueue queue;
  private Fault fault = Fault.NONE;
  private Throwable thrown = new InternalError("a fault occurred in an unsafe memory access");

  private final class FailingWriter extends FrameWriter {

    FailingWriter(SingleChronicleQueue queue) {
      super(queue);
    }

    @Override
    public void write(StoredFrame frame) {
      Fault now = fault;
      fault = Fault.NONE;
      switch (now) {
        case NONE -> super.write(frame);
        case BEFORE_IT_IS_WRITTEN -> throw sneaky();
        case AFTER_IT_IS_WRITTEN -> {
          super.write(frame);
          throw sneaky();
        }
        case WRITTEN_WRONG -> {
          super.write(frame);
          spoil(frame.number());
          throw sneaky();
        }
        case NOTHING_CAN_BE_SEEN -> {
          ((ChronicleMessageQueue) queue).log(0).store().close();
          throw sneaky();
        }
      }
    }

    private void spoil(long number) {
      byte[] text = ("message " + number).getBytes(StandardCharsets.UTF_8);
      Path file = rig.files().getLast();
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        byte[] content = Files.readAllBytes(file);
        int at = content.length - text.length;
        while (!Arrays.equals(content, at, at + text.length, text, 0, text.length)) {
          at--;
        }
        channel.write(ByteBuffer.wrap(new byte[] {'X'}), at);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private RuntimeException sneaky() {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) thrown;
    }
  }

  @BeforeEach
  void open() {
    rig = new Rig(data);
    rig.writers = FailingWriter::new;
    backend = rig.open();
    queue = backend.open(QUEUE, 1);
    send(queue, 0, 10);
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private QueueRefused refused() {
    return catchThrowableOfType(
        QueueRefused.class, () -> queue.appender().append(0, bytes("message 10")));
  }

  @Test
  void aMessageThatWasWrittenDespiteTheErrorIsAcknowledged() {
    fault = Fault.AFTER_IT_IS_WRITTEN;
    send(queue, 10, 11);
    send(queue, 11, 20);
    assertReads(queue, 0, 20);
  }

  @Test
  void aFirstMessageOfAFileWrittenDespiteTheErrorIsFound() {
    rig.pass(backend, Duration.ofSeconds(1));
    fault = Fault.AFTER_IT_IS_WRITTEN;
    send(queue, 10, 20);
    rig.pass(backend, Duration.ofSeconds(1));
    fault = Fault.AFTER_IT_IS_WRITTEN;
    send(queue, 20, 30);
    assertReads(queue, 0, 30);
    try (Tailer tailer = queue.tailer(0)) {
      tailer.seek(20);
      assertThat(tailer.poll(1, (position, message) -> assertThat(position).isEqualTo(20))).isOne();
    }
  }

  @Test
  void aMessageThatWasNotWrittenIsRefusedUntilTheDiskHasRoom() {
    fault = Fault.BEFORE_IT_IS_WRITTEN;
    QueueRefused refused = refused();
    assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.DISK);
    assertThat(refused.retryAfter()).isPositive();
    assertThat(refused().reason()).isEqualTo(QueueRefused.Reason.DISK);
    assertReads(queue, 0, 10);
    backend.tick(false);
    send(queue, 10, 20);
    assertReads(queue, 0, 20);
  }

  @Test
  void theBeginningOfAFileIsKnownAfterAFailureAlthoughTheNextFileExists() {
    queue.close();
    backend.close();
    rig.options = rig.options.withWriting(ChronicleBackend.Writing.PRETOUCH);
    backend = rig.open();
    queue = backend.open(QUEUE, 1);
    Awaitility.await().until(() -> rig.files().size() == 2);
    fault = Fault.BEFORE_IT_IS_WRITTEN;
    assertThat(refused().reason()).isEqualTo(QueueRefused.Reason.DISK);
    backend.tick(false);
    send(queue, 10, 20);
    assertReads(queue, 0, 20);
  }

  @Test
  void aMessageWrittenWithAWrongChecksumIsCutBeforeTheNext() {
    fault = Fault.WRITTEN_WRONG;
    assertThat(refused().reason()).isEqualTo(QueueRefused.Reason.DISK);
    assertReads(queue, 0, 10);
    backend.tick(false);
    try (Tailer waiting = queue.tailer(0)) {
      waiting.toEnd();
      send(queue, 10, 20);
      assertThat(waiting.poll(100, (position, message) -> {})).isEqualTo(10);
    }
    assertReads(queue, 0, 20);
    queue.close();
    queue = backend.open(QUEUE, 1);
    assertReads(queue, 0, 20);
  }

  @Test
  void anyOtherFailureStopsThePartitionButNotItsReaders() {
    thrown = new IllegalStateException("thrown by the test's writer");
    fault = Fault.BEFORE_IT_IS_WRITTEN;
    assertThat(refused().reason()).isEqualTo(QueueRefused.Reason.FAILED);
    backend.tick(false);
    assertThat(refused().reason()).isEqualTo(QueueRefused.Reason.FAILED);
    assertReads(queue, 0, 10);
    queue.close();
    queue = backend.open(QUEUE, 1);
    send(queue, 10, 20);
    assertReads(queue, 0, 20);
  }

  @Test
  void thePartitionFailsIfItCannotBeDeterminedWhetherTheMessageWasWritten() {
    fault = Fault.NOTHING_CAN_BE_SEEN;
    Appender appender = queue.appender();
    assertThatThrownBy(() -> appender.append(0, bytes("message 10")))
        .isInstanceOf(QueueFailed.class)
        .hasMessageContaining(QUEUE)
        .hasMessageContaining("message 10");
    assertThat(appender.ticket()).isZero();
    assertThat(refused().reason()).isEqualTo(QueueRefused.Reason.FAILED);
  }

  @Test
  void anInterruptedThreadAppendsAndReadsOverBlocksAndFiles() {
    ByteBuffer large = ByteBuffer.allocate(900_000);
    try (Appender appender = queue.appender();
        Tailer tailer = queue.tailer(0)) {
      Thread.currentThread().interrupt();
      for (int i = 0; i < 40; i++) {
        appender.append(0, large);
        if (i % 10 == 0) {
          rig.pass(backend, Duration.ofSeconds(1));
        }
      }
      int read = 0;
      for (int n = 1; n > 0; read += n) {
        n = tailer.poll(7, (position, message) -> {});
      }
      assertThat(read).isEqualTo(50);
      assertThat(Thread.interrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    assertThat(queue.stats(0).refusal()).isNull();
  }
}
