/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import java.util.Arrays;

/**
 * The positions without a message that {@link io.forebay.queue.MessageQueue#skipTo} left in a
 * partition. Immutable.
 */
final class Gaps {

  static final Gaps NONE = new Gaps(new long[0]);

  /** Pairs in ascending order: the first position of a gap and the position behind the gap. */
  private final long[] bounds;

  private Gaps(long[] bounds) {
    this.bounds = bounds;
  }

  /** These gaps and one more behind them. */
  Gaps and(long from, long to) {
    int n = bounds.length;
    if (n > 0 && bounds[n - 1] == from) {
      long[] longer = bounds.clone();
      longer[n - 1] = to;
      return new Gaps(longer);
    }
    long[] more = Arrays.copyOf(bounds, n + 2);
    more[n] = from;
    more[n + 1] = to;
    return new Gaps(more);
  }

  /** The position, or the one behind the gap if it lies in a gap. */
  long over(long position) {
    for (int i = bounds.length - 2; i >= 0; i -= 2) {
      if (position >= bounds[i]) {
        return Math.max(position, bounds[i + 1]);
      }
    }
    return position;
  }
}
