/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.background.Outage;
import io.forebay.background.TailerLoop;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tailers: order, positions, seeking, and handlers that throw. */
abstract class ReadingContract extends QueueFixture {

  ReadingContract(MessageQueueContract backends) {
    super(backends);
  }

  @Test
  void positionsGrowWithoutGapsWhereThatIsDeclared() {
    openQueue(1);
    sendMany(0, "message", 50);
    List<Long> positions = positions(0, 50);
    for (int i = 1; i < 50; i++) {
      if (queue.capabilities().contiguous()) {
        assertThat(positions.get(i)).isEqualTo(positions.get(i - 1) + 1);
      } else {
        assertThat(positions.get(i)).isGreaterThan(positions.get(i - 1));
      }
    }
  }

  @Test
  void positionIsThatOfTheNextMessage() {
    openQueue(2);
    sendMany(1, "message", 10);
    List<Long> positions = positions(1, 10);
    try (Tailer tailer = queue.tailer(1)) {
      assertThat(tailer.partition()).isEqualTo(1);
      for (long position : positions) {
        assertThat(tailer.position()).isLessThanOrEqualTo(position);
        assertThat(read(tailer, 1).getFirst().position()).isEqualTo(position);
        assertThat(tailer.position()).isGreaterThan(position);
      }
    }
  }

  @Test
  void neverHandsOverMoreThanWasAskedFor() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 20);
    List<String> received = new ArrayList<>();
    try (Tailer tailer = queue.tailer(0)) {
      eventually()
          .until(() -> {
            int before = received.size();
            int told = tailer.poll(3, (position, message) -> received.add(text(message)));
            assertThat(told).isEqualTo(received.size() - before).isBetween(0, 3);
            return received.size() == 20;
          });
      assertThat(tailer.poll(3, (position, message) -> received.add(text(message)))).isZero();
      tailer.toStart();
      assertThat(tailer.poll(0, (position, message) -> received.add(text(message)))).isZero();
    }
    assertThat(received).isEqualTo(sent);
  }

  @Test
  void severalTailersReadEachAtItsOwnPace() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 30);
    try (Tailer fast = queue.tailer(0);
        Tailer slow = queue.tailer(0)) {
      assertThat(texts(read(slow, 1))).isEqualTo(sent.subList(0, 1));
      assertThat(texts(read(fast, 30))).isEqualTo(sent);
      assertThat(texts(read(slow, 29))).isEqualTo(sent.subList(1, 30));
    }
  }

  @Test
  void aTailerAtTheEndGoesOnWithWhatIsAppendedLater() {
    openQueue(1);
    try (Tailer tailer = queue.tailer(0)) {
      assertThat(tailer.poll(10, (position, message) -> {})).isZero();
      for (int i = 0; i < 5; i++) {
        send(0, "message " + i);
        assertThat(texts(read(tailer, 1))).containsExactly("message " + i);
      }
    }
  }

  @Test
  void aLongWaitEndsWithTheNextMessage() throws Exception {
    openQueue(1);
    try (Tailer tailer = queue.followers().apply(0)) {
      for (int i = 0; i < 3; i++) {
        Thread reader =
            Thread.ofPlatform()
                .start(() -> {
                  while (tailer.poll(1, (position, message) -> {}) == 0) {
                    tailer.await(Duration.ofHours(1));
                  }
                });
        eventually().until(() -> reader.getState() != Thread.State.NEW);
        send(0, "message");
        assertThat(reader.join(Duration.ofMinutes(1))).as("it ended").isTrue();
      }
    }
  }

  @Test
  void aLongWaitEndsWithTheNextMessageOfAnotherTailerToo() throws Exception {
    openQueue(2);
    IntFunction<Tailer> followers = queue.followers();
    try (Tailer first = followers.apply(0);
        Tailer second = followers.apply(1)) {
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                while (second.poll(1, (position, message) -> {}) == 0) {
                  first.await(Duration.ofHours(1));
                }
              });
      eventually().until(() -> reader.getState() != Thread.State.NEW);
      send(1, "message");
      assertThat(reader.join(Duration.ofMinutes(1))).as("it ended").isTrue();
    }
  }

  @Test
  void tailersOfOneThreadEachReadTheirPartition() {
    openQueue(3);
    List<String> sent = sendMany(0, "first", 30);
    List<String> others = sendMany(1, "second", 30);
    IntFunction<Tailer> followers = queue.followers();
    try (Tailer second = followers.apply(1);
        Tailer third = followers.apply(2)) {
      try (Tailer first = followers.apply(0)) {
        assertThat(texts(read(first, 1))).isEqualTo(sent.subList(0, 1));
        assertThat(texts(read(second, 30))).isEqualTo(others);
        third.await(Duration.ofMillis(1));
        assertThat(texts(read(first, 29))).isEqualTo(sent.subList(1, 30));
        second.toStart();
        assertThat(texts(read(second, 1))).isEqualTo(others.subList(0, 1));
      }
      send(2, "third");
      assertThat(texts(read(third, 1))).containsExactly("third");
      assertThat(texts(read(second, 29))).isEqualTo(others.subList(1, 30));
    }
  }

  @Test
  void aLoopInALongWaitNoticesARevocationAndItsEnd() throws Exception {
    openQueue(2);
    TailerLoop loop =
        new TailerLoop(
            "forebay-test",
            queue,
            new Ignoring(),
            (turns, tailer) -> tailer.await(Duration.ofHours(1)),
            new Outage(LoggerFactory.getLogger(ReadingContract.class), "Reading", "retried"));
    loop.startAll();
    assertThat(loop.awaitReading(Duration.ofMinutes(1))).isTrue();
    Thread ending =
        Thread.ofPlatform()
            .start(() -> {
              loop.revoked(0);
              loop.close();
            });
    assertThat(ending.join(Duration.ofMinutes(1))).as("it ended").isTrue();
  }

  private static final class Ignoring implements TailerLoop.Reader {

    @Override
    public void open(Tailer tailer, long resume) {}

    @Override
    public int read(Tailer tailer) {
      return tailer.poll(10, (_, _) -> {});
    }

    @Override
    public void ended(@Nullable RuntimeException failure) {}
  }

  @Test
  void aFollowerReadsAgainFromWhereItSeeks() throws Exception {
    openQueue(1);
    send(0, "first");
    send(0, "second");
    try (Tailer follower = queue.followers().apply(0)) {
      long first = follower.position();
      assertThat(texts(read(follower, 2))).containsExactly("first", "second");
      follower.await(Duration.ofMillis(1));
      follower.seek(first);
      assertThat(texts(read(follower, 2))).containsExactly("first", "second");
    }
  }

  @Test
  void aLongWaitEndsWhenItIsWoken() throws Exception {
    openQueue(1);
    try (Tailer tailer = queue.followers().apply(0)) {
      tailer.poll(1, (position, message) -> {});
      Thread reader = Thread.ofPlatform().start(() -> tailer.await(Duration.ofHours(1)));
      eventually().until(() -> reader.getState() != Thread.State.NEW);
      tailer.wake();
      assertThat(reader.join(Duration.ofMinutes(1))).as("it ended").isTrue();
    }
  }

  @Test
  void awaitingEndsWhenItIsWokenOrTheTimeIsOver() {
    openQueue(1);
    try (Tailer tailer = queue.tailer(0)) {
      tailer.await(Duration.ofMillis(1));
      tailer.wake();
      tailer.await(Duration.ofMillis(1));
      assertThat(tailer.poll(1, (position, message) -> {})).isZero();
      send(0, "message");
      tailer.await(Duration.ofMillis(1));
      assertThat(texts(read(tailer, 1))).containsExactly("message");
    }
  }

  @Test
  void seeksToEveryPositionAndToTheEnd() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 40);
    List<Long> positions = positions(0, 40);
    try (Tailer tailer = queue.tailer(0)) {
      tailer.toEnd();
      long end = tailer.position();
      for (int i = 39; i >= 0; i--) {
        tailer.seek(positions.get(i));
        assertThat(texts(read(tailer, 40 - i))).isEqualTo(sent.subList(i, 40));
      }
      tailer.seek(end);
      assertThat(tailer.poll(1, (position, message) -> {})).isZero();
      assertThat(tailer.position()).isEqualTo(end);
      send(0, "one more");
      assertThat(texts(read(tailer, 1))).containsExactly("one more");
    }
  }

  @Test
  void goesToTheStartAndToTheEnd() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 10);
    try (Tailer tailer = queue.tailer(0)) {
      tailer.toEnd();
      send(0, "behind the end");
      assertThat(texts(read(tailer, 1))).containsExactly("behind the end");
      tailer.toStart();
      assertThat(texts(read(tailer, 10))).isEqualTo(sent);
    }
  }

  @Test
  void doesNotMoveWhenAPositionIsOutOfRange() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 10);
    List<Long> positions = positions(0, 10);
    try (Tailer tailer = queue.tailer(0)) {
      tailer.toEnd();
      long end = tailer.position();
      tailer.seek(positions.get(4));
      long before = tailer.position();
      for (long outside : new long[] {positions.getFirst() - 1, end + 1, end + 1_000_000}) {
        assertThatExceptionOfType(PositionOutOfRange.class).isThrownBy(() -> tailer.seek(outside));
        assertThat(tailer.position()).isEqualTo(before);
      }
      assertThat(texts(read(tailer, 6))).isEqualTo(sent.subList(4, 10));
    }
  }

  @Test
  void aMessageWhoseHandlerThrowsStaysUnread() {
    openQueue(1);
    List<String> sent = sendMany(0, "message", 6);
    IllegalStateException failure = new IllegalStateException("thrown by the test's handler");
    List<String> received = new ArrayList<>();
    try (Tailer tailer = queue.tailer(0)) {
      MessageHandler failing =
          (position, message) -> {
            if (text(message).equals(sent.get(3))) {
              message.position(message.limit());
              throw failure;
            }
            received.add(text(message));
          };
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatThrownBy(() -> pollUntilThrown(tailer, failing)).isSameAs(failure);
        assertThat(received).isEqualTo(sent.subList(0, 3));
      }
      long unread = tailer.position();
      List<Received> rest = read(tailer, 3);
      assertThat(texts(rest)).isEqualTo(sent.subList(3, 6));
      assertThat(unread).isLessThanOrEqualTo(rest.getFirst().position());
    }
  }

  private static void pollUntilThrown(Tailer tailer, MessageHandler handler) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < PATIENCE.toNanos()) {
      tailer.poll(100, handler);
    }
  }

  @Test
  void changesToTheBufferDoNotAffectTheNextMessage() {
    openQueue(1);
    sendMany(0, "message", 3);
    List<String> received = new ArrayList<>();
    try (Tailer tailer = queue.tailer(0)) {
      MessageHandler careless =
          (position, message) -> {
            assertThat(message.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
            received.add(text(message));
            message.order(ByteOrder.LITTLE_ENDIAN).limit(1).position(1).mark();
          };
      eventually().until(() -> tailer.poll(3, careless) >= 0 && received.size() == 3);
    }
    assertThat(received).containsExactly("message 0", "message 1", "message 2");
  }

  @Test
  void anErrorOfTheHandlerLeavesTheMessageUnreadToo() {
    openQueue(1);
    sendMany(0, "message", 2);
    try (Tailer tailer = queue.tailer(0)) {
      AssertionError failure = new AssertionError("thrown by the test's handler");
      assertThatThrownBy(() ->
              pollUntilThrown(
                  tailer,
                  (position, message) -> {
                    throw failure;
                  }))
          .isSameAs(failure);
      assertThat(texts(read(tailer, 2))).containsExactly("message 0", "message 1");
    }
  }

  @Test
  void aClosedTailerThrows() {
    openQueue(1);
    sendMany(0, "message", 2);
    Tailer closed = queue.tailer(0);
    Tailer open = queue.tailer(0);
    closed.close();
    closed.close();
    assertThatIllegalStateException().isThrownBy(() -> closed.poll(1, (position, message) -> {}));
    assertThat(read(open, 1)).hasSize(1);

    queue.close();
    assertThatIllegalStateException().isThrownBy(() -> open.poll(1, (position, message) -> {}));
    assertThatIllegalStateException().isThrownBy(() -> queue.tailer(0));
  }
}
