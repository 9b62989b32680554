/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The latest snapshot, for all who watch. Who is slow misses those in between and gets the latest.
 * Thread-safe.
 */
final class Frames {

  /**
   * A snapshot as JSON, made once for everybody; not to be changed.
   *
   * @param seq larger than that of the frame before
   */
  record Frame(long seq, byte[] json) {}

  private @Nullable Frame latest;
  private boolean closed;

  synchronized void publish(Frame frame) {
    latest = frame;
    notifyAll();
  }

  synchronized Optional<Frame> latest() {
    return Optional.ofNullable(latest);
  }

  /** The latest after that one, once there is one; empty if none came in time or it is closed. */
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

  /** Nobody waits any more. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }
}
