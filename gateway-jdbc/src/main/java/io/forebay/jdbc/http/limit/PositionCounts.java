/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * How many statements wait at which positions of a partition. It has at most {@value #MOST}
 * entries: neighbours are merged into the later position, so their statements count until the last
 * of them is performed. Not thread-safe.
 */
final class PositionCounts {

  static final int MOST = 256;

  private NavigableMap<Long, Long> counts = new TreeMap<>();
  private long sum;

  /** The most statements of an entry that was merged. */
  private long grain = 1;

  void add(long position, long statements) {
    counts.merge(position, statements, Long::sum);
    sum += statements;
    if (counts.size() > MOST) {
      makeRoom();
    }
  }

  void addAll(PositionCounts others) {
    others.counts.forEach(this::add);
  }

  /** Halves the number of entries, so that the next ones are added without merging. */
  private void makeRoom() {
    merge();
    while (counts.size() > MOST / 2) {
      grain *= 2;
      merge();
    }
  }

  private void merge() {
    NavigableMap<Long, Long> merged = new TreeMap<>();
    for (Map.Entry<Long, Long> next : counts.entrySet()) {
      Map.Entry<Long, Long> before = merged.lastEntry();
      long count = next.getValue();
      if (before != null && before.getValue() + count <= grain) {
        merged.pollLastEntry();
        count += before.getValue();
      }
      merged.put(next.getKey(), count);
    }
    counts = merged;
  }

  /**
   * Removes what is performed.
   *
   * @param end the position before which all is performed
   * @return how many statements were removed
   */
  long removeBefore(long end) {
    long removed = 0;
    while (!counts.isEmpty() && counts.firstKey() < end) {
      removed += counts.pollFirstEntry().getValue();
    }
    sum -= removed;
    if (counts.isEmpty()) {
      grain = 1;
    }
    return removed;
  }

  long sum() {
    return sum;
  }

  int entries() {
    return counts.size();
  }
}
