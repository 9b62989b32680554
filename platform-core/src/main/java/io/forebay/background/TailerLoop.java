/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the assigned partitions of a queue on a daemon thread of its own. While the queue does not
 * respond, the tailers stay where they are, and reading is retried. After an {@link Error} the
 * tailers are closed and opened again. Any other exception ends the thread. If messages were
 * deleted before they were read, reading continues at the first one kept. Thread-safe.
 */
public final class TailerLoop implements PartitionListener, AutoCloseable {

  /** What is done with the messages. The thread of the loop calls all methods. */
  public interface Reader {

    /**
     * Moves a tailer that was just opened to where reading begins.
     *
     * @param resume where reading ended because of an error; negative at the first time
     * @throws PositionOutOfRange if that message was deleted
     */
    void open(Tailer tailer, long resume);

    /** Reads what is available with {@link Tailer#poll}; returns the number of messages. */
    int read(Tailer tailer);

    /**
     * Messages were deleted before they were read; {@link #read} follows for the first one kept.
     */
    default void missed(int partition) {}

    /** Reading failed; {@link #open} follows for each partition. */
    default void failed(Error error) {}

    /**
     * Nothing more will be read.
     *
     * @param failure null if the loop was closed
     */
    void ended(@Nullable RuntimeException failure);
  }

  /** The longest wait for messages, which a new one ends on a queue that can signal it. */
  public static final Duration LONGEST_IDLE = Duration.ofMillis(500);

  private static final long RETRY_FROM_NANOS = 20_000_000;
  private static final long RETRY_TO_NANOS = 1_000_000_000;
  private static final long LOG_AGAIN_NANOS = 60_000_000_000L;
  private static final long POLL_NANOS = 10_000_000;
  private static final Duration A_MOMENT = Duration.ofMillis(100);

  /** How often to wait a moment for a queue to become readable; usually once is enough. */
  private static final int MOMENTS = 100;

  /** A partition is given up after this time, although it is still being read. */
  private static final long LONGEST_REVOCATION_NANOS = 30_000_000_000L;

  private static final Logger log = LoggerFactory.getLogger(TailerLoop.class);

  private final MessageQueue queue;
  private final IntFunction<Tailer> followers;
  private final Reader reader;
  private final Idle idle;
  private final Outage outage;
  private final Thread thread;
  private final Set<Integer> assigned = ConcurrentHashMap.newKeySet();
  private final Map<Integer, CountDownLatch> revoked = new ConcurrentHashMap<>();
  private final List<Tailer> tailers = new ArrayList<>();
  private final Map<Integer, Long> resume = new HashMap<>();
  private long pauseNanos = RETRY_FROM_NANOS;
  private boolean failing;
  private int idleTurns;
  private long skippedNanos;
  private volatile @Nullable Tailer waiting;
  private volatile boolean changed = true;
  private volatile boolean reading;
  private volatile boolean closed;

  /** Until when the partitions of a shared queue are waited for that are being revoked. */
  private long revokedBy;

  /**
   * @param idle how the thread waits while there are no messages
   */
  public TailerLoop(
      String threadName, MessageQueue queue, Reader reader, Idle idle, Outage outage) {
    this.queue = queue;
    followers = queue.followers();
    this.reader = reader;
    this.idle = idle;
    this.outage = outage;
    thread = Machine.thread(threadName).unstarted(this::run);
  }

  /** Starts to read; partitions can be assigned before and after. */
  public void start() {
    thread.start();
  }

  /** Assigns all partitions and starts to read. */
  public void startAll() {
    for (int partition = 0; partition < queue.partitions(); partition++) {
      assigned(partition);
    }
    start();
  }

  @Override
  public void assigned(int partition) {
    assigned.add(partition);
    changed = true;
    wake();
  }

  @Override
  public void revoking(int partition) {
    revokedBy = Machine.nanos() + LONGEST_REVOCATION_NANOS;
  }

  @Override
  public void revoked(int partition) {
    if (assigned.remove(partition)) {
      CountDownLatch done = revoked.computeIfAbsent(partition, _ -> new CountDownLatch(1));
      changed = true;
      wake();
      try {
        while (thread.isAlive()
            && (!queue.shared() || Machine.nanos() < revokedBy)
            && !Machine.await(done, A_MOMENT)) {
          // the thread may already have ended
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void lost(int partition) {
    assigned.remove(partition);
    changed = true;
    wake();
  }

  public boolean isAssigned(int partition) {
    return assigned.contains(partition);
  }

  /** Waits until the queue can be read, unless it has an outage. */
  public void awaitBegun() {
    for (int moments = MOMENTS;
        !awaitReading(A_MOMENT) && moments > 0 && queue.outage().isEmpty();
        moments--) {
      // not yet
    }
  }

  /** Whether it was closed, or ended with a failure. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Waits until every message appended from now on will be read.
   *
   * @return false if that takes longer or will never happen, or the calling thread is interrupted
   */
  public boolean awaitReading(Duration atMost) {
    long begun = Machine.nanos();
    while (!reading
        && !closed
        && !Thread.currentThread().isInterrupted()
        && Machine.nanos() - begun < atMost.toNanos()) {
      Machine.park(Math.min(POLL_NANOS, atMost.toNanos()));
    }
    return reading;
  }

  private void run() {
    RuntimeException failure = null;
    try {
      while (!closed) {
        turn();
      }
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      reading = false;
      reader.ended(failure);
      closed = true;
      closeTailers();
    }
  }

  /** Reads each partition once, and waits a moment if there was nothing. */
  private void turn() {
    try {
      if (changed) {
        followAssignments();
      }
      int count = 0;
      for (Tailer tailer : tailers) {
        count += read(tailer);
      }
      if (failing) {
        failing = false;
        pauseNanos = RETRY_FROM_NANOS;
        outage.over();
      }
      idleTurns = count > 0 ? 0 : idleTurns + 1;
      if (tailers.isEmpty()) {
        Machine.park(POLL_NANOS);
      } else if (idleTurns > 0) {
        idle(tailers.getFirst());
      }
    } catch (QueueUnavailable e) {
      backOff(e);
    } catch (Error e) {
      reading = false;
      tailers.forEach(it -> resume.put(it.partition(), it.position()));
      closeTailers();
      reader.failed(e);
      backOff(e);
    }
  }

  private void idle(Tailer tailer) {
    waiting = tailer;
    if (!changed && !closed) {
      idle.idle(idleTurns, tailer);
    }
    waiting = null;
  }

  /** Ends a wait of the thread, after a change that it must notice. */
  private void wake() {
    LockSupport.unpark(thread);
    Tailer asleep = waiting;
    if (asleep != null) {
      asleep.wake();
    }
  }

  private int read(Tailer tailer) {
    try {
      return reader.read(tailer);
    } catch (PositionOutOfRange e) {
      skip(tailer, e);
      return 1;
    }
  }

  private void open(int partition) {
    Tailer tailer = followers.apply(partition);
    tailers.add(tailer);
    try {
      reader.open(tailer, resume.getOrDefault(partition, -1L));
    } catch (PositionOutOfRange e) {
      skip(tailer, e);
    } catch (RuntimeException e) {
      tailers.remove(tailer);
      tailer.close();
      throw e;
    }
  }

  private void skip(Tailer tailer, PositionOutOfRange reason) {
    long now = Machine.nanos();
    if (skippedNanos == 0 || now - skippedNanos > LOG_AGAIN_NANOS) {
      log.error("{}; reading continues at the first message kept", reason.getMessage());
      skippedNanos = now;
    }
    tailer.toStart();
    reader.missed(tailer.partition());
  }

  private void backOff(Throwable failure) {
    failing = true;
    outage.failed(failure);
    Machine.park(pauseNanos);
    pauseNanos = Math.min(2 * pauseNanos, RETRY_TO_NANOS);
  }

  private void followAssignments() {
    changed = false;
    // Before the tailers: what is revoked from now on is closed in the next turn.
    Map<Integer, CountDownLatch> leaving = Map.copyOf(revoked);
    for (Tailer tailer : List.copyOf(tailers)) {
      if (!assigned.contains(tailer.partition())) {
        tailers.remove(tailer);
        resume.remove(tailer.partition());
        tailer.close();
      }
    }
    leaving.forEach((partition, released) -> {
      revoked.remove(partition);
      released.countDown();
    });
    for (int partition : assigned) {
      if (tailers.stream().noneMatch(it -> it.partition() == partition)) {
        changed = true; // until it is open
        open(partition);
      }
    }
    reading = true;
  }

  private void closeTailers() {
    tailers.forEach(Tailer::close);
    tailers.clear();
    changed = true;
  }

  /** Ends the thread and waits for it, unless called by the thread itself. */
  @Override
  public void close() {
    closed = true;
    wake();
    if (thread != Thread.currentThread()) {
      Machine.awaitEnd(thread, Machine.FOREVER);
    }
  }
}
