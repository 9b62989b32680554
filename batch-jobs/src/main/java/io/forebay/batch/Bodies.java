/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The items of a step chunk and the results of their bodies, in the order in which the step asks
 * for them. Used by the thread that created it only, which is the step's.
 */
final class Bodies<I, O> {

  private final Thread thread = Thread.currentThread();
  private final List<I> items;
  private List<Future<@Nullable O>> futures = List.of();
  private int next;

  Bodies(List<I> items) {
    this.items = List.copyOf(items);
  }

  boolean isOfThisThread() {
    return Thread.currentThread() == thread;
  }

  /**
   * Returns the future of an item. The request for the chunk's first item starts the bodies of the
   * whole chunk. When the step writes single items of a chunk again after a failed write, it does
   * not ask for their futures. A request for any item but the next is a retry: it starts that
   * item's body again, alone.
   */
  Future<@Nullable O> take(I item, Function<List<I>, List<Future<@Nullable O>>> starter) {
    if (next < items.size() && items.get(next) == item) {
      if (next == 0) {
        futures = starter.apply(items);
      }
      return futures.get(next++);
    }
    return starter.apply(List.of(item)).getFirst();
  }

  /** Interrupts the bodies whose results were never requested. */
  void cancel() {
    futures.subList(Math.min(next, futures.size()), futures.size()).forEach(it -> it.cancel(true));
  }
}
