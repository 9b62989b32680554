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
import io.forebay.chronicle.file.StoredFrame;
import io.forebay.chronicle.ring.PartitionRing;
import io.forebay.chronicle.ring.RingSettings;
import io.forebay.queue.Appender;
import io.forebay.queue.Level;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.TicketWaiters;
import io.forebay.races.Mutation;
import io.forebay.races.Races;
import io.forebay.races.Scenario;
import java.io.IOException;
import java.lang.reflect.Proxy;
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
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommitterRacesTest {

  private static final Duration LONG = Duration.ofHours(1);

  /** A partition in real files, whose forces the scenario observes. */
  private abstract static class Committing implements Scenario {

    private final PartitionLog log;
    private final PartitionLog[] logs;
    private volatile long durable;
    private volatile @Nullable String wrong;
    final List<Long> acknowledged = new CopyOnWriteArrayList<>();
    final Committer committer;

    Committing(PartitionLog log) {
      this.log = log;
      logs = new PartitionLog[] {log};
      durable = log.stored();
      committer =
          new Committer(
              "q", logs, new PartitionForce[] {new PartitionForce(log, this::force)}, true);
    }

    ChronicleAppender appender() {
      ChronicleAppender appender = new ChronicleAppender("q", logs, committer, true);
      committer.add(appender);
      return appender;
    }

    private void force(FileChannel file, boolean metadata) {
      long covered = log.stored();
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
  }

  /** A partition that is opened once, outside of the schedules, and used by all of them. */
  private static final class Partition {

    private final Host host =
        new Host(
            RollCycles.FAST_HOURLY,
            8 << 20,
            () -> 0,
            () -> 0,
            () -> new DiskSpace.Room(Long.MAX_VALUE, Long.MAX_VALUE),
            (_, _) -> {},
            Host.Read.PLAIN,
            Writer::new,
            "boot",
            false);
    private final DiskSpace space = new DiskSpace(host.space(), 0, 0);
    private final PartitionLog log;
    private volatile boolean full;

    /**
     * @param ring whether messages are in a ring before they are in the file
     */
    Partition(boolean ring) {
      JvmOptions.prepare();
      try {
        awaitOnce();
        Path directory =
            Files.createTempDirectory(Path.of(System.getProperty("forebay.races.reports")), "log");
        log =
            new PartitionLog(
                new PartitionRing.Owner(
                    "partition 0", directory, new UUID(7, 7), 0, Level.DISK, "boot"),
                new QueueSettings(
                    Level.DISK, host, new CycleClock(host.wallMillis(), host.nanos()), space),
                ring ? new RingSettings(directory, 64 << 10) : null);
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    /** Starts the thread that ends waits, which must not be one of a scenario. */
    private static void awaitOnce() throws InterruptedException {
      Appender none =
          (Appender)
              Proxy.newProxyInstance(
                  Appender.class.getClassLoader(),
                  new Class<?>[] {Appender.class},
                  (_, called, _) ->
                      called.getReturnType() == boolean.class ? Boolean.FALSE : (Object) 0L);
      try {
        new TicketWaiters(none, TicketWaiters.POLL, _ -> null).await(1, Duration.ofMillis(1));
      } catch (TimeoutException _) {
        // as expected
      }
    }

    /** The disk is full, or has room again. */
    void full(boolean now) {
      full = now;
      space.check();
    }

    private final class Writer extends FrameWriter {

      Writer(SingleChronicleQueue queue) {
        super(queue);
      }

      @Override
      public void write(StoredFrame frame) {
        if (full) {
          throw new InternalError("a fault occurred in an unsafe memory access");
        }
        super.write(frame);
      }
    }
  }

  private abstract static class InFile extends Committing {

    private static final Partition PARTITION = new Partition(false);

    InFile() {
      super(PARTITION.log);
    }
  }

  static final class AppendAndAwait extends InFile {

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
  static final class StopWhileAppending extends InFile {

    @Override
    public void run() throws InterruptedException {
      Thread other =
          Thread.ofPlatform()
              .start(() -> {
                ChronicleAppender appender = appender();
                listen(appender);
                long ticket = append(appender);
                boolean done = isAcknowledged(appender, ticket);
                Races.check(!done || appender.isAcknowledged(ticket), "not acknowledged after all");
                appender.close();
              });
      stop();
      other.join();
    }
  }

  static final class CloseWithoutWaiting extends InFile {

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
      Races.check(two.isAcknowledged(1), "a closed appender is forgotten");
    }
  }

  /** An appender is closed while its messages are in the ring, because the disk is full. */
  static final class CloseWhileTheDiskIsFull extends Committing {

    private static final Partition PARTITION = new Partition(true);

    CloseWhileTheDiskIsFull() {
      super(PARTITION.log);
    }

    @Override
    public void run() throws InterruptedException {
      PARTITION.full(true);
      ChronicleAppender appender = appender();
      listen(appender);
      long ticket = append(appender);
      Thread other = Thread.ofPlatform().start(appender::close);
      Thread.yield();
      PARTITION.full(false);
      other.join();
      committer.signal();
      stop();
      Races.check(acknowledged.equals(List.of(ticket)), "acknowledged " + acknowledged);
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
  void aClosedAppenderIsAcknowledgedWhenAFullDiskHasRoomAgain() {
    Races.explore(CloseWhileTheDiskIsFull.class, 100);
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
