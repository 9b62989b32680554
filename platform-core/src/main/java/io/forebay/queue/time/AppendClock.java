/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.time;

import io.forebay.machine.Machine;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The time of day in nanoseconds. A call costs one {@link System#nanoTime()}, to which the
 * difference between the wall clock and that time is added. The difference is measured once a
 * second, so a step of the wall clock shows within a second. It is kept as long as the clocks agree
 * to a microsecond: two times taken in one process then differ by the nanoseconds between them.
 * Thread-safe.
 */
public final class AppendClock {

  private static final long MEASURE_NANOS = 1_000_000_000L;
  private static final long PRECISE_NANOS = 1_000;
  private static final int ATTEMPTS = 5;

  private final InstantSource wall;
  private final LongSupplier nanos;
  private final AtomicBoolean measuring = new AtomicBoolean();
  private volatile Difference difference;

  /**
   * @param at when it was measured, by the monotonic clock
   * @param nanos the wall clock minus the monotonic clock
   */
  private record Difference(long at, long nanos) {}

  /**
   * @param nanos a monotonic clock, in nanoseconds
   */
  public AppendClock(InstantSource wall, LongSupplier nanos) {
    this.wall = wall;
    this.nanos = nanos;
    difference = measure();
  }

  /** The clock that the writers and services of this process share. */
  public static AppendClock system() {
    return Machine.shared(AppendClock.class, () -> new AppendClock(Machine.wall(), Machine::nanos));
  }

  /** Nanoseconds since 1970. */
  public long nanos() {
    long now = nanos.getAsLong();
    Difference known = difference;
    if (now - known.at >= MEASURE_NANOS && measuring.compareAndSet(false, true)) {
      Difference measured = measure();
      boolean same = Math.abs(measured.nanos - known.nanos) <= PRECISE_NANOS;
      known = same ? new Difference(measured.at, known.nanos) : measured;
      difference = known;
      measuring.set(false);
    }
    return Math.max(0, now + known.nanos);
  }

  /** Measures again if the thread was interrupted between the clocks. */
  private Difference measure() {
    long before;
    long after;
    Instant time;
    int attempts = 0;
    do {
      before = nanos.getAsLong();
      time = wall.instant();
      after = nanos.getAsLong();
    } while (after - before > PRECISE_NANOS && ++attempts < ATTEMPTS);
    long at = before + (after - before) / 2;
    return new Difference(at, nanos(time) - at);
  }

  /** Nanoseconds since 1970. */
  public static long nanos(Instant time) {
    return time.getEpochSecond() * 1_000_000_000 + time.getNano();
  }
}
