/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.groups.Tuple.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.chronicle.place.ServiceFiles;
import io.forebay.operations.StartRefused;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Storage;
import io.forebay.queue.Subscription;
import io.forebay.queue.stored.StoredQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/** Queues in another directory, and with files of another length. */
final class PlacesTest {

  private static final String IN = "orders.in";
  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  @TempDir Path directory;

  private Path data;
  private Path fast;
  private Rig rig;

  @BeforeEach
  void open() throws Exception {
    data = directory.resolve("data");
    fast = Files.createDirectory(directory.resolve("fast"));
    rig = new Rig(data);
  }

  /** Opens the backend; the queues of service orders are in a directory. */
  private ChronicleBackend open(@Nullable Path place) {
    return open(place, null);
  }

  private ChronicleBackend open(@Nullable Path place, @Nullable Duration roll) {
    rig.options = rig.options.withServices(Map.of("orders", new ServiceFiles(place, roll)));
    return rig.open();
  }

  /** Creates its in-queue there with 10 messages. */
  private void create(@Nullable Path place) {
    try (ChronicleBackend backend = open(place);
        MessageQueue queue = backend.open(IN, 1)) {
      send(queue, 0, 10);
    }
  }

  private String refusal(@Nullable Path place) {
    try (ChronicleBackend backend = open(place)) {
      StartRefused refused =
          catchThrowableOfType(StartRefused.class, () -> backend.open(IN, 1).close());
      assertThat(refused).isNotNull();
      return refused.getMessage();
    }
  }

  /** Performs the command at the end of a refusal, and then finds the messages. */
  private void move(String refusal, @Nullable Path place) throws Exception {
    String command = refusal.substring(refusal.lastIndexOf(": ") + 2);
    assertThat(new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor()).isZero();
    try (ChronicleBackend backend = open(place);
        MessageQueue queue = backend.open(IN, 1)) {
      assertReads(queue, 0, 10);
    }
  }

  @Test
  void aQueueElsewhereSurvivesARestartAndIsFoundFromTheDataDirectory() {
    create(fast);
    assertThat(fast.resolve(IN).resolve("0")).isNotEmptyDirectory();
    assertThat(data.resolve("queues").resolve(IN)).isSymbolicLink();
    try (ChronicleBackend backend = open(fast);
        MessageQueue queue = backend.open(IN, 1);
        MessageQueue other = backend.open("stock.in", 1)) {
      send(queue, 10, 20);
      assertReads(queue, 0, 20);
      send(other, 0, 5);
      assertThat(backend.withoutQueue()).isEmpty();
      queue.close();
      assertThat(backend.withoutQueue()).containsExactly("orders");
    }
    try (ChronicleStoredQueues stored = new ChronicleStoredQueues(data)) {
      assertThat(stored.queues())
          .extracting(StoredQueue::name, it -> it.stats(0).end().orElseThrow())
          .containsExactly(tuple(IN, 20L), tuple("stock.in", 5L));
    }
  }

  @Test
  void aQueueElsewhereIsDeletedWithItsLink() {
    create(fast);
    try (ChronicleBackend backend = open(fast)) {
      backend.delete(IN);
      assertThat(fast).isEmptyDirectory();
      assertThat(data.resolve("queues")).isEmptyDirectory();
      backend.delete(IN);
    }
    create(fast);
  }

  @Test
  void itsFilesRollAndAreDeletedThere() throws Exception {
    try (ChronicleBackend backend = open(fast, FIVE_MINUTES);
        MessageQueue queue = backend.open(IN, 1)) {
      Subscription only = queue.subscribe("only", RetentionTest.INDIFFERENT);
      for (int i = 0; i < 4; i++) {
        send(queue, i * 10L, i * 10L + 10);
        rig.pass(backend, FIVE_MINUTES);
      }
      assertThat(files()).hasSize(4).allMatch(it -> it.matches("20260301-12[0-9]{2}V.cq4"));
      only.passed(0, 40);
      backend.tick(true);
      assertThat(files()).hasSize(2);
      assertThat(backend.storage().getFirst().roll()).isEqualTo(FIVE_MINUTES);
    }
    assertThatIllegalStateException()
        .isThrownBy(() -> {
          try (ChronicleBackend backend = open(fast, Duration.ofHours(1))) {
            backend.open(IN, 1);
          }
        })
        .withMessage(
            "queue orders.in writes each file for 5m and was opened with a roll cycle of 1h; it is fixed when a queue is created");
  }

  private List<String> files() throws Exception {
    try (Stream<Path> all = Files.list(fast.resolve(IN).resolve("0"))) {
      return all.map(it -> it.getFileName().toString()).filter(it -> it.endsWith(".cq4")).toList();
    }
  }

  @Test
  void aQueueIsRefusedElsewhereUntilItIsMoved() throws Exception {
    create(null);
    String refusal = refusal(fast);
    assertThat(refusal)
        .startsWith("queue orders.in is in " + data.resolve("queues").resolve(IN))
        .contains("forebay.chronicle.services.orders.directory", fast.resolve(IN).toString());
    move(refusal, fast);

    Path slow = Files.createDirectory(directory.resolve("slow"));
    move(refusal(slow), slow);

    move(refusal(null), null);
    assertThat(fast).isEmptyDirectory();
    assertThat(slow).isEmptyDirectory();
  }

  @Test
  void aQueueWhoseVolumeIsNotMountedIsRefused() throws Exception {
    create(fast);
    Files.move(fast, directory.resolve("unmounted"));
    Files.createDirectory(fast);
    assertThat(refusal(fast)).contains("does not exist; mount its volume");
    try (ChronicleStoredQueues stored = new ChronicleStoredQueues(data)) {
      StoredQueue queue = stored.queues().getFirst();
      assertThat(queue.name()).isEqualTo(IN);
      assertThatExceptionOfType(QueueFailed.class)
          .isThrownBy(queue::partitions)
          .withMessageContaining("cannot be read");
    }
  }

  /** The process died after one of the steps of creating a queue. */
  @Test
  void aQueueThatWasBeingCreatedIsCreatedAgain() throws Exception {
    Files.createDirectory(fast.resolve(IN));
    create(fast);
    FileSystemUtils.deleteRecursively(fast.resolve(IN));
    Files.createDirectory(fast.resolve(IN));
    create(fast);
  }

  @Test
  void theQueueOfAnotherDataDirectoryIsRefused() {
    create(fast);
    rig = new Rig(directory.resolve("other"));
    assertThat(refusal(fast)).contains("is not empty and may belong to another data directory");
  }

  @Test
  void aLinkedQueueIsOpenInOneProcessOnly() throws Exception {
    create(fast);
    Path other = directory.resolve("other");
    Files.createDirectories(other.resolve("queues"));
    Files.createSymbolicLink(other.resolve("queues").resolve(IN), fast.resolve(IN));
    try (ChronicleBackend backend = open(fast);
        MessageQueue queue = backend.open(IN, 1)) {
      rig = new Rig(other);
      assertThat(refusal(fast)).contains("is in use by process");
      send(queue, 10, 20);
    }
    try (ChronicleBackend backend = open(fast);
        MessageQueue queue = backend.open(IN, 1)) {
      assertReads(queue, 0, 20);
    }
  }

  @Test
  void aDirectoryThatDoesNotExistIsRefused() {
    assertThatExceptionOfType(StartRefused.class)
        .isThrownBy(() -> open(directory.resolve("fsat")))
        .withMessageContaining(
            "forebay.chronicle.services.orders.directory=%s is not a directory",
            directory.resolve("fsat"));
    create(null); // the data directory is not locked any more
  }

  /** On a system whose memory file system is another volume. */
  @Test
  void eachVolumeIsCountedAndWatchedByItself() throws Exception {
    Path memory = Path.of("/dev/shm");
    assumeTrue(
        Files.isDirectory(memory)
            && !Files.getFileStore(memory).equals(Files.getFileStore(directory)));
    Path there = Files.createTempDirectory(memory, "forebay-test");
    rig.usable = 1L << 60;
    rig.options = rig.options.withMinFree(1L << 59, 0);
    try (ChronicleBackend backend = open(there);
        MessageQueue orders = backend.open(IN, 1);
        MessageQueue stock = backend.open("stock.in", 1)) {
      send(stock, 0, 10);
      assertThatExceptionOfType(QueueRefused.class)
          .isThrownBy(() -> send(orders, 0, 10))
          .matches(it -> it.reason() == QueueRefused.Reason.DISK);
      backend.tick(true);
      assertThat(backend.storage())
          .extracting(Storage::directory, it -> it.queues().getFirst().queue())
          .containsExactly(tuple(data.resolve("queues"), "stock.in"), tuple(there, IN));
      assertThat(backend.storage().getLast().volume()).isEqualTo(Files.getFileStore(memory));
      assertThat(backend.storage().getFirst().queues().getFirst().appendedBytes()).isPositive();
    } finally {
      FileSystemUtils.deleteRecursively(there);
    }
  }
}
