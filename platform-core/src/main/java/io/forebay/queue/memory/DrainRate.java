/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which consumers free space in a partition, measured by the wall clock over windows of
 * one second. Thread-safe.
 */
final class DrainRate {

  /** The wait returned while the rate is not known: at first, and after a pause. */
  static final Duration UNKNOWN = Duration.ofSeconds(1);

  static final Duration LEAST = Duration.ofMillis(10);
  static final Duration MOST = Duration.ofSeconds(30);

  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final InstantSource clock;
  private @Nullable Instant since;
  private long bytes;
  private double bytesPerSecond = Double.NaN;

  DrainRate(InstantSource clock) {
    this.clock = clock;
  }

  synchronized void freed(long count) {
    roll();
    bytes += count;
  }

  /** How long until that many bytes are free, in whole milliseconds. */
  synchronized Duration timeFor(long count) {
    roll();
    if (Double.isNaN(bytesPerSecond)) {
      return UNKNOWN;
    }
    double millis = Math.ceil(count / bytesPerSecond * 1000);
    return Duration.ofMillis(Math.clamp((long) millis, LEAST.toMillis(), MOST.toMillis()));
  }

  /**
   * Ends the window if it is over; after an empty or long window the rate is unknown. If the clock
   * was set back, a new window begins.
   */
  private void roll() {
    Instant now = clock.instant();
    Duration elapsed = since == null ? Duration.ZERO : Duration.between(since, now);
    if (since == null || elapsed.isNegative()) {
      since = now;
      bytes = 0;
    } else if (elapsed.compareTo(WINDOW) >= 0) {
      boolean telling = bytes > 0 && elapsed.compareTo(PAUSE) < 0;
      bytesPerSecond = telling ? bytes * 1e9 / elapsed.toNanos() : Double.NaN;
      since = now;
      bytes = 0;
    }
  }
}
