/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.assertReads;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.chronicle.file.Blocks;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import net.openhft.chronicle.queue.RollCycles;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pages and files that exist before a message needs them. */
final class PretouchTest {

  private static final long AHEAD_BYTES = 2 << 20;

  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void setUp() {
    rig = new Rig(data);
    rig.options = Rig.options(Level.PROCESS).withWriting(ChronicleBackend.Writing.PRETOUCH);
  }

  private static void awaitAllocated(Path file, long bytes) {
    OptionalLong allocated = Blocks.allocated(file);
    assumeTrue(allocated.isPresent(), "only Linux reports the blocks of a file");
    Awaitility.await()
        .untilAsserted(
            () -> assertThat(Blocks.allocated(file).getAsLong()).isGreaterThanOrEqualTo(bytes));
  }

  @Test
  void pagesAheadOfTheLastMessageExistAlsoAcrossTheEndOfAMappedBlock() {
    rig.roll = RollCycles.FAST_HOURLY;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Appender appender = queue.appender()) {
      send(queue, 0, 10);
      awaitAllocated(rig.files().getFirst(), AHEAD_BYTES);
      ByteBuffer large = ByteBuffer.allocate(1 << 20);
      for (int i = 0; i < 20; i++) {
        appender.append(0, large);
      }
      awaitAllocated(rig.files().getFirst(), (20L << 20) + AHEAD_BYTES / 4);
    }
  }

  /** With files of a second, the next one is created at once. */
  @Test
  void theNextFileIsCreatedBeforeItIsNeededAndAnUnusedOneDoesNoHarm() {
    for (long begin = 0; begin < 100; begin += 20) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 1)) {
        send(queue, begin, begin + 10);
        if (begin == 0) {
          Awaitility.await().until(() -> rig.files().size() == 2);
        }
        rig.pass(backend, Duration.ofSeconds(begin % 40 == 0 ? 1 : 3));
        send(queue, begin + 10, begin + 20);
        assertReads(queue, 0, begin + 20);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PROCESS", "DISK"})
  void aQueueWithAnUnusedFileAtItsEndSurvivesADeath(Level level) throws Exception {
    rig.options = Rig.options(level).withWriting(ChronicleBackend.Writing.PRETOUCH);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 0, 10);
      Awaitility.await().until(() -> rig.files().size() == 2);
    }
    rig.losePower(level);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      send(queue, 10, 20);
      assertReads(queue, 0, 20);
    }
  }
}
