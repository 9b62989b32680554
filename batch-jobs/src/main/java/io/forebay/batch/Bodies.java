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
 * The items of a step chunk and what their bodies give, in the order in which the step asks. Used
 * by the thread of the step only.
 */
final class Bodies<I, O> {

  private final List<I> items;
  private List<Future<@Nullable O>> futures = List.of();
  private int next;

  Bodies(List<I> items) {
    this.items = List.copyOf(items);
  }

  /**
   * The future of an item that the step asks for. The bodies of the whole chunk are started when
   * its first item is asked for: that is never so for a chunk of which single items are written
   * again after a failed write. An item that does not come next is asked for again: its body is
   * started once more, alone.
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

  /** Interrupts the bodies that nobody waited for. */
  void cancel() {
    futures.subList(Math.min(next, futures.size()), futures.size()).forEach(it -> it.cancel(true));
  }
}
