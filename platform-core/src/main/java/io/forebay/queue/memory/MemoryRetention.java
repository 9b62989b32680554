/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import java.util.Map;
import java.util.TreeMap;

/**
 * Tracks what the registered consumers of a partition have passed, and frees what all of them have
 * passed. Without a registered consumer, or if it keeps messages, they are only evicted.
 * Thread-safe.
 */
final class MemoryRetention {

  private final Ring ring;
  private final FrameCursor first;
  private final DrainRate drained;
  private final boolean keeps;
  private final Map<String, Long> passed = new TreeMap<>();

  /**
   * @param keeps whether it keeps what all consumers have passed, until it is evicted
   */
  MemoryRetention(Ring ring, DrainRate drained, boolean keeps) {
    this.ring = ring;
    this.keeps = keeps;
    this.first = new FrameCursor(ring);
    this.drained = drained;
  }

  /**
   * Registers a consumer. It holds back all messages kept now; a consumer that returns holds back
   * what it did when it left.
   */
  synchronized void register(String consumer) {
    passed.putIfAbsent(consumer, first.position());
  }

  /**
   * Frees what all consumers, including this one, have passed, unless it keeps messages.
   *
   * @return whether all freed frames were valid
   */
  synchronized boolean passed(String consumer, long position) {
    passed.merge(consumer, position, Math::max);
    return keeps || free(Long.MAX_VALUE);
  }

  /**
   * Frees the oldest messages that no registered consumer needs, unless another thread has freed
   * some since the caller found no room.
   *
   * @param before {@link Ring#freedTo} before that
   * @return whether any were freed since
   */
  synchronized boolean evict(long bytes, long before) {
    if (first.address() <= before) {
      free(bytes);
    }
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
