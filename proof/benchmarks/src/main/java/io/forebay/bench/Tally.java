/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counts results and records when the last one has been read. One thread counts, another waits. */
final class Tally {

  private final long patienceMillis;
  private final AtomicLong read = new AtomicLong();
  private final AtomicLong rows = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile Expected expected = new Expected(0, 0);
  private volatile @Nullable Throwable broken;

  Tally() {
    this(60_000);
  }

  /**
   * @param patienceMillis how long to wait while no result arrives
   */
  Tally(long patienceMillis) {
    this.patienceMillis = patienceMillis;
  }

  /** Counts a statement that changed the given number of rows. */
  void updated(long count) {
    rows.lazySet(rows.get() + count);
    step();
  }

  /** Counts a statement that was answered with an error. */
  void failed() {
    failures.lazySet(failures.get() + 1);
    step();
  }

  private void step() {
    long now = read.get() + 1;
    read.lazySet(now);
    expected.reached(now);
  }

  /** Records that no more results will be counted. */
  void broken(Throwable cause) {
    broken = cause;
    expected.done.countDown();
  }

  /**
   * Expects the given number of further results.
   *
   * @throws IllegalStateException if more results arrived than were expected before
   */
  void expect(long count) {
    requireNoSurplus();
    rows.set(0);
    failures.set(0);
    expected = new Expected(read.get(), count);
  }

  /**
   * Waits for the last expected result.
   *
   * @return {@link System#nanoTime} when it was read
   * @throws TimeoutException if no further result arrives
   */
  long await() throws InterruptedException, TimeoutException {
    Expected awaited = expected;
    long before = -1;
    while (broken == null && !awaited.done.await(patienceMillis, TimeUnit.MILLISECONDS)) {
      long now = read.get();
      if (now == before) {
        throw new TimeoutException(
            "%d of %d results were read, and none for %d ms"
                .formatted(now - awaited.base, awaited.count, patienceMillis));
      }
      before = now;
    }
    if (broken != null) {
      throw new IllegalStateException("the results could not be read", broken);
    }
    return awaited.nanos;
  }

  /**
   * @throws IllegalStateException if more results arrived than were expected
   */
  void requireNoSurplus() {
    if (read() > expected.count) {
      throw new IllegalStateException(
          "%d results were read, but %d were expected".formatted(read(), expected.count));
    }
  }

  /** Results since {@link #expect}. */
  long read() {
    return read.get() - expected.base;
  }

  /** Rows changed since {@link #expect}. */
  long rows() {
    return rows.get();
  }

  /** Errors since {@link #expect}. */
  long failures() {
    return failures.get();
  }

  private static final class Expected {

    private final long base;
    private final long count;
    private final CountDownLatch done = new CountDownLatch(1);
    private long nanos;

    Expected(long base, long count) {
      this.base = base;
      this.count = count;
    }

    /** Called for each count from {@code base + 1} on. */
    void reached(long now) {
      if (now == base + count) {
        nanos = System.nanoTime();
        done.countDown();
      }
    }
  }
}
