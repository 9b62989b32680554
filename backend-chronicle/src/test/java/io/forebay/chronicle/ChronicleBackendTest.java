/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The backend as a whole: names, options, several queues, and cleanup at close. */
final class ChronicleBackendTest {

  @TempDir Path data;

  private ChronicleBackend open() {
    return ChronicleBackend.open(data, Rig.options(Level.PROCESS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "../out", "a/b", ".hidden", "a\\b", "a b", "ä", "\0"})
  void refusesANameThatIsNotAPlainFileName(String name) throws IOException {
    try (ChronicleBackend backend = open()) {
      assertThatIllegalArgumentException().isThrownBy(() -> backend.open(name, 1));
    }
    try (Stream<Path> left = Files.list(data.resolve("queues"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void queuesLiveSideBySideAndTheBackendClosesThemAll() {
    MessageQueue closed;
    try (ChronicleBackend backend = open()) {
      closed = backend.open("orders.in", 2);
      send(closed, 0, 100);
      send(backend.open("orders.out", 2), 0, 50);
    }
    assertThatThrownBy(closed::appender).isInstanceOf(IllegalStateException.class);
    try (ChronicleBackend backend = open()) {
      assertReads(backend.open("orders.out", 2), 0, 50);
      assertReads(backend.open("orders.in", 2), 0, 100);
    }
  }

  @Test
  void aQueueThatStoppedAcceptingCanBeReadAndAcceptsAgainAfterReopening() {
    try (ChronicleBackend backend = open()) {
      MessageQueue queue = backend.open(QUEUE, 1);
      send(queue, 0, 10);
      queue.stopAccepting();
      assertThatThrownBy(() -> queue.appender().append(0, ByteBuffer.allocate(1)))
          .isInstanceOfSatisfying(
              QueueRefused.class,
              refused -> assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.CLOSED));
      assertReads(queue, 0, 10);
      queue.close();
      send(backend.open(QUEUE, 1), 10, 20);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "format=2\nidentity=x\npartitions=1",
        "format=1\npartitions=1",
        "format=1\nidentity=x",
        "format=1\nidentity=x\npartitions=0",
        "format=1\nidentity=x\npartitions=many"
      })
  void aQueueWhoseOwnFileIsDamagedOrOfAnotherFormatIsNotOpened(String content) throws IOException {
    try (ChronicleBackend backend = open()) {
      send(backend.open(QUEUE, 1), 0, 10);
    }
    Files.writeString(data.resolve("queues").resolve(QUEUE).resolve("queue.properties"), content);
    try (ChronicleBackend backend = open()) {
      assertThatThrownBy(() -> backend.open(QUEUE, 1))
          .isInstanceOf(QueueFailed.class)
          .hasMessageContaining(QUEUE)
          .hasMessageContaining("queue.properties");
    }
  }

  @Test
  void aQueueThatLostItsOwnFileIsNotTakenForANewOne() throws IOException {
    try (ChronicleBackend backend = open()) {
      send(backend.open(QUEUE, 1), 0, 10);
    }
    Path queue = data.resolve("queues").resolve(QUEUE);
    Path lost = Files.move(queue.resolve("queue.properties"), data.resolve("lost"));
    try (ChronicleBackend backend = open()) {
      assertThatThrownBy(() -> backend.open(QUEUE, 1))
          .isInstanceOf(QueueFailed.class)
          .hasMessageContainingAll(
              queue.toString(), "has partitions but no queue.properties", "restore that file");
      assertThat(queue.resolve("queue.properties")).doesNotExist();
      Files.move(lost, queue.resolve("queue.properties"));
      assertReads(backend.open(QUEUE, 1), 0, 10);
    }
  }

  @Test
  void aWaitSleepsUntilTheNextMessage() throws Exception {
    try (ChronicleBackend backend = open();
        MessageQueue queue = backend.open(QUEUE, 2);
        Tailer tailer = queue.tailer(1)) {
      Thread reader = Thread.ofPlatform().start(() -> tailer.await(Duration.ofHours(1)));
      queue.appender().append(0, ByteBuffer.allocate(1));
      assertThat(reader.join(Duration.ofMillis(50))).as("it ended without a message").isFalse();
      queue.appender().append(1, ByteBuffer.allocate(1));
      assertThat(reader.join(Duration.ofMinutes(1))).as("it ended").isTrue();
    }
  }

  @Test
  void aConsumerMayHaveAnyName() {
    String name = "orders = \"ä\"\n: #!\\ 1";
    try (ChronicleBackend backend = open()) {
      MessageQueue queue = backend.open(QUEUE, 2);
      send(queue, 0, 10);
      queue.subscribe(name, new Indifferent()).passed(0, 7);
    }
    try (ChronicleBackend backend = open()) {
      assertThat(backend.open(QUEUE, 2).stats(0).passed()).containsEntry(name, 7L);
    }
  }

  @Test
  void refusesInvalidOptions() {
    ChronicleBackend.Options options = ChronicleBackend.Options.defaults();
    assertThatIllegalArgumentException().isThrownBy(() -> options.withLevel(Level.MEMORY));
    assertThatIllegalArgumentException().isThrownBy(() -> options.withLevel(Level.REPLICATED));
    assertThatIllegalArgumentException().isThrownBy(() -> options.withMinFree(-1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> options.withMinFree(0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> options.withMinFree(0, Double.NaN));
  }

  @Test
  void theThreadsOfABackendEndWithIt() {
    try (ChronicleBackend backend = open()) {
      backend.open(QUEUE, 1);
      assertThat(ownThreads()).isEqualTo(2);
    }
    assertThat(ownThreads()).isZero();
  }

  /** Without the thread that the whole process uses to wake waiting callers. */
  private static long ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("forebay-") && !name.equals("forebay-deadlines"))
        .count();
  }

  private static final class Indifferent implements PartitionListener {
    @Override
    public void assigned(int partition) {}

    @Override
    public void revoked(int partition) {}

    @Override
    public void lost(int partition) {}
  }
}
