/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.results;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The newest results of one sender, in memory. Guarded by the lock of its {@link ResultFeed}. */
final class RecentResults {

  static final int MOST_BYTES = 1 << 20;
  private static final int MOST = 1_024;

  /** A ring: the result of number n is at n modulo {@value #MOST}. */
  private final @Nullable PublishedResult[] results = new PublishedResult[MOST];

  private final Set<Thread> waiting = new HashSet<>();

  /** All results of the sender from these positions on, as far as they were read, are here. */
  private final long[] floor;

  /** The number of the first result here, and the number that the next one will have. */
  private long first;

  private long end;

  private int bytes;
  private int readers;
  private long leftNanos;

  RecentResults(long[] read) {
    floor = read.clone();
  }

  /**
   * @return by how much this changed the bytes here
   */
  int add(PublishedResult result, boolean scarce) {
    int before = bytes;
    if (end - first == MOST) {
      removeFirst();
    }
    results[(int) (end++ % MOST)] = result;
    bytes += result.size();
    while (bytes > MOST_BYTES || scarce && bytes > before) {
      removeFirst();
    }
    wake();
    return bytes - before;
  }

  private void removeFirst() {
    PublishedResult removed = get(first);
    results[(int) (first++ % MOST)] = null;
    bytes -= removed.size();
    floor[removed.partition()] = removed.position() + 1;
  }

  /** Results before this position were not passed. */
  void lost(int partition, long position) {
    floor[partition] = position;
    wake();
  }

  boolean hasAllFrom(long[] positions) {
    for (int partition = 0; partition < floor.length; partition++) {
      if (positions[partition] < floor[partition]) {
        return false;
      }
    }
    return true;
  }

  long first() {
    return first;
  }

  /** The number that the next result will have. */
  long end() {
    return end;
  }

  /**
   * @param number from {@link #first} to before {@link #end}
   */
  PublishedResult get(long number) {
    return Objects.requireNonNull(results[(int) (number % MOST)]);
  }

  void enter() {
    readers++;
  }

  void leave(long nanos) {
    readers--;
    leftNanos = nanos;
  }

  boolean isLeftSince(long nanos) {
    return readers == 0 && leftNanos - nanos < 0;
  }

  int bytes() {
    return bytes;
  }

  void await(Thread thread) {
    waiting.add(thread);
  }

  void forget(Thread thread) {
    waiting.remove(thread);
  }

  void wake() {
    waiting.forEach(LockSupport::unpark);
    waiting.clear();
  }
}
