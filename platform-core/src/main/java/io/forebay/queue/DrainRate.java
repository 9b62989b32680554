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

  /** What a caller is told while the rate is not known: at first, and after a pause. */
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

  /** In what time so many bytes will be free, in whole milliseconds. */
  synchronized Duration timeFor(long count) {
    roll();
    if (Double.isNaN(bytesPerSecond)) {
      return UNKNOWN;
    }
    double millis = Math.ceil(count / bytesPerSecond * 1000);
    return Duration.ofMillis(Math.clamp((long) millis, LEAST.toMillis(), MOST.toMillis()));
  }

  /** Ends the window if it is over. One that was set back, empty or long says nothing of now. */
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
