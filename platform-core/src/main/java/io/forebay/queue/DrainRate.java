/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** How fast a partition is freed, by the wall clock, over windows of a second. Thread-safe. */
final class DrainRate {

  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final Duration UNKNOWN = Duration.ofSeconds(1);
  private static final Duration LEAST = Duration.ofMillis(10);
  private static final Duration MOST = Duration.ofMinutes(1);

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

  /** When that many bytes will be free: by the measured rate, a second if there is none yet. */
  synchronized Duration timeFor(long count) {
    roll();
    if (Double.isNaN(bytesPerSecond)) {
      return UNKNOWN;
    }
    double nanos = count / bytesPerSecond * 1e9;
    return nanos >= MOST.toNanos()
        ? MOST
        : Duration.ofNanos(Math.max(LEAST.toNanos(), (long) nanos));
  }

  /** Ends the window if it is over; one in which the clock was set back is not counted. */
  private void roll() {
    Instant now = clock.instant();
    if (since == null || now.isBefore(since)) {
      since = now;
      bytes = 0;
      return;
    }
    Duration elapsed = Duration.between(since, now);
    if (elapsed.compareTo(WINDOW) >= 0) {
      bytesPerSecond = bytes / (elapsed.toNanos() / 1e9);
      since = now;
      bytes = 0;
    }
  }
}
