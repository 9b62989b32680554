/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unsent calls of one service in order of arrival. Guarded by the lock of the collector. A
 * withdrawn call stays in the queue and is discarded when its turn comes, so that thousands of
 * interrupted callers need not search the queue.
 */
final class PendingCalls<A, R extends @Nullable Object> {

  /** Calls to be sent together, and why the batch ends there. */
  record Batch<A, R extends @Nullable Object>(
      List<CollectedCall<A, R>> calls, FlushReason reason) {}

  private final int maxItems;
  private final long maxBytes;
  private final ArrayDeque<CollectedCall<A, R>> queue = new ArrayDeque<>();
  private int size;
  private long bytes;
  private long sinceNanos;

  PendingCalls(ChunkOptions options) {
    maxItems = options.maxItems();
    maxBytes = options.maxBytes();
  }

  int size() {
    return size;
  }

  /** Whether the calls fill a chunk. */
  boolean isFull() {
    return size >= maxItems || bytes >= maxBytes;
  }

  /** When the oldest call came or, if later, when the last chunk was taken. */
  long sinceNanos() {
    return sinceNanos;
  }

  void add(CollectedCall<A, R> call, Ticker ticker) {
    if (size == 0) {
      sinceNanos = ticker.nanos();
    }
    queue.add(call);
    size++;
    bytes += call.bytes;
  }

  /** Withdraws a call: it will not be sent. */
  void withdraw(CollectedCall<A, R> call) {
    size--;
    bytes -= call.bytes;
    if (size == 0) {
      queue.clear();
    }
  }

  /**
   * Takes the oldest calls, as many as a chunk holds.
   *
   * @param otherwise the reason if the chunk is not full
   */
  Batch<A, R> take(FlushReason otherwise, long nowNanos) {
    List<CollectedCall<A, R>> taken = new ArrayList<>(Math.min(size, maxItems));
    long takenBytes = 0;
    boolean nextTooLarge = false;
    while (taken.size() < maxItems && !nextTooLarge && !queue.isEmpty()) {
      CollectedCall<A, R> head = queue.element();
      if (head.isDone()) {
        queue.remove();
      } else if (takenBytes + head.bytes > maxBytes) {
        nextTooLarge = true;
      } else {
        taken.add(queue.remove());
        takenBytes += head.bytes;
      }
    }
    size -= taken.size();
    bytes -= takenBytes;
    sinceNanos = nowNanos;
    FlushReason reason = otherwise;
    if (taken.size() == maxItems) {
      reason = FlushReason.ITEMS;
    } else if (nextTooLarge || takenBytes >= maxBytes) {
      reason = FlushReason.BYTES;
    }
    return new Batch<>(taken, reason);
  }

  /** Takes all unsent calls. */
  List<CollectedCall<A, R>> takeAll() {
    List<CollectedCall<A, R>> all = queue.stream().filter(it -> !it.isDone()).toList();
    queue.clear();
    size = 0;
    bytes = 0;
    return all;
  }
}
