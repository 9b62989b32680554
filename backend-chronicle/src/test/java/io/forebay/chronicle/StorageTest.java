/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.Storage;
import io.forebay.queue.Subscription;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators see of the files. */
final class StorageTest {

  private static final Duration ROLL = Duration.ofSeconds(1);
  private static final Duration KEPT = Duration.ofHours(1);

  @TempDir Path data;

  private static Storage.OfQueue queue(ChronicleBackend backend) {
    Storage storage = backend.storage().orElseThrow();
    assertThat(storage.queues()).hasSize(1);
    return storage.queues().getFirst();
  }

  private static List<List<String>> needs(ChronicleBackend backend) {
    return queue(backend).files().stream()
        .map(it -> it.neededBy().stream().sorted().toList())
        .toList();
  }

  @Test
  void listsEachFileWithItsTimeItsConsumersAndItsDiskUse() throws Exception {
    Rig rig = new Rig(data);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1, KEPT)) {
      Instant start = rig.wall;
      Subscription fast = queue.subscribe("fast", RetentionTest.INDIFFERENT);
      queue.subscribe("slow", RetentionTest.INDIFFERENT);
      for (int i = 0; i < 3; i++) {
        send(queue, i * 100L, i * 100L + 100);
        rig.pass(backend, ROLL);
      }
      fast.passed(0, 150);
      backend.tick(true);

      Storage.OfQueue found = queue(backend);
      assertThat(found.queue()).isEqualTo(QUEUE);
      assertThat(found.kept()).isEqualTo(KEPT);
      assertThat(found.files())
          .extracting(Storage.File::name)
          .containsExactlyElementsOf(
              rig.files().stream().map(it -> QUEUE + "/0/" + it.getFileName()).toList());
      assertThat(found.files())
          .extracting(Storage.File::closed)
          .containsExactly(
              start.plus(ROLL), start.plus(ROLL.multipliedBy(2)), start.plus(ROLL.multipliedBy(3)));
      assertThat(found.files())
          .as("are kept until newer files are begun")
          .extracting(Storage.File::stays)
          .containsExactly(false, true, true);
      assertThat(needs(backend))
          .containsExactly(List.of("slow"), List.of("fast", "slow"), List.of("fast", "slow"));
      assertThat(found.bytes())
          .as("of the disk, where the files are %d bytes long", Files.size(rig.files().getFirst()))
          .isBetween(3 * 4096L, 3L << 20);

      fast.passed(0, 300);
      assertThat(needs(backend)).as("not listed again yet").hasSize(3).contains(List.of("slow"));
      backend.tick(true);
      assertThat(needs(backend)).containsOnly(List.of("slow"));
    }
  }

  @Test
  void countsAppendedAndDeletedBytes() {
    Rig rig = new Rig(data);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      Subscription only = queue.subscribe("only", RetentionTest.INDIFFERENT);
      backend.tick(true);
      send(queue, 0, 100);
      assertThat(queue(backend).appendedBytes())
          .as("of now, not of the last tick")
          .isEqualTo(queue.appendedBytes(0).orElseThrow())
          .isBetween(100 * 20L, 100 * 40L);
      backend.tick(true);
      assertThat(queue(backend).deletedBytes()).isZero();
      long first = queue(backend).bytes();
      for (int i = 1; i < 4; i++) {
        rig.pass(backend, ROLL);
        send(queue, i * 100L, i * 100L + 100);
      }
      only.passed(0, 100);
      backend.tick(true);
      assertThat(rig.files()).hasSize(3);
      assertThat(queue(backend).files()).hasSize(3);
      assertThat(queue(backend).deletedBytes()).isEqualTo(first);
    }
  }

  @Test
  void reportsTheReservedDiskSpace() {
    Rig rig = new Rig(data);
    rig.options = rig.options.withMinFree(12_345, 0);
    try (ChronicleBackend backend = rig.open()) {
      Storage storage = backend.storage().orElseThrow();
      assertThat(storage.reserveBytes()).isEqualTo(12_345);
      assertThat(storage.roll()).isEqualTo(ROLL);
      assertThat(storage.directory()).isEqualTo(data.resolve("queues"));
      assertThat(storage.queues()).isEmpty();
    }
  }

  @Test
  void isEmptyForQueuesInMemory() {
    try (MemoryBackend backend = MemoryBackend.open()) {
      assertThat(backend.storage()).isEmpty();
    }
  }
}
