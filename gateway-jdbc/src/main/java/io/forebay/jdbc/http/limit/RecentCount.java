/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/** Counts what happened in the last minute, in slots of 5 s. Thread-safe. */
final class RecentCount {

  private static final long SLOT_NANOS = 5_000_000_000L;
  private static final int COUNTED = 12;
  private static final int SLOTS = 16;
  private static final long MOST = 0xFFFF_FFFFL;

  /** In each the number of its slot since the beginning, and in the lower half the count. */
  private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

  private final LongSupplier nanoClock;
  private final long begun;

  RecentCount(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    begun = nanoClock.getAsLong();
  }

  private long slot() {
    return (nanoClock.getAsLong() - begun) / SLOT_NANOS;
  }

  void add(long count) {
    long slot = slot();
    int index = (int) (slot % SLOTS);
    long before;
    long after;
    do {
      before = slots.get(index);
      after = slot << 32 | Math.min(MOST, in(before, slot) + count);
    } while (!slots.compareAndSet(index, before, after));
  }

  private static long in(long value, long slot) {
    return value >>> 32 == slot ? value & MOST : 0;
  }

  /** The sum of the last 55 to 60 s. */
  long sum() {
    long now = slot();
    long sum = 0;
    for (long slot = Math.max(0, now - COUNTED + 1); slot <= now; slot++) {
      sum += in(slots.get((int) (slot % SLOTS)), slot);
    }
    return sum;
  }
}
