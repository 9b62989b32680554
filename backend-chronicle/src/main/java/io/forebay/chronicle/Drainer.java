/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.machine.Machine;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that moves messages from the rings of one queue to its files. It looks again and again
 * instead of being woken: waking a thread would delay appends by more than all they do.
 */
final class Drainer implements Runnable {

  /** How long it waits after it moved messages; then they come in groups. */
  static final Duration BUSY = Duration.ofNanos(500_000);

  private static final long IDLE_NANOS = Duration.ofMillis(10).toNanos();

  private final PartitionLog[] logs;
  private final Committer committer;
  private final Thread thread;
  private volatile boolean stopping;

  Drainer(String queue, PartitionLog[] logs, Committer committer) {
    this.logs = logs;
    this.committer = committer;
    thread = Machine.thread("forebay-drain-" + queue).start(this);
  }

  /** Treats an error like a failed write: final, since no other thread moves messages. */
  @Override
  public void run() {
    try {
      drainUntilStopped();
    } catch (Throwable e) {
      for (PartitionLog log : logs) {
        log.health().fail("the thread that empties its ring ended", e);
      }
    }
  }

  private void drainUntilStopped() {
    long pause = BUSY.toNanos();
    while (!stopping) {
      boolean moved = false;
      boolean more = false;
      for (PartitionLog log : logs) {
        long before = log.stored();
        log.drain();
        moved |= log.stored() > before;
        more |= log.intake().isRingHalfFull() && log.stored() > before;
      }
      if (moved) {
        committer.signal();
      }
      pause = moved ? BUSY.toNanos() : Math.min(2 * pause, IDLE_NANOS);
      if (!more) {
        Machine.park(pause);
      }
    }
  }

  /** Ends; messages may remain in the rings. */
  void stop() {
    stopping = true;
    LockSupport.unpark(thread);
    Machine.awaitEnd(thread, Machine.FOREVER);
  }
}
