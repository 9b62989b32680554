/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.machine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Parks threads until a deadline without a timer for each of them. On JDK 25 a timed park of a
 * virtual thread starts and cancels a timer, which takes about 10 µs of CPU time; most threads here
 * are unparked long before their deadline. So a virtual thread parks without a time, and one thread
 * of the process unparks those whose deadline has passed, up to {@value #SWEEP_MILLIS} ms late.
 * Thread-safe.
 */
final class Parking {

  static final long SWEEP_MILLIS = 20;

  private static final long SWEEP_NANOS = SWEEP_MILLIS * 1_000_000;

  /** Parks since the last sweep, and earlier ones whose thread is still parked. */
  private static final Queue<Parked> PARKED = new ConcurrentLinkedQueue<>();

  private static volatile boolean idle;

  private static final Thread SWEEPER =
      Thread.ofPlatform().daemon().name("forebay-deadlines").start(Parking::sweepForever);

  private static final class Parked {
    private final long deadline;
    private volatile @Nullable Thread thread = Thread.currentThread();

    Parked(long deadline) {
      this.deadline = deadline;
    }
  }

  private Parking() {}

  /**
   * Parks the current thread until it is unparked or interrupted, the deadline has passed, or for
   * no reason, like {@link LockSupport#parkNanos(Object, long)}.
   *
   * @param blocker what the thread waits for, for thread dumps
   * @param deadline a value of {@link System#nanoTime}
   */
  static void parkUntil(Object blocker, long deadline) {
    long left = deadline - System.nanoTime();
    if (left <= SWEEP_NANOS || !Thread.currentThread().isVirtual()) {
      LockSupport.parkNanos(blocker, left);
      return;
    }
    Parked parked = new Parked(deadline);
    PARKED.add(parked);
    if (idle) {
      LockSupport.unpark(SWEEPER);
    }
    LockSupport.park(blocker);
    parked.thread = null;
  }

  private static void sweepForever() {
    while (true) {
      idle = true;
      while (PARKED.isEmpty()) {
        LockSupport.park(PARKED);
      }
      idle = false;
      LockSupport.parkNanos(PARKED, SWEEP_NANOS);
      sweep(System.nanoTime());
    }
  }

  private static void sweep(long now) {
    PARKED.removeIf(parked -> {
      Thread thread = parked.thread;
      if (thread != null && parked.deadline - now <= 0) {
        LockSupport.unpark(thread);
        thread = null;
      }
      return thread == null;
    });
  }
}
