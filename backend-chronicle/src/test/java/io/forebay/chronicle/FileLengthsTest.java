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

import io.forebay.chronicle.place.FileLengths;
import io.forebay.operations.StartRefused;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Subscription;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queues with files of another length, and where they are. */
final class FileLengthsTest {

  private static final String IN = "orders.in";
  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  @TempDir Path directory;

  private Path queue;
  private Rig rig;

  @BeforeEach
  void open() {
    queue = directory.resolve("data").resolve("queues").resolve(IN);
    rig = new Rig(directory.resolve("data"));
  }

  private ChronicleBackend open(Duration roll) {
    rig.roll = FileLengths.cycle(roll);
    return rig.open();
  }

  @Test
  void filesRollAsConfigured() throws Exception {
    try (ChronicleBackend backend = open(FIVE_MINUTES);
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
      assertThat(backend.storage().orElseThrow().roll()).isEqualTo(FIVE_MINUTES);
    }
    assertThatIllegalStateException()
        .isThrownBy(() -> {
          try (ChronicleBackend backend = open(Duration.ofHours(1))) {
            backend.open(IN, 1);
          }
        })
        .withMessage(
            "Queue orders.in writes each file for 5m and is configured with a roll cycle of 1h; it"
                + " is fixed when a queue is created");
  }

  private List<String> files() throws Exception {
    try (Stream<Path> all = Files.list(queue.resolve("0"))) {
      return all.map(it -> it.getFileName().toString()).filter(it -> it.endsWith(".cq4")).toList();
    }
  }

  /** Another process could open it through another data directory. */
  @Test
  void aQueueThatIsALinkIsRefused() throws Exception {
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(IN, 1)) {
      send(queue, 0, 10);
    }
    Path elsewhere = Files.move(queue, directory.resolve("elsewhere"));
    Files.createSymbolicLink(queue, elsewhere);
    try (ChronicleBackend backend = rig.open()) {
      assertThatExceptionOfType(StartRefused.class)
          .isThrownBy(() -> backend.open(IN, 1))
          .withMessageContaining("queue orders.in is a symbolic link");
      assertThat(elsewhere).isNotEmptyDirectory();
    }
    Files.delete(queue);
    Files.move(elsewhere, queue);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(IN, 1)) {
      assertReads(queue, 0, 10);
    }
  }
}
