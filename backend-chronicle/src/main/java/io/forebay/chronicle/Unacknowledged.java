/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.Appender.AcknowledgementListener;
import io.forebay.queue.QueueFailed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tickets that the listener of one appender has not been notified of: a ring that the
 * appender's thread fills and the acknowledging thread empties. The appender publishes with its
 * ticket.
 */
final class Unacknowledged {

  /** Appends are refused above this limit, so that a slow disk does not fill the heap. */
  static final int LIMIT = 1 << 16;

  private static final Logger LOG = LoggerFactory.getLogger(Unacknowledged.class);

  private final long[] positions = new long[LIMIT];
  private final int[] partitions = new int[LIMIT];
  private volatile Listening listening;
  private volatile long told;
  private long added;

  /** The listener for tickets after {@code after}, and the listener before it. */
  private record Listening(
      AcknowledgementListener listener, long after, @Nullable Listening before) {}

  /**
   * @param ticket the last append that the listener is not notified of
   */
  Unacknowledged(AcknowledgementListener listener, long ticket) {
    listening = new Listening(listener, ticket, null);
    told = ticket;
    added = ticket;
  }

  /** Replaces the listener for future tickets; called by the appender's thread. */
  void replace(AcknowledgementListener listener) {
    listening = new Listening(listener, added, told == added ? null : listening);
  }

  boolean isFull() {
    return added - told >= LIMIT;
  }

  void add(long ticket, int partition, long position) {
    int slot = (int) ticket & LIMIT - 1;
    positions[slot] = position;
    partitions[slot] = partition;
    added = ticket;
  }

  void tellUpTo(long ticket) {
    for (long next = told + 1; next <= ticket; next++) {
      int slot = (int) next & LIMIT - 1;
      AcknowledgementListener listener = listenerOf(next);
      try {
        listener.acknowledged(partitions[slot], next, positions[slot]);
      } catch (RuntimeException | Error e) {
        LOG.error(
            "an acknowledgement listener failed at ticket {}; it is called for the next ticket",
            next,
            e);
      }
      told = next;
    }
  }

  private AcknowledgementListener listenerOf(long ticket) {
    Listening one = listening;
    while (ticket <= one.after && one.before != null) {
      one = one.before;
    }
    return one.listener;
  }

  /** Notifies the listener that nothing more will be acknowledged. */
  void fail(QueueFailed cause) {
    try {
      listening.listener.failed(told + 1, Long.MAX_VALUE, cause);
    } catch (RuntimeException | Error e) {
      LOG.error("an acknowledgement listener failed while handling a queue failure", e);
    }
  }
}
