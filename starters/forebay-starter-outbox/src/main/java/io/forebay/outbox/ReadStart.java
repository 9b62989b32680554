/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides after which id the table is read, so that rows that were deleted are not read again and
 * again: PostgreSQL keeps their dead versions while any old transaction is open.
 *
 * <p>A row may become visible after rows with higher ids, because ids are taken before the commit.
 * A transaction locks the table before it takes an id, and until it ends. So when all transactions
 * have ended that held the lock while an id was visible, no other row up to that id will appear.
 * For one thread.
 */
final class ReadStart {

  /** Of a prepared transaction, which loses the name that it had before. */
  private static final String PREPARED = "-1/";

  private long start;
  private long highest;
  private long candidate;
  private Set<String> open = Set.of();

  /** All rows that will ever be visible up to this id were handed over. */
  long id() {
    return start;
  }

  /** Whether {@link #openNow} could move the start. */
  boolean isBehind() {
    return start < highest;
  }

  /** The transactions that hold the lock now, before the next read. */
  void openNow(Set<String> transactions) {
    if (candidate <= start) {
      candidate = highest;
      open = transactions;
    } else {
      open =
          transactions.stream()
              .filter(it -> open.contains(it) || it.startsWith(PREPARED))
              .collect(Collectors.toSet());
    }
  }

  /**
   * The rows of the last read were handed over.
   *
   * @param last the highest id among them
   */
  void handedOver(long last) {
    highest = Math.max(highest, last);
    advance(Math.min(candidate, last));
  }

  /** The last read found no row that is not handed over. */
  void handedOverAll() {
    advance(candidate);
  }

  private void advance(long id) {
    if (open.isEmpty() && id > start) {
      start = id;
    }
  }
}
