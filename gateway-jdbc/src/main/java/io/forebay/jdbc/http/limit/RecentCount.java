/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import java.util.Arrays;
import java.util.function.LongSupplier;

/** Counts what happened in the last minute, in slots of 5 s. Thread-safe. */
final class RecentCount {

  private static final long SLOT_NANOS = 5_000_000_000L;

  private final long[] slots = new long[12];
  private final LongSupplier nanoClock;
  private long newestEnds;
  private int newest;

  RecentCount(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    newestEnds = nanoClock.getAsLong() + SLOT_NANOS;
  }

  synchronized void add(long count) {
    forgetOld();
    slots[newest] += count;
  }

  /** The sum of the last 55 to 60 s. */
  synchronized long sum() {
    forgetOld();
    return Arrays.stream(slots).sum();
  }

  private void forgetOld() {
    long passed = Math.floorDiv(nanoClock.getAsLong() - newestEnds, SLOT_NANOS) + 1;
    for (long i = Math.min(passed, slots.length); i > 0; i--) {
      newest = (newest + 1) % slots.length;
      slots[newest] = 0;
    }
    newestEnds += Math.max(0, passed) * SLOT_NANOS;
  }
}
