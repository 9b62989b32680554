/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The time of day in microseconds. A call costs one {@link System#nanoTime()}, which is added to
 * the last reading of the wall clock; the wall clock is read once a second, so a step of it shows
 * within a second. Not thread-safe.
 */
final class AppendClock {

  private static final long ANCHOR_NANOS = 1_000_000_000L;

  private final InstantSource wall;
  private final LongSupplier nanos;
  private long anchorNanos;
  private long anchorMicros;

  AppendClock(InstantSource wall, LongSupplier nanos) {
    this.wall = wall;
    this.nanos = nanos;
    anchor(nanos.getAsLong());
  }

  static AppendClock system() {
    return new AppendClock(InstantSource.system(), System::nanoTime);
  }

  long micros() {
    long now = nanos.getAsLong();
    long passed = now - anchorNanos;
    if (passed < 0 || passed >= ANCHOR_NANOS) {
      anchor(now);
      return anchorMicros;
    }
    return anchorMicros + passed / 1_000;
  }

  private void anchor(long now) {
    anchorNanos = now;
    anchorMicros = micros(wall.instant());
  }

  static long micros(Instant instant) {
    return Math.max(0, instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000);
  }
}
