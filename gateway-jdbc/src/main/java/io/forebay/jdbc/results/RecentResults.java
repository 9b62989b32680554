/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.results;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The newest results of one sender, in memory. Guarded by the lock of its {@link ResultFeed}. */
final class RecentResults {

  static final int MOST_BYTES = 1 << 20;
  private static final int MOST = 1_024;

  /** How much is taken at once. */
  private static final int AT_ONCE_BYTES = 64 * 1024;

  private final ArrayDeque<PublishedResult> results = new ArrayDeque<>();
  private final Set<Thread> waiting = new HashSet<>();

  /** All results of the sender from these positions on, as far as they were read, are here. */
  private final long[] floor;

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
    results.add(result);
    bytes += result.size();
    while (results.size() > MOST || bytes > MOST_BYTES || scarce && bytes > before) {
      PublishedResult removed = results.remove();
      bytes -= removed.size();
      floor[removed.partition()] = removed.position() + 1;
    }
    wake();
    return bytes - before;
  }

  /** The first results from these positions on, in the order in which they were read. */
  List<PublishedResult> from(long[] positions) {
    List<PublishedResult> found = new ArrayList<>();
    int size = 0;
    for (PublishedResult result : results) {
      if (size > AT_ONCE_BYTES) {
        break;
      }
      if (result.position() >= positions[result.partition()]) {
        found.add(result);
        size += result.size();
      }
    }
    return found;
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
