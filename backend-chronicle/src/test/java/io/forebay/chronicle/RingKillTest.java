/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.bytes;
import static io.forebay.chronicle.Rig.range;
import static io.forebay.chronicle.Rig.readAll;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import net.openhft.chronicle.queue.RollCycles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process is killed at each step of a message from the appender through the ring to the file.
 * Every acknowledged message is there once and in order, with the numbers that were given.
 */
final class RingKillTest {

  @TempDir Path data;

  /** Opens, appends 300 messages, closes, and opens again; dies on the way. */
  static final class Appending {
    public static void main(String[] arguments) throws Exception {
      Path data = Path.of(arguments[0]);
      for (boolean again = false; ; again = true) {
        Rig rig = rig(data, Level.valueOf(arguments[1]));
        try (ChronicleBackend backend = rig.open();
            MessageQueue queue = backend.open(QUEUE, 1);
            Appender appender = queue.appender()) {
          long end = queue.stats(0).end().getAsLong();
          for (long position = end; position < end + 300; position++) {
            appender.append(0, bytes("message " + position));
            if (position % 10 == 0) {
              appender.await(appender.ticket(), Rig.PATIENCE);
              System.out.println("acknowledged " + position);
            }
          }
        }
      }
    }
  }

  private static Rig rig(Path data, Level level) {
    Rig rig = new Rig(data.resolve("d"));
    rig.roll = RollCycles.FAST_HOURLY;
    rig.wall = Instant.parse("2026-03-01T12:00:00Z");
    rig.options = Rig.ringOptions(level, data);
    return rig;
  }

  @Test
  void nothingIsLostDoubledOrReordered() {
    long acknowledged = dieAt("ring-after-head:131", Level.PROCESS);
    check(Level.PROCESS, acknowledged);
  }

  @Tag("proof")
  @ParameterizedTest
  @CsvSource({
    "ring-before-note:1, PROCESS",
    "ring-before-tail:131, PROCESS",
    "ring-after-tail:131, DISK",
    "ring-before-head:1, PROCESS",
    "ring-before-head:67, DISK",
    "ring-drained:1, PROCESS",
    "ring-without-note:1, PROCESS"
  })
  @Timeout(600)
  void nothingIsLostDoubledOrReorderedWherever(String point, Level level) {
    long acknowledged = dieAt(point, level);
    check(level, acknowledged);
  }

  @Tag("proof")
  @ParameterizedTest
  @ValueSource(strings = {"ring-before-head:20", "ring-after-head:20", "ring-recovered:1"})
  @Timeout(600)
  void theSameHoldsIfTheRecoveryDiesToo(String point) throws Exception {
    long acknowledged = dieWithAFullRing();
    assertThat(Files.exists(data.resolve("d/queues/" + QUEUE + "/0/ring"))).isTrue();
    dieAt(point, Level.PROCESS);
    check(Level.PROCESS, acknowledged);
  }

  private long dieAt(String point, Level level) {
    List<String> options = ChildProcess.options("-Dforebay.crash-point=" + point);
    try (ChildProcess child =
        ChildProcess.start(ChildProcess.java(options, Appending.class, data, level))) {
      child.awaitEnd(137);
      return acknowledged(child);
    }
  }

  private long dieWithAFullRing() {
    List<String> options = ChildProcess.options("-Dforebay.crash-point=ring-after-tail:200");
    try (ChildProcess child =
        ChildProcess.start(ChildProcess.java(options, Undrained.class, data, Level.PROCESS))) {
      child.awaitEnd(137);
      return acknowledged(child);
    }
  }

  /** Appends on a disk that stalls at the first message. */
  static final class Undrained {
    public static void main(String[] arguments) throws Exception {
      Rig rig = rig(Path.of(arguments[0]), Level.PROCESS);
      rig.writers = queue -> new GatedWriter(queue, new Semaphore(0), () -> false);
      MessageQueue queue = rig.open().open(QUEUE, 1);
      Appender appender = queue.appender();
      for (long position = 0; ; position++) {
        appender.append(0, bytes("message " + position));
        System.out.println("acknowledged " + position);
      }
    }
  }

  private static long acknowledged(ChildProcess child) {
    return child.lines().stream()
        .filter(line -> line.matches("acknowledged [0-9]+"))
        .mapToLong(line -> Long.parseLong(line.split(" ")[1]))
        .max()
        .orElse(-1);
  }

  private void check(Level level, long acknowledged) {
    try (ChronicleBackend backend = rig(data, level).open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      long end = queue.stats(0).end().getAsLong();
      assertThat(end).isGreaterThan(acknowledged);
      assertThat(readAll(queue)).isEqualTo(new Rig.Read(range(0, end), null));
      send(queue, end, end + 10);
      assertThat(readAll(queue)).isEqualTo(new Rig.Read(range(0, end + 10), null));
    }
    assertThat(data.toFile().list((in, name) -> name.endsWith(".ring"))).isEmpty();
  }
}
