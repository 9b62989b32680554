/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/** There is no message at this position: it was deleted or not written yet. */
public final class PositionOutOfRange extends RuntimeException {

  private static final long serialVersionUID = 1;

  public PositionOutOfRange(String queue, int partition, long position, long first, long end) {
    super(
        (position < first
                ? "the message at position %,d in partition %d of queue %s was deleted before it was read"
                    + " (first=%,d, end=%,d): the reader was behind for longer than the queue keeps"
                    + " messages"
                : "no position %,d in partition %d of queue %s (first=%,d, end=%,d)")
            .formatted(position, partition, queue, first, end));
  }
}
