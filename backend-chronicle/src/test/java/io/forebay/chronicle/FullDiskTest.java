/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Tailer;
import io.forebay.testing.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.queue.RollCycles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A disk that is really full, without a watermark: a small tmpfs. */
final class FullDiskTest {

  private static final int DISK_BYTES = 12 << 20;
  private static final int BALLAST_BYTES = 5 << 20;

  @TempDir Path directory;
  private SmallDisk mounted;
  private Path disk;

  @BeforeEach
  void mount() throws Exception {
    mounted = SmallDisk.mount(directory.resolve("disk"), DISK_BYTES);
    disk = mounted.directory();
  }

  @AfterEach
  void unmount() {
    if (mounted != null) {
      mounted.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "30, PROCESS",
    "333, PROCESS",
    "5000, PROCESS",
    "70001, PROCESS",
    "1000000, PROCESS",
    "333, DISK",
    "70001, DISK"
  })
  @Timeout(600)
  void everyAppendHasADefiniteOutcomeAndNothingAcknowledgedIsLost(int size, Level level)
      throws IOException {
    Path ballast = Files.write(disk.resolve("ballast"), new byte[BALLAST_BYTES]);
    Rig rig = new Rig(disk.resolve("data"));
    rig.roll = RollCycles.FAST_HOURLY;
    rig.options = Rig.options(level);
    long taken = 0;
    boolean unknown = false;
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1);
        Appender appender = queue.appender()) {
      taken = fill(backend, appender, size);
      unknown = taken < 0;
      taken = Math.abs(taken);
      Files.delete(ballast);
      if (!unknown) {
        backend.tick(true);
        for (int i = 0; i < 3; i++) {
          assertThat(appender.append(0, bytes(text(taken++, size)))).isEqualTo(taken);
        }
        Rig.settle(appender);
      }
    }
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      assertThat(queue.stats(0).refusal()).isNull();
      long end = queue.stats(0).end().getAsLong();
      assertThat(end).isBetween(taken, unknown ? taken + 1 : taken);
      long[] read = {0};
      try (Tailer tailer = queue.tailer(0)) {
        while (tailer.poll(
                100,
                (position, message) -> {
                  assertThat(position).isEqualTo(read[0]++);
                  assertThat(Rig.text(message)).isEqualTo(text(position, size));
                })
            > 0) {}
      }
      assertThat(read[0]).isEqualTo(end);
    }
  }

  /** Appends until the disk stays full; returns how many were accepted, negative if unknown. */
  private static long fill(ChronicleBackend backend, Appender appender, int size) {
    int refusals = 0;
    long taken = 0;
    while (refusals < 5) {
      try {
        appender.append(0, bytes(text(taken, size)));
        taken++;
      } catch (QueueRefused refused) {
        assertThat(refused.reason()).isEqualTo(QueueRefused.Reason.DISK);
        assertThat(appender.ticket()).isEqualTo(taken);
        refusals++;
        backend.tick(false);
      } catch (QueueFailed failed) {
        return -taken;
      }
    }
    return taken;
  }

  private static String text(long position, int size) {
    return (position + " ").repeat(size / 2 + 1).substring(0, size);
  }
}
