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

import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.Host;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.testing.ChildProcess;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.rollcycles.TestRollCycles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process is killed while it appends. Everything it acknowledged is there, without gaps. */
final class KillTest {

  private static final int KILLS = Integer.getInteger("forebay.kills", 4);

  @TempDir Path data;

  /** Appends without end and reports what is acknowledged. */
  static final class Appending {
    public static void main(String[] arguments) throws Exception {
      Host real = Host.real(Path.of(arguments[0]).getParent(), roll(arguments[2]));
      Host host =
          new Host(
              real.roll(),
              8 << 20,
              real.wallMillis(),
              real.nanos(),
              real.space(),
              FileChannel::force,
              real.read(),
              FrameWriter::new,
              "one",
              true);
      ChronicleBackend backend =
          ChronicleBackend.open(
              Path.of(arguments[0]), Rig.options(Level.valueOf(arguments[1])), host);
      MessageQueue queue = backend.open(QUEUE, 1);
      Appender appender = queue.appender();
      long end = queue.stats(0).end().getAsLong();
      System.out.println("end " + end);
      for (long position = end; ; position++) {
        appender.append(0, bytes("message " + position));
        if (position % 50 == 0) {
          appender.await(appender.ticket(), Rig.PATIENCE);
          System.out.println("acknowledged " + position);
        }
      }
    }
  }

  private static RollCycle roll(String unit) {
    return unit.equals("seconds") ? TestRollCycles.TEST_SECONDLY : RollCycles.FAST_HOURLY;
  }

  @Test
  void everythingAcknowledgedExistsAndPositionsHaveNoGaps() throws Exception {
    survive(1, "DISK", "seconds");
  }

  @Tag("proof")
  @ParameterizedTest
  @CsvSource({"PROCESS, hours", "PROCESS, seconds", "DISK, seconds"})
  @Timeout(600)
  void theSameHoldsAfterManyKills(String level, String roll) throws Exception {
    survive(KILLS, level, roll);
  }

  private void survive(int kills, String level, String roll) throws Exception {
    Random random = new Random(42);
    long end = 0;
    for (int kill = 0; kill < kills; kill++) {
      long acknowledged = end - 1;
      try (ChildProcess child =
          ChildProcess.start(Appending.class, data.resolve("d"), level, roll)) {
        assertThat(child.await("end ")).isEqualTo("end " + end);
        child.until(() -> child.lines().size() > 2);
        child.endsWithin(Duration.ofMillis(random.nextInt(800)));
        child.kill();
        for (String line : child.lines()) {
          String[] words = line.split(" ");
          if (words[0].equals("acknowledged") && words[1].matches("[0-9]+")) {
            acknowledged = Math.max(acknowledged, Long.parseLong(words[1]));
          }
        }
      }
      end = check(level, roll, acknowledged);
    }
    assertThat(end).isGreaterThan(kills * 50L);
  }

  private long check(String level, String roll, long acknowledged) {
    Rig rig = new Rig(data.resolve("d"));
    rig.wall = java.time.Instant.now();
    rig.options = Rig.options(Level.valueOf(level));
    rig.roll = roll(roll);
    try (ChronicleBackend backend = rig.open();
        MessageQueue queue = backend.open(QUEUE, 1)) {
      long end = queue.stats(0).end().getAsLong();
      assertThat(end).isGreaterThan(acknowledged);
      send(queue, end, end + 10);
      assertThat(readAll(queue)).isEqualTo(new Rig.Read(range(0, end + 10), null));
      return end + 10;
    }
  }
}
