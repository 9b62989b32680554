/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.background;

import io.forebay.call.Message;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.Idle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads the assigned partitions of a queue on a daemon thread of its own. While the queue does not
 * respond, the tailers stay where they are, and reading is retried. After an {@link Error} the
 * tailers are closed and opened again. Any other exception ends the thread. Thread-safe.
 */
public final class TailLoop implements PartitionListener, AutoCloseable {

  /** What is done with the messages. The thread of the loop calls all methods. */
  public interface Reader {

    /**
     * Moves a tailer that was just opened to where reading begins.
     *
     * @throws PositionOutOfRange if that message was deleted; see {@link #missed}
     */
    void open(Tailer tailer);

    /** Reads what is available with {@link Tailer#poll}; returns the number of messages. */
    int read(Tailer tailer);

    /** Messages were deleted before they were read. The tailer is at the first one kept. */
    void missed(Tailer tailer, PositionOutOfRange reason);

    /** Reading failed; {@link #open} follows for each partition. */
    default void failed(Error error) {}

    /**
     * Nothing more will be read.
     *
     * @param failure null if the loop was closed
     */
    void ended(@Nullable RuntimeException failure);
  }

  private static final Duration RETRY_FROM = Duration.ofMillis(20);
  private static final Duration RETRY_TO = Duration.ofSeconds(1);
  private static final long POLL_NANOS = 10_000_000;

  private final MessageQueue queue;
  private final Reader reader;
  private final Idle idle;
  private final Outage outage;
  private final Thread thread;
  private final Set<Integer> assigned = ConcurrentHashMap.newKeySet();
  private final Map<Integer, CountDownLatch> revoked = new ConcurrentHashMap<>();
  private final List<Tailer> tailers = new ArrayList<>();
  private Duration pause = RETRY_FROM;
  private boolean failing;
  private volatile boolean changed = true;
  private volatile boolean reading;
  private volatile boolean closed;

  /**
   * @param idle how the thread waits while there are no messages
   */
  public TailLoop(String threadName, MessageQueue queue, Reader reader, Idle idle, Outage outage) {
    this.queue = queue;
    this.reader = reader;
    this.idle = idle;
    this.outage = outage;
    thread = Thread.ofPlatform().name(threadName).daemon().unstarted(this::run);
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
  }

  @Override
  public void revoked(int partition) {
    if (assigned.remove(partition)) {
      CountDownLatch done = revoked.computeIfAbsent(partition, _ -> new CountDownLatch(1));
      changed = true;
      LockSupport.unpark(thread);
      try {
        while (thread.isAlive() && !done.await(100, TimeUnit.MILLISECONDS)) {
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
  }

  public boolean isAssigned(int partition) {
    return assigned.contains(partition);
  }

  /** Whether the partitions are being read. */
  public boolean isReading() {
    return reading;
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
    long begun = System.nanoTime();
    while (!reading
        && !closed
        && !Thread.currentThread().isInterrupted()
        && System.nanoTime() - begun < atMost.toNanos()) {
      LockSupport.parkNanos(Math.min(POLL_NANOS, atMost.toNanos()));
    }
    return reading;
  }

  private void run() {
    RuntimeException failure = null;
    try {
      int idleTurns = 0;
      while (!closed) {
        int count = turn();
        idleTurns = count > 0 ? 0 : idleTurns + 1;
        if (tailers.isEmpty()) {
          LockSupport.parkNanos(POLL_NANOS);
        } else if (idleTurns > 0 && !failing) {
          idle.idle(idleTurns, tailers.getFirst());
        }
      }
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      reading = false;
      reader.ended(failure);
      closed = true;
      closeTailers();
      Message.clear();
    }
  }

  /** Reads each partition once; returns the number of messages. */
  private int turn() {
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
        pause = RETRY_FROM;
        outage.over();
      }
      return count;
    } catch (QueueUnavailable e) {
      backOff(e);
    } catch (Error e) {
      reading = false;
      closeTailers();
      reader.failed(e);
      backOff(e);
    }
    return 0;
  }

  private int read(Tailer tailer) {
    try {
      return reader.read(tailer);
    } catch (PositionOutOfRange e) {
      missed(tailer, e);
      return 1;
    }
  }

  private void missed(Tailer tailer, PositionOutOfRange reason) {
    tailer.toStart();
    reader.missed(tailer, reason);
  }

  private void backOff(Throwable failure) {
    failing = true;
    outage.failed(failure);
    LockSupport.parkNanos(pause.toNanos());
    Duration doubled = pause.multipliedBy(2);
    pause = doubled.compareTo(RETRY_TO) < 0 ? doubled : RETRY_TO;
  }

  private void followAssignments() {
    changed = false;
    boolean done = false;
    try {
      for (Tailer tailer : List.copyOf(tailers)) {
        if (!assigned.contains(tailer.partition())) {
          tailers.remove(tailer);
          tailer.close();
        }
      }
      revoked.forEach((partition, released) -> {
        revoked.remove(partition);
        released.countDown();
      });
      for (int partition : assigned) {
        if (tailers.stream().noneMatch(it -> it.partition() == partition)) {
          tailers.add(open(partition));
        }
      }
      done = true;
    } finally {
      if (!done) {
        changed = true;
      }
    }
    reading = true;
  }

  private Tailer open(int partition) {
    Tailer tailer = queue.tailer(partition);
    boolean opened = false;
    try {
      try {
        reader.open(tailer);
      } catch (PositionOutOfRange e) {
        missed(tailer, e);
      }
      opened = true;
      return tailer;
    } finally {
      if (!opened) {
        tailer.close();
      }
    }
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
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive() && thread != Thread.currentThread()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
