/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Contender.Performing;
import java.util.concurrent.locks.LockSupport;

/** The thread that reads a contender's results as they arrive. */
final class ResultReader implements AutoCloseable {

  private static final long IDLE_NANOS = 100_000;

  /** How long to wait at the end for surplus results. */
  private static final long LATE_MILLIS = 50;

  private final Performing contender;
  private final Tally tally;
  private final Thread thread;
  private volatile boolean closed;

  ResultReader(Performing contender, Tally tally) {
    this.contender = contender;
    this.tally = tally;
    thread = new Thread(this::run, "result-reader");
    thread.start();
  }

  private void run() {
    try {
      while (!closed) {
        if (contender.pollResults(tally) == 0) {
          LockSupport.parkNanos(IDLE_NANOS);
        }
      }
    } catch (Throwable e) {
      tally.broken(e);
    }
  }

  @Override
  public void close() {
    try {
      Thread.sleep(LATE_MILLIS);
      closed = true;
      thread.join();
    } catch (InterruptedException e) {
      closed = true;
      Thread.currentThread().interrupt();
    }
  }
}
