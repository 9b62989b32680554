/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads one partition in order, from any position. For one thread. Once it or its queue is closed,
 * moving and reading throw {@link IllegalStateException}.
 */
public interface Tailer extends AutoCloseable {

  /** How long {@link #pollBefore} waits at a time. */
  Duration A_TURN = Duration.ofMillis(10);

  int partition();

  /**
   * There is no message between this position and the next message; if there is none yet, the end.
   */
  long position();

  /**
   * The position the next message of the partition will have, asked for now.
   *
   * @throws QueueUnavailable if the queue's server does not answer
   */
  long end();

  /**
   * Up to where {@link #poll} can read now: the {@link #end}, or, where the queue has transactions,
   * the first position of one that is still open. Messages behind it are accepted all the same.
   *
   * @throws QueueUnavailable if the queue's server does not answer
   */
  default long readableEnd() {
    return end();
  }

  /**
   * Reads on from the first message at or after {@code position}; the end itself is allowed.
   *
   * @throws PositionOutOfRange if that is before the first message kept or beyond the end; the
   *     tailer stays where it was
   */
  void seek(long position);

  /** Reads on from the first message still kept. */
  void toStart();

  /** Reads on from the {@link #readableEnd}. */
  void toEnd();

  /**
   * Hands over up to {@code max} messages that are there now, in order. It does not wait for a
   * message to come.
   *
   * <p>If the handler throws, that message counts as unread, and the exception passes on.
   *
   * @return how many were handed over; 0 if there is none
   * @throws QueueFailed if what is stored at the position is damaged; the tailer stays there
   * @throws PositionOutOfRange if retention has overtaken the tailer; the tailer stays there
   */
  int poll(int max, MessageHandler handler);

  /**
   * As {@link #poll} for one message that is known to be there: a shared queue hands it over a
   * moment later, and this waits for it.
   *
   * @param end there is a message before this position, or none at or behind {@link #position()}
   * @return false if there is none before the end
   * @throws QueueUnavailable if it is not handed over within the time
   */
  default boolean pollBefore(long end, Duration atMost, MessageHandler handler) {
    long begin = System.nanoTime();
    while (position() < end) {
      if (poll(1, handler) > 0) {
        return true;
      }
      if (System.nanoTime() - begin > atMost.toNanos()) {
        throw new QueueUnavailable(
            "partition %d could not be read at %,d within %s"
                .formatted(partition(), position(), atMost),
            null);
      }
      await(A_TURN);
    }
    return false;
  }

  /**
   * Waits until {@link #poll} may find something, {@link #wake} is called, or the time is over. A
   * local queue, which does not notice a message, returns after a millisecond.
   */
  default void await(Duration atMost) {
    LockSupport.parkNanos(Math.min(atMost.toNanos(), 1_000_000));
  }

  /** Ends the present or the next {@link #await}, where that can take long. For any thread. */
  default void wake() {}

  @Override
  void close();
}
