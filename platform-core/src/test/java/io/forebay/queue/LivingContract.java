/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The life of a queue: opened, restarted, verified, skipped, measured, closed. */
abstract class LivingContract extends QueueFixture {

  LivingContract(MessageQueueContract backends) {
    super(backends);
  }

  @Test
  void saysWhatItIs() {
    openQueue(3);
    assertThat(backend.name()).isNotBlank();
    assertThat(queue.name()).isEqualTo(QUEUE);
    assertThat(queue.partitions()).isEqualTo(3);
    assertThat(queue.identity()).isNotBlank().isEqualTo(queue.identity());
    assertThat(queue.capabilities().maxMessageBytes()).isPositive();
  }

  @Test
  void everyQueueHasAnIdentityOfItsOwn() {
    openQueue(1);
    try (MessageQueue other = backend.open("contract.out", 1)) {
      assertThat(other.identity()).isNotEqualTo(queue.identity());
    }
  }

  @Test
  void aRestartKeepsIdentityAndMessagesOrNeither() {
    openQueue(1);
    sendMany(0, "message", 3);
    String before = queue.identity();
    restart();
    if (durable()) {
      assertThat(queue.identity()).isEqualTo(before);
      assertThat(positions(0, 3)).hasSize(3);
    } else {
      assertThat(queue.identity()).isNotEqualTo(before);
      try (Tailer tailer = queue.tailer(0)) {
        assertThat(tailer.poll(1, (position, message) -> {})).isZero();
      }
    }
  }

  @Test
  void resumesAfterARestartFromAnyPosition() {
    openQueue(2);
    List<String> sent = sendMany(1, "message", 20);
    List<Long> positions = positions(1, 20);
    restart();
    if (!durable()) {
      sent = sendMany(1, "message", 20);
      positions = positions(1, 20);
    }
    send(1, "after");
    for (int i : new int[] {0, 7, 19}) {
      try (Tailer tailer = queue.tailer(1)) {
        tailer.seek(positions.get(i));
        assertThat(texts(read(tailer, 20 - i))).isEqualTo(sent.subList(i, 20));
        Received after = read(tailer, 1).getFirst();
        assertThat(after.text()).isEqualTo("after");
        assertThat(after.position()).isGreaterThan(positions.getLast());
      }
    }
  }

  @Test
  void stopsAcceptingButStillReadsUntilItIsReopened() {
    openQueue(2);
    List<String> sent = sendMany(0, "message", 10);
    Appender before = queue.appender();
    queue.stopAccepting();
    queue.stopAccepting();
    for (Appender appender : List.of(before, queue.appender())) {
      for (int partition = 0; partition < 2; partition++) {
        assertThat(refusal(appender, partition, bytes("late")).reason())
            .isEqualTo(QueueRefused.Reason.CLOSED);
      }
    }
    try (Tailer tailer = queue.tailer(0)) {
      assertThat(texts(read(tailer, 10))).isEqualTo(sent);
      assertThat(tailer.poll(1, (position, message) -> {})).isZero();
    }
    restart();
    send(0, "accepted again");
  }

  @Test
  void aDrainedPartitionAcceptsNothingBeforeItsConsumerAgrees() {
    openQueue(2);
    if (!durable()) {
      assertThat(queue.drained(0)).isTrue();
      restart();
      send(0, "of another queue");
      return;
    }
    sendMany(0, "message", 3);
    assertThat(queue.drained(0)).isTrue();
    for (int opened = 0; opened < 3; opened++) {
      try (Appender appender = queue.appender()) {
        QueueRefused refused = refusal(appender, 0, bytes("late"));
        assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.UNAVAILABLE);
        assertThat(refused.retryAfter()).isPositive();
        assertThat(refused).hasMessageContaining("drained");
      }
      assertThat(queue.stats(0).refusal()).isNotNull();
      send(1, "to the other partition");
      restart();
    }
    queue.agreed(0);
    send(0, "accepted again");
    restart();
    send(0, "and again");
    assertThat(positions(0, 5)).hasSize(5);
  }

  @Test
  void aQueueIsOpenOnceAtATime() {
    openQueue(2);
    assertThatIllegalStateException().isThrownBy(() -> backend.open(QUEUE, 2));
    send(0, "still works");
    queue.close();
    queue.close();
    openQueue(2);
    send(0, "works again");
  }

  @Test
  void theNumberOfPartitionsIsFixedAsLongAsTheQueueExists() {
    openQueue(2);
    send(1, "kept");
    if (durable()) {
      queue.close();
      assertThatIllegalStateException().isThrownBy(() -> backend.open(QUEUE, 3));
      assertThatIllegalStateException().isThrownBy(() -> backend.open(QUEUE, 1));
      openQueue(2);
      assertThat(positions(1, 1)).hasSize(1);
    } else {
      assertThatIllegalStateException().isThrownBy(() -> backend.open(QUEUE, 3));
    }
    assertThat(queue.partitions()).isEqualTo(2);
    assertThatIllegalArgumentException().isThrownBy(() -> backend.open("contract.none", 0));
  }

  private long end(int partition) {
    try (Tailer tailer = queue.tailer(partition)) {
      tailer.toEnd();
      return tailer.position();
    }
  }

  @Test
  void skipsToAPositionAndLeavesAGapThatReadersSkip() {
    openQueue(2);
    List<String> sent = sendMany(0, "message", 5);
    List<Long> positions = positions(0, 5);
    long end = end(0);
    if (!queue.capabilities().contiguous()) {
      assertThatThrownBy(() -> queue.skipTo(0, end + 100))
          .isInstanceOf(UnsupportedOperationException.class);
      return;
    }
    try (Tailer waiting = queue.tailer(0)) {
      waiting.toEnd();
      queue.skipTo(0, end + 100);
      assertThat(end(0)).isEqualTo(end + 100);
      assertThat(waiting.poll(1, (position, message) -> {})).isZero();
      assertThat(waiting.position()).isEqualTo(end + 100);
      send(0, "behind the gap");
      assertThat(read(waiting, 1)).containsExactly(new Received(end + 100, "behind the gap"));
    }

    try (Tailer tailer = queue.tailer(0)) {
      assertThat(texts(read(tailer, 5))).isEqualTo(sent);
      assertThat(read(tailer, 1)).containsExactly(new Received(end + 100, "behind the gap"));
      for (long inGap : new long[] {end, end + 1, end + 99}) {
        tailer.seek(inGap);
        assertThat(read(tailer, 1)).containsExactly(new Received(end + 100, "behind the gap"));
      }
      tailer.seek(positions.get(3));
      assertThat(texts(read(tailer, 3)))
          .containsExactly("message 3", "message 4", "behind the gap");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> queue.skipTo(0, end));
    queue.skipTo(0, end + 101);
    assertThat(end(0)).isEqualTo(end + 101);
  }

  @Test
  void aGapSurvivesARestartIfMessagesDo() {
    openQueue(1);
    if (!queue.capabilities().contiguous() || !durable()) {
      assertThat(queue.capabilities().contiguous() && durable()).isFalse();
      return;
    }
    send(0, "before");
    queue.skipTo(0, end(0) + 10);
    queue.skipTo(0, end(0) + 10);
    long behind = end(0);
    restart();
    assertThat(end(0)).isEqualTo(behind);
    send(0, "behind");
    try (Tailer tailer = queue.tailer(0)) {
      assertThat(texts(read(tailer, 2))).containsExactly("before", "behind");
      assertThat(tailer.position()).isEqualTo(behind + 1);
    }
  }

  @Test
  void reportsKnownFiguresAndOmitsTheRest() {
    openQueue(2);
    assertFigures(0, end(0), end(0));
    sendMany(0, "message", 25);
    List<Long> positions = positions(0, 25);
    assertFigures(0, positions.getFirst(), end(0));
    assertThat(queue.stats(0).passed()).isEmpty();
    assertThat(queue.stats(0).refusal()).isNull();
    eventually() // brokers are asked from time to time
        .untilAsserted(
            () -> queue.stats(0).bytes().ifPresent(bytes -> assertThat(bytes).isPositive()));
    assertThat(queue.stats(1).end()).isNotEqualTo(OptionalLong.of(end(0)));
  }

  /** A figure may be known a moment later, or never; known, it is right. */
  private void assertFigures(int partition, long first, long end) {
    eventually()
        .untilAsserted(() -> {
          QueueStats stats = queue.stats(partition);
          assertThat(stats.first().orElse(first)).isEqualTo(first);
          assertThat(stats.end().orElse(end)).isEqualTo(end);
          assertThat(stats.acknowledged().orElse(end)).isEqualTo(end);
        });
  }
}
