/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.CycleClock;
import io.forebay.chronicle.file.DiskSpace;
import io.forebay.chronicle.file.FrameWriter;
import io.forebay.chronicle.file.Host;
import io.forebay.chronicle.file.QueueSettings;
import io.forebay.chronicle.ring.PartitionRing;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.TicketWaits;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import net.openhft.chronicle.queue.RollCycles;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommitterRacesTest {

  private static final Duration LONG = Duration.ofHours(1);

  /** A partition in real files, whose forces the scenario observes. */
  private abstract static class Committing implements Scenario {

    private static final PartitionLog LOG = open();

    private final PartitionLog[] logs = {LOG};
    private volatile long durable = LOG.stored();
    private volatile @Nullable String wrong;
    final List<Long> acknowledged = new CopyOnWriteArrayList<>();
    final Committer committer =
        new Committer("q", logs, new PartitionForce[] {new PartitionForce(LOG, this::force)}, true);

    ChronicleAppender appender() {
      ChronicleAppender appender = new ChronicleAppender("q", logs, committer, true);
      committer.add(appender);
      return appender;
    }

    private void force(FileChannel file, boolean metadata) {
      long covered = LOG.stored();
      Thread.yield();
      durable = covered;
    }

    void listen(Appender appender) {
      appender.onAcknowledged((_, ticket, position) -> {
        if (position >= durable) {
          wrong = "ticket %d is acknowledged, not forced".formatted(ticket);
        }
        acknowledged.add(ticket);
      });
    }

    static long append(Appender appender) {
      return appender.append(0, ByteBuffer.allocate(8));
    }

    static boolean isAcknowledged(Appender appender, long ticket) {
      try {
        appender.await(ticket, LONG);
        return true;
      } catch (QueueFailed _) {
        return false;
      } catch (TimeoutException | InterruptedException e) {
        throw new AssertionError("a waiting thread was not woken", e);
      }
    }

    void stop() {
      committer.stop();
      Races.check(wrong == null, wrong);
    }

    private static PartitionLog open() {
      JvmOptions.prepare();
      try {
        // Its thread, which never ends, must not be one of a scenario.
        Class.forName("io.forebay.queue.Parking", true, TicketWaits.class.getClassLoader());
        Path directory =
            Files.createTempDirectory(Path.of(System.getProperty("forebay.races.reports")), "log");
        DiskSpace.Probe endless =
            new DiskSpace.Probe() {
              @Override
              public long usable() {
                return Long.MAX_VALUE;
              }

              @Override
              public long total() {
                return Long.MAX_VALUE;
              }
            };
        Host host =
            new Host(
                RollCycles.FAST_DAILY,
                () -> 0,
                () -> 0,
                endless,
                (_, _) -> {},
                FrameWriter::new,
                "boot",
                false);
        return new PartitionLog(
            new PartitionRing.Owner(
                "partition 0", directory, new UUID(7, 7), 0, Level.DISK, "boot"),
            new QueueSettings(
                Level.DISK,
                8 << 20,
                host,
                new CycleClock(host.wallMillis(), host.nanos()),
                new DiskSpace("the disk", endless, 0, 0, host.nanos())),
            null);
      } catch (IOException | ClassNotFoundException e) {
        throw new AssertionError(e);
      }
    }
  }

  static final class AppendAndAwait extends Committing {

    @Override
    public void run() throws InterruptedException {
      ChronicleAppender appender = appender();
      listen(appender);
      long first = append(appender);
      Thread other =
          Thread.ofPlatform()
              .start(() -> Races.check(isAcknowledged(appender, first), "the queue failed"));
      long second = append(appender);
      Races.check(isAcknowledged(appender, second), "the queue failed");
      appender.close();
      other.join();
      stop();
      Races.check(acknowledged.equals(List.of(first, second)), "acknowledged " + acknowledged);
    }
  }

  /** What was appended is acknowledged or has failed; nobody waits for ever. */
  static final class StopWhileAppending extends Committing {

    @Override
    public void run() throws InterruptedException {
      Thread other =
          Thread.ofPlatform()
              .start(() -> {
                ChronicleAppender appender = appender();
                listen(appender);
                long ticket = append(appender);
                boolean done = isAcknowledged(appender, ticket);
                Races.check(
                    !done || appender.acknowledged() >= ticket, "not acknowledged after all");
                appender.close();
              });
      stop();
      other.join();
    }
  }

  static final class CloseWithoutWaiting extends Committing {

    @Override
    public void run() {
      ChronicleAppender one = appender();
      ChronicleAppender two = appender();
      listen(one);
      append(one);
      append(two);
      one.close();
      two.close();
      stop();
      Races.check(acknowledged.equals(List.of(1L)), "acknowledged " + acknowledged);
      Races.check(two.acknowledged() == 1, "a closed appender is forgotten");
    }
  }

  @Test
  void aMessageIsAcknowledgedAfterItsForceAndWakesWhoWaits() {
    Races.explore(AppendAndAwait.class, 150);
  }

  @Test
  void nobodyWaitsForACommitterThatHasStopped() {
    Races.explore(StopWhileAppending.class, 150);
    Races.explore(CloseWithoutWaiting.class, 100);
  }

  @Test
  void findsAnAcknowledgementOfWhatWasAppendedDuringTheForce() {
    Races.find(
        AppendAndAwait.class,
        300,
        Mutation.reading(ChronicleAppender.class, "afterForce", "ticket", "beforeForce"));
  }

  @Test
  void findsACommitterThatParksWithoutSayingSo() {
    Races.find(
        AppendAndAwait.class,
        300,
        Mutation.withoutWrite(Committer.class, "forceUntilStopped", "idle"));
  }
}
