/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import io.forebay.machine.Machine;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The threads that wait for tickets of an appender. Hundreds may wait at once, so they share no
 * lock. Thread-safe.
 */
public final class TicketWaiters {

  /** For an appender that calls {@link #wake} for each acknowledgement. */
  public static final Duration UNTIL_WOKEN = Duration.ofDays(1);

  /** For an appender that does not. */
  public static final Duration POLL = Duration.ofMillis(1);

  private final Appender appender;
  private final Duration slice;
  private final LongFunction<@Nullable QueueFailed> end;
  private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

  private static final class Waiter {
    private final long ticket;
    private final Thread thread = Thread.currentThread();
    private volatile boolean removed;

    Waiter(long ticket) {
      this.ticket = ticket;
    }
  }

  /**
   * @param slice how long a thread waits before it looks again
   * @param end why the ticket will never be acknowledged; null if it may be
   */
  public TicketWaiters(Appender appender, Duration slice, LongFunction<@Nullable QueueFailed> end) {
    this.appender = appender;
    this.slice = slice;
    this.end = end;
  }

  /** As {@link Appender#await}. */
  public void await(long ticket, Duration timeout) throws TimeoutException, InterruptedException {
    if (appender.isAcknowledged(ticket)) {
      return;
    }
    long deadline = Machine.nanos() + timeout.toNanos();
    Waiter waiter = new Waiter(ticket);
    waiters.add(waiter);
    try {
      while (!appender.isAcknowledged(ticket)) {
        mustBePossible(ticket);
        long left = deadline - Machine.nanos();
        if (left <= 0) {
          throw new TimeoutException(
              "ticket %,d is not acknowledged after %s (last=%,d); it may still be acknowledged"
                  .formatted(ticket, Formats.duration(timeout), appender.ticket()));
        }
        Machine.parkUntil(this, Machine.nanos() + Math.min(left, slice.toNanos()));
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    } finally {
      if (!waiter.removed) {
        waiters.remove(waiter);
      }
    }
  }

  private void mustBePossible(long ticket) {
    QueueFailed reason = end.apply(ticket);
    if (reason != null && !appender.isAcknowledged(ticket)) {
      throw new QueueFailed(
          "ticket %,d is not acknowledged and will not be (last=%,d): %s"
              .formatted(ticket, appender.ticket(), reason.getMessage()),
          reason);
    }
  }

  /** Wakes the threads that wait for these tickets. */
  public void wake(LongPredicate settled) {
    for (Iterator<Waiter> all = waiters.iterator(); all.hasNext(); ) {
      Waiter waiter = all.next();
      if (settled.test(waiter.ticket)) {
        all.remove();
        waiter.removed = true;
        LockSupport.unpark(waiter.thread);
      }
    }
  }

  /** Wakes all threads, which look again whether their tickets can be acknowledged. */
  public void wakeAll() {
    waiters.forEach(waiter -> LockSupport.unpark(waiter.thread));
  }
}
