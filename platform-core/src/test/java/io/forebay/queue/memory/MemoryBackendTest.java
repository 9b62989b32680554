/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.MessageQueueContract;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract, and further guarantees of the memory backend. */
final class MemoryBackendTest extends MessageQueueContract {

  private static final ByteBuffer MESSAGE = ByteBuffer.wrap(new byte[100]);

  @Override
  protected QueueBackend open() {
    return MemoryBackend.open();
  }

  @Override
  protected QueueBackend reopen() {
    return open();
  }

  /** Records its calls and throws at one of them. */
  private static class Noted implements PartitionListener {
    final List<String> calls = new ArrayList<>();
    final String failing;

    Noted(String failing) {
      this.failing = failing;
    }

    private void note(String call) {
      calls.add(call);
      if (call.equals(failing)) {
        throw new IllegalStateException("thrown by the test's listener");
      }
    }

    @Override
    public void assigned(int partition) {
      note("assigned " + partition);
    }

    @Override
    public void revoked(int partition) {
      note("revoked " + partition);
    }

    @Override
    public void lost(int partition) {
      note("lost " + partition);
    }
  }

  @Test
  void declaresItsCapabilities() {
    try (QueueBackend backend = open();
        MessageQueue queue = backend.open("orders.in", 2)) {
      assertThat(backend.name()).isEqualTo("memory");
      assertThat(queue.capabilities()).isEqualTo(new Capabilities(Level.MEMORY, true, 1 << 20));
      assertThat(queue.identity()).matches("memory:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    }
  }

  @Test
  void refusesALimitThatTheLargestMessageMayNotFitIn() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemoryBackend.open((2 << 20) - 1, InstantSource.system()))
        .withMessageContaining("a limit of 2,097,151 bytes (allowed: 2,097,152 and more)");
  }

  @Test
  void acknowledgesOnTheAppendingThreadBeforeAppendReturns() {
    try (QueueBackend backend = open();
        Appender appender = backend.open("orders.in", 1).appender()) {
      List<Thread> told = new ArrayList<>();
      appender.onAcknowledged((partition, ticket, position) -> told.add(Thread.currentThread()));
      appender.append(0, MESSAGE);
      assertThat(told).containsExactly(Thread.currentThread());
    }
  }

  @Test
  void freesExactlyWhatAllConsumersPassed() {
    try (QueueBackend backend = open();
        MessageQueue queue = backend.open("orders.in", 1);
        Appender appender = queue.appender();
        Tailer behind = queue.tailer(0)) {
      for (int i = 0; i < 10; i++) {
        appender.append(0, MESSAGE);
      }
      long bytes = queue.stats(0).bytes().getAsLong();
      Subscription one = queue.subscribe("one", new Noted(""));
      Subscription two = queue.subscribe("two", new Noted(""));
      one.passed(0, 10);
      assertThat(queue.stats(0).first()).hasValue(0);
      two.passed(0, 4);
      two.passed(0, 3);
      assertThat(queue.stats(0).first()).hasValue(4);
      assertThat(queue.stats(0).passed()).containsEntry("one", 10L).containsEntry("two", 4L);
      assertThat(queue.stats(0).bytes()).hasValue(bytes * 6 / 10);
      assertThat(queue.stats(0).end()).hasValue(10);

      assertThatExceptionOfType(PositionOutOfRange.class).isThrownBy(() -> behind.seek(3));
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatExceptionOfType(PositionOutOfRange.class)
            .isThrownBy(() -> behind.poll(1, (position, message) -> {}))
            .withMessageContaining(
                "the message at position 0 in partition 0 of queue orders.in was deleted before it was"
                    + " read (first=4, end=10): the reader was behind for longer than the queue keeps"
                    + " messages");
      }
      behind.toStart();
      assertThat(behind.poll(100, (position, message) -> {})).isEqualTo(6);
      assertThatExceptionOfType(PositionOutOfRange.class).isThrownBy(() -> two.passed(0, 11));
      two.passed(0, 10);
      assertThat(queue.stats(0).first()).hasValue(10);
      assertThat(queue.stats(0).bytes()).hasValue(0);
    }
  }

  @Test
  void aClosedQueueIsDeleted() {
    try (QueueBackend backend = open()) {
      MessageQueue before = backend.open("orders.in", 1);
      before.appender().append(0, MESSAGE);
      before.close();
      MessageQueue after = backend.open("orders.in", 3);
      assertThat(after.identity()).isNotEqualTo(before.identity());
      assertThat(after.stats(0).end()).hasValue(0);
    }
  }

  @Test
  void aClosedBackendOpensNothing() {
    QueueBackend backend = open();
    MessageQueue queue = backend.open("orders.in", 1);
    backend.close();
    assertThatIllegalStateException().isThrownBy(() -> backend.open("orders.in", 1));
    assertThatIllegalStateException().isThrownBy(() -> queue.stats(0));
    assertThat(queue.name()).isEqualTo("orders.in");
    assertThat(queue.partitions()).isEqualTo(1);
  }

  @Test
  void consumersFinishTheirBatchWhileTheQueueCloses() {
    QueueBackend backend = open();
    MessageQueue queue = backend.open("orders.in", 1);
    Appender appender = queue.appender();
    appender.append(0, MESSAGE);
    Tailer tailer = queue.tailer(0);
    List<Subscription> own = new ArrayList<>();
    List<Object> seen = new ArrayList<>();
    own.add(
        queue.subscribe(
            "orders",
            new Noted("") {
              @Override
              public void revoked(int partition) {
                assertThatThrownBy(() -> appender.append(0, MESSAGE))
                    .isInstanceOf(QueueRefused.class);
                seen.add(tailer.poll(10, (position, message) -> {}));
                own.getFirst().passed(0, tailer.position());
                seen.add(queue.stats(0).first().getAsLong());
              }
            }));
    backend.close();
    assertThat(seen).containsExactly(1, 1L);
    assertThatIllegalStateException().isThrownBy(() -> own.getFirst().passed(0, 1));
  }

  @Test
  void aListenerThatFailsAtItsAssignmentIsNotSubscribed() {
    try (QueueBackend backend = open();
        MessageQueue queue = backend.open("orders.in", 3)) {
      Noted failing = new Noted("assigned 1");
      assertThatThrownBy(() -> queue.subscribe("orders", failing))
          .hasMessage("thrown by the test's listener");
      assertThat(failing.calls).containsExactly("assigned 0", "assigned 1", "revoked 0");
      queue.subscribe("orders", new Noted("")).close();
    }
  }

  @Test
  void aListenerThatFailsWhenRevokedStillLosesTheOtherPartitions() {
    try (QueueBackend backend = open();
        MessageQueue queue = backend.open("orders.in", 3)) {
      Noted failing = new Noted("revoked 1");
      queue.subscribe("orders", failing).close();
      assertThat(failing.calls.subList(3, 6))
          .containsExactlyInAnyOrder("revoked 0", "revoked 1", "revoked 2");
      queue.subscribe("orders", new Noted("")).close();
    }
  }
}
