/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.util.Map;
import java.util.TreeMap;

/**
 * What the registered consumers of a partition have passed, and the freeing of what all of them
 * have. Without a registered consumer nothing is freed, unless it is evicted. Thread-safe.
 */
final class MemoryRetention {

  private final Ring ring;
  private final FrameCursor first;
  private final DrainRate drained;
  private final Map<String, Long> passed = new TreeMap<>();
  private volatile long freedMessages;

  MemoryRetention(MemoryPartition partition, DrainRate drained) {
    this.ring = partition.ring();
    this.first = new FrameCursor(partition);
    this.drained = drained;
  }

  /** Holds back everything kept now, or what the consumer held back when it was here before. */
  synchronized void register(String consumer) {
    passed.putIfAbsent(consumer, first.position());
  }

  synchronized void passed(String consumer, long position) {
    passed.merge(consumer, position, Math::max);
    free(needed(), Long.MAX_VALUE);
  }

  /**
   * Frees the oldest messages that no registered consumer needs.
   *
   * @return whether there were any
   */
  synchronized boolean evict(long bytes) {
    long before = freedMessages;
    free(needed(), bytes);
    return freedMessages > before;
  }

  /** The first position that a registered consumer needs. */
  private long needed() {
    long needed = Long.MAX_VALUE;
    for (long one : passed.values()) {
      needed = Math.min(needed, one);
    }
    return needed;
  }

  private void free(long needed, long bytes) {
    long from = first.address();
    long count = 0;
    while (first.position() < needed
        && first.address() - from < bytes
        && first.look() == FrameCursor.Found.MESSAGE) {
      first.advance();
      count++;
    }
    if (count > 0) {
      freedMessages += count;
      ring.freeTo(first.address());
      drained.freed(first.address() - from);
    }
  }

  long freedMessages() {
    return freedMessages;
  }

  synchronized long firstPosition() {
    return first.position();
  }

  synchronized void moveToFirst(FrameCursor cursor) {
    cursor.moveTo(first.address(), first.position());
  }

  synchronized Map<String, Long> passed() {
    return Map.copyOf(passed);
  }
}
