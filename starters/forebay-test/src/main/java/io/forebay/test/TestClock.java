/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import io.forebay.queue.time.AppendClock;
import io.forebay.service.ServiceTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock that only {@link #advance} moves. Back-offs of a service wait for it, so a test decides
 * when the next try happens. Use it also for your own components. Thread-safe.
 */
public final class TestClock implements InstantSource, ServiceTime {

  private static final long A_MOMENT_NANOS = 1_000_000;

  private final Instant start;
  private final AtomicLong passedNanos = new AtomicLong();

  /** Begins at 2026-01-01T00:00:00Z. */
  public TestClock() {
    this(Instant.parse("2026-01-01T00:00:00Z"));
  }

  public TestClock(Instant start) {
    this.start = start;
  }

  /**
   * Moves the clock.
   *
   * @throws IllegalArgumentException if the time is negative
   */
  public void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("the clock cannot be set back (time=%s)".formatted(time));
    }
    passedNanos.addAndGet(time.toNanos());
  }

  @Override
  public Instant instant() {
    return start.plusNanos(nanos());
  }

  @Override
  public long nanos() {
    return passedNanos.get();
  }

  @Override
  public long epochNanos() {
    return AppendClock.nanos(instant());
  }

  /** Waits a moment of the system's clock; the caller looks at this clock again. */
  @Override
  public void sleep(long nanos) {
    LockSupport.parkNanos(Math.min(nanos, A_MOMENT_NANOS));
  }
}
