/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.Appender.AcknowledgementListener;
import io.forebay.queue.QueueFailed;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a listener of one appender has not been told yet: a ring, filled by the appender's thread
 * and emptied by the committer. The appender publishes with its ticket.
 */
final class Unacknowledged {

  /** With more than that an append is refused, so that a slow disk does not fill the heap. */
  static final int LIMIT = 1 << 16;

  private static final Logger LOG = LoggerFactory.getLogger(Unacknowledged.class);

  private final long[] positions = new long[LIMIT];
  private final int[] partitions = new int[LIMIT];
  private final List<Listening> listeners = new CopyOnWriteArrayList<>();
  private volatile long told;
  private long added;

  private record Listening(AcknowledgementListener listener, long after) {}

  /**
   * @param ticket of the last append nobody wants to hear of
   */
  Unacknowledged(long ticket) {
    told = ticket;
    added = ticket;
  }

  void listener(AcknowledgementListener listener, long after) {
    listeners.add(new Listening(listener, after));
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
      for (Listening one : listeners) {
        if (next > one.after) {
          tell(one.listener, partitions[slot], next, positions[slot]);
        }
      }
      told = next;
    }
  }

  /** Tells that nothing more will be acknowledged. */
  void fail(QueueFailed cause) {
    for (Listening one : listeners) {
      try {
        one.listener.failed(Math.max(told, one.after) + 1, cause);
      } catch (RuntimeException e) {
        LOG.error("a listener failed when it was told of a failure", e);
      }
    }
  }

  private static void tell(
      AcknowledgementListener listener, int partition, long ticket, long position) {
    try {
      listener.acknowledged(partition, ticket, position);
    } catch (RuntimeException e) {
      LOG.error("a listener failed at ticket {}; it is told of the next", ticket, e);
    }
  }
}
