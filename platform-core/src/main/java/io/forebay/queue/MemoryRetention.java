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

  MemoryRetention(Ring ring, DrainRate drained) {
    this.ring = ring;
    this.first = new FrameCursor(ring);
    this.drained = drained;
  }

  /** The consumer holds back all that is kept now, or what it held back when it left. */
  synchronized void register(String consumer) {
    passed.putIfAbsent(consumer, first.position());
  }

  /**
   * Frees what this consumer and all others have passed.
   *
   * @return whether all frames on the way were good
   */
  synchronized boolean passed(String consumer, long position) {
    passed.merge(consumer, position, Math::max);
    return free(Long.MAX_VALUE);
  }

  /**
   * Frees the oldest messages that no registered consumer needs.
   *
   * @return whether there were any
   */
  synchronized boolean evict(long bytes) {
    long before = first.address();
    free(bytes);
    return first.address() > before;
  }

  private boolean free(long bytes) {
    long needed = Long.MAX_VALUE;
    for (long one : passed.values()) {
      needed = Math.min(needed, one);
    }
    long from = first.address();
    long frames = 0;
    FrameCursor.Found found = FrameCursor.Found.MESSAGE;
    while (first.position() < needed
        && first.address() - from < bytes
        && found == FrameCursor.Found.MESSAGE) {
      found = first.look();
      if (found == FrameCursor.Found.MESSAGE) {
        first.advance();
        frames++;
      }
    }
    if (frames > 0) {
      ring.free(first.address(), frames);
      drained.freed(first.address() - from);
    }
    return found != FrameCursor.Found.DAMAGED;
  }

  /** The position of the first message kept. */
  synchronized long firstPosition() {
    return first.position();
  }

  synchronized void moveToFirst(FrameCursor cursor) {
    cursor.moveTo(first);
  }

  synchronized Map<String, Long> passed() {
    return Map.copyOf(passed);
  }
}
