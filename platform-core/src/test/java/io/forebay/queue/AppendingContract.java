/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Appended messages are read again, and refusals have the right reason. */
abstract class AppendingContract extends QueueFixture {

  AppendingContract(MessageQueueContract backends) {
    super(backends);
  }

  @Test
  void keepsTheOrderOfEachPartition() {
    openQueue(3);
    List<List<String>> sent = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    try (Appender appender = queue.appender()) {
      for (int i = 0; i < 300; i++) {
        int partition = i * 7 % 3;
        sent.get(partition).add("message " + i);
        appender.append(partition, bytes("message " + i));
      }
      settle(appender);
    }

    for (int partition = 0; partition < 3; partition++) {
      try (Tailer tailer = queue.tailer(partition)) {
        assertThat(texts(read(tailer, 100))).isEqualTo(sent.get(partition));
        assertThat(tailer.poll(1, (position, message) -> {})).isZero();
      }
    }
  }

  @Test
  void keepsMessagesOfAKeyInOnePartition() {
    openQueue(4);
    try (Appender appender = queue.appender()) {
      for (int i = 0; i < 400; i++) {
        String key = "customer-" + i % 20;
        appender.append(Partitioner.partition(key, queue.partitions()), bytes(key + " " + i));
      }
      settle(appender);
    }

    for (int c = 0; c < 20; c++) {
      String key = "customer-" + c;
      List<String> sent = new ArrayList<>();
      for (int i = c; i < 400; i += 20) {
        sent.add(key + " " + i);
      }
      assertThat(messagesOf(key)).isEqualTo(sent);
    }
  }

  private List<String> messagesOf(String key) {
    List<String> found = new ArrayList<>();
    try (Tailer tailer = queue.tailer(Partitioner.partition(key, queue.partitions()))) {
      while (found.size() < 20) {
        String text = read(tailer, 1).getFirst().text();
        if (text.startsWith(key + " ")) {
          found.add(text);
        }
      }
    }
    return found;
  }

  @Test
  void takesEmptyMessagesAndMessagesOfTheLargestSize() {
    openQueue(1);
    int largest = queue.capabilities().maxMessageBytes();
    assertThat(largest).isEqualTo(Capabilities.MAX_MESSAGE_BYTES);
    byte[] sizeable = new byte[largest];
    for (int i = 0; i < largest; i++) {
      sizeable[i] = (byte) (i * 31 >>> 3);
    }
    try (Appender appender = queue.appender()) {
      appender.append(0, ByteBuffer.allocate(0));
      appender.append(0, ByteBuffer.wrap(sizeable));
      appender.append(0, ByteBuffer.allocate(0));
      appender.append(0, ByteBuffer.wrap(sizeable));
      settle(appender);
    }

    List<byte[]> received = new ArrayList<>();
    try (Tailer tailer = queue.tailer(0)) {
      while (received.size() < 4) {
        tailer.poll(4, (position, message) -> received.add(copy(message)));
      }
    }
    assertThat(received.get(0)).isEmpty();
    assertThat(Arrays.equals(received.get(1), sizeable)).isTrue();
    assertThat(received.get(2)).isEmpty();
    assertThat(Arrays.equals(received.get(3), sizeable)).isTrue();
  }

  private static byte[] copy(ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(bytes);
    return bytes;
  }

  @Test
  void refusesAMessageThatIsTooLargeAndWritesNothingOfIt() {
    openQueue(1);
    try (Appender appender = queue.appender()) {
      appender.append(0, bytes("before"));
      ByteBuffer tooLarge = ByteBuffer.allocate(queue.capabilities().maxMessageBytes() + 1);

      QueueRefused refused = refusal(appender, 0, tooLarge);

      assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.TOO_LARGE);
      assertThat(refused.retryAfter()).isEqualTo(Duration.ZERO);
      assertThat(tooLarge.remaining()).isEqualTo(queue.capabilities().maxMessageBytes() + 1);
      assertThat(appender.ticket()).isEqualTo(1);
      assertThat(appender.append(0, bytes("after"))).isEqualTo(2);
      settle(appender);
    }

    try (Tailer tailer = queue.tailer(0)) {
      assertThat(texts(read(tailer, 2))).containsExactly("before", "after");
      assertThat(tailer.poll(1, (position, message) -> {})).isZero();
    }
  }

  @Test
  void takesTheBytesBetweenPositionAndLimitOfAnyBufferAndMovesNeither() {
    openQueue(1);
    ByteBuffer heap = bytes("..heap..").position(2).limit(6);
    ByteBuffer slice = bytes("..slice..").position(2).slice().limit(5);
    ByteBuffer readOnly = bytes("..only..").position(2).limit(6).asReadOnlyBuffer();
    ByteBuffer direct = ByteBuffer.allocateDirect(10).put(bytes("..direct..")).flip();
    direct.position(2).limit(8);
    try (Appender appender = queue.appender()) {
      for (ByteBuffer message : List.of(heap, slice, readOnly, direct)) {
        ByteBuffer before = message.duplicate();
        appender.append(0, message);
        assertThat(message.position()).isEqualTo(before.position());
        assertThat(message.limit()).isEqualTo(before.limit());
      }
      settle(appender);
    }

    try (Tailer tailer = queue.tailer(0)) {
      assertThat(texts(read(tailer, 4))).containsExactly("heap", "slice", "only", "direct");
    }
  }

  @Test
  void leavesTheBufferToTheCallerAsSoonAsAppendReturns() {
    openQueue(1);
    ByteBuffer reused = ByteBuffer.allocateDirect(8);
    try (Appender appender = queue.appender()) {
      for (long i = 0; i < 1000; i++) {
        reused.putLong(0, i);
        appender.append(0, reused);
      }
      reused.putLong(0, -1);
      settle(appender);
    }

    List<Long> received = new ArrayList<>();
    try (Tailer tailer = queue.tailer(0)) {
      while (received.size() < 1000) {
        tailer.poll(1000, (position, message) -> received.add(message.getLong()));
      }
    }
    for (int i = 0; i < 1000; i++) {
      assertThat(received.get(i)).isEqualTo(i);
    }
  }

  @Test
  void publishedAnswersAreReadAndThePreviousAppenderOfASharedQueueIsFenced() {
    openQueue(2);
    try (Appender first = queue.answers(1);
        Tailer tailer = queue.tailer(1)) {
      first.append(1, bytes("a"));
      first.append(1, bytes("b"));
      first.publish();
      settle(first);
      assertThat(texts(read(tailer, 2))).containsExactly("a", "b");
      first.publish();

      try (Appender second = queue.answers(1)) {
        if (!heldByConsumers()) {
          assertThatThrownBy(
                  () -> {
                    first.append(1, bytes("late"));
                    first.publish();
                    first.await(first.ticket(), Duration.ofSeconds(20));
                  })
              .isInstanceOf(Fenced.class);
        }
        second.append(1, bytes("c"));
        second.publish();
        settle(second);
      }
      assertThat(texts(read(tailer, 1))).containsExactly("c");
      assertThat(tailer.poll(1, (position, message) -> {})).isZero();
      assertThat(tailer.end()).isEqualTo(tailer.position());
    }
    assertThatIllegalArgumentException().isThrownBy(() -> queue.answers(2).append(2, bytes("no")));
  }

  @Test
  void refusesAPartitionThatDoesNotExist() {
    openQueue(2);
    try (Appender appender = queue.appender()) {
      for (int partition : new int[] {-1, 2}) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> appender.append(partition, bytes("lost")));
        assertThatIllegalArgumentException().isThrownBy(() -> queue.tailer(partition));
        assertThatIllegalArgumentException().isThrownBy(() -> queue.stats(partition));
      }
      assertThat(appender.ticket()).isZero();
    }
  }

  @Test
  void refusesAppendsAfterTheQueueOrTheAppenderIsClosed() {
    openQueue(1);
    Appender left = queue.appender();
    Appender open = queue.appender();
    left.append(0, bytes("one"));
    settle(left);

    left.close();
    assertClosed(left);
    open.append(0, bytes("two"));
    settle(open);

    queue.close();
    assertClosed(open);
    assertThat(left.isAcknowledged(1)).isTrue();
    assertThat(open.isAcknowledged(1)).isTrue();
    assertThatThrownBy(queue::appender).isInstanceOf(IllegalStateException.class);
  }

  private static void assertClosed(Appender appender) {
    long before = appender.ticket();
    assertThat(refusal(appender, 0, bytes("late")).reason()).isEqualTo(QueueRefused.Reason.CLOSED);
    assertThat(appender.ticket()).isEqualTo(before);
  }
}
