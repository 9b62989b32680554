/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The background thread of a backend for periodic work. */
final class Housekeeper implements AutoCloseable {

  /** The periodic work. */
  interface Tick {
    void tick(boolean all);
  }

  private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);
  private static final long PERIOD_MILLIS = 250;

  /** Full work every 10 s: it forces small files to disk, which can slow down appends. */
  private static final int PERIODS_BETWEEN_ALL = 40;

  private final Tick tick;
  private final Thread thread;
  private volatile boolean stopping;

  Housekeeper(Tick tick) {
    this.tick = tick;
    thread = Thread.ofPlatform().daemon().name("forebay-chronicle").start(this::run);
  }

  private void run() {
    for (int i = 1; !stopping; i++) {
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS));
      try {
        tick.tick(i % PERIODS_BETWEEN_ALL == 0);
      } catch (RuntimeException | Error e) {
        LOG.error("the periodic work (every {} ms) failed; it is retried", PERIOD_MILLIS, e);
      }
    }
  }

  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
