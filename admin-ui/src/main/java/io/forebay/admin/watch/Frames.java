/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.function.SingletonSupplier;

/**
 * The latest snapshot, for all open pages. A slow reader skips snapshots and gets the latest.
 * Thread-safe.
 */
final class Frames implements SmartLifecycle {

  /**
   * A snapshot as JSON, made once for all readers, when the first one asks; must not be changed.
   *
   * @param seq larger than that of the frame before
   */
  record Frame(long seq, SingletonSupplier<byte[]> json) {}

  private @Nullable Frame latest;
  private boolean closed;
  private boolean running;

  synchronized void publish(Frame frame) {
    latest = frame;
    notifyAll();
  }

  synchronized Optional<Frame> latest() {
    return Optional.ofNullable(latest);
  }

  /**
   * Waits for a frame after {@code seq} and returns the latest; empty if none came in time or after
   * {@link #close}.
   */
  synchronized Optional<Frame> after(long seq, Duration timeout) throws InterruptedException {
    long until = System.nanoTime() + timeout.toNanos();
    while (!closed && (latest == null || latest.seq() <= seq)) {
      long left = until - System.nanoTime();
      if (left <= 0) {
        return Optional.empty();
      }
      wait(Math.ceilDiv(left, 1_000_000));
    }
    return closed ? Optional.empty() : Optional.ofNullable(latest);
  }

  /** Wakes all waiting readers. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  @Override
  public synchronized void start() {
    running = true;
  }

  /** Stops before the server, so that streams end and a graceful stop need not wait for them. */
  @Override
  public synchronized void stop() {
    running = false;
    close();
  }

  @Override
  public synchronized boolean isRunning() {
    return running;
  }

  synchronized boolean isClosed() {
    return closed;
  }
}
