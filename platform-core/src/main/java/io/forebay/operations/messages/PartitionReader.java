/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.stored.StoredQueue;
import java.time.Duration;
import java.util.function.Predicate;

/** Reads the messages of one partition. For one thread. */
public final class PartitionReader implements AutoCloseable {

  /** A shared queue may deliver a message a moment later. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final StoredQueue queue;
  private final int partition;
  private final Tailer tailer;

  public PartitionReader(StoredQueue queue, int partition) {
    this.queue = queue;
    this.partition = partition;
    tailer = queue.tailer(partition);
  }

  /** Moves to the first position kept, and returns it. */
  public long toStart() {
    tailer.toStart();
    return tailer.position();
  }

  /** The position from which it reads next. */
  public long position() {
    return tailer.position();
  }

  /** The end of what can be read now. */
  public long end() {
    return tailer.readableEnd();
  }

  /**
   * Reads from a position, or from the first one kept, up to an end.
   *
   * @param to at most {@link #end()}
   * @param handler returns false if it wants no more
   * @throws QueueUnavailable if messages are deleted meanwhile
   */
  public void read(long from, long to, Predicate<StoredMessage> handler) {
    if (from < to && tailer.position() != from) {
      try {
        tailer.seek(from);
      } catch (PositionOutOfRange _) {
        tailer.toStart();
      }
    }
    boolean[] more = {from < to};
    try {
      // One by one, since the range may end before the queue does.
      while (more[0]
          && tailer.pollBefore(
              to,
              PATIENCE,
              (position, message) ->
                  more[0] =
                      position < to
                          && handler.test(
                              new StoredMessage(queue.name(), partition, position, message)))) {
        // until the handler has seen the last
      }
    } catch (PositionOutOfRange e) {
      throw new QueueUnavailable("messages were deleted while they were read; read again", e);
    }
  }

  @Override
  public void close() {
    tailer.close();
  }
}
