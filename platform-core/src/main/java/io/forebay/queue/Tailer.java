/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import io.forebay.machine.Machine;
import io.forebay.text.Formats;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Reads one partition in order, from any position. Not thread-safe. Once the tailer or its queue is
 * closed, moving and reading throw {@link IllegalStateException}.
 */
public interface Tailer extends AutoCloseable {

  /** How long {@link #pollBefore} waits between attempts. */
  Duration A_TURN = Duration.ofMillis(10);

  int partition();

  /**
   * The position from which the next message is read: no message lies between it and the next one.
   * The end if there is no next message yet.
   */
  long position();

  /**
   * The position that the next appended message will have, read now and not from a cache.
   *
   * @throws QueueUnavailable if the queue's server does not respond
   */
  long end();

  /**
   * The position up to which {@link #poll} can read now: the {@link #end}, or the first position of
   * the oldest open transaction if the queue has transactions. Messages behind it are accepted
   * nevertheless.
   *
   * @throws QueueUnavailable if the queue's server does not respond
   */
  default long readableEnd() {
    return end();
  }

  /**
   * Moves to the first message at or after {@code position}; the end itself is allowed.
   *
   * @throws PositionOutOfRange if the position is before the first message kept or beyond the end;
   *     the tailer does not move
   */
  void seek(long position);

  /** Moves to the first message kept. */
  void toStart();

  /** Moves to the {@link #readableEnd}. */
  default void toEnd() {
    seek(readableEnd());
  }

  /**
   * Passes up to {@code max} available messages to the handler, in order. Does not wait for
   * messages.
   *
   * <p>If the handler throws, that message counts as unread, and the exception propagates.
   *
   * @return how many messages were handled; 0 if none was available
   * @throws QueueFailed if the message at the position is damaged; the tailer stays there
   * @throws PositionOutOfRange if retention has deleted the message at the position; the tailer
   *     stays there
   */
  int poll(int max, MessageHandler handler);

  /**
   * Like {@link #poll}, for one message that is known to exist: a shared queue may deliver it a
   * moment later, and this method waits for it.
   *
   * @param end a position before which there is a message, unless {@link #position()} has reached
   *     it
   * @return false if there is no message before the end
   * @throws QueueUnavailable if the queue does not deliver it in time
   */
  default boolean pollBefore(long end, Duration atMost, MessageHandler handler) {
    long begin = Machine.nanos();
    while (position() < end) {
      if (poll(1, handler) > 0) {
        return true;
      }
      if (Machine.nanos() - begin > atMost.toNanos()) {
        throw new QueueUnavailable(
            "partition %d could not be read at %,d within %s (end=%,d); if the queue has transactions, an open one may block it"
                .formatted(partition(), position(), Formats.duration(atMost), end),
            null);
      }
      await(A_TURN);
    }
    return false;
  }

  /** Compares a message with what is sought. */
  @FunctionalInterface
  interface Before {

    /** Whether the message is before it. */
    boolean isBefore(long position, ByteBuffer message);
  }

  /**
   * Moves by binary search to the first message that is not before what is sought, or to the end if
   * all are.
   *
   * @param end the position behind the last message
   * @param atMost how long a shared queue may take to deliver one message
   * @throws PositionOutOfRange if retention deletes messages meanwhile
   * @throws QueueUnavailable if the queue does not deliver a message in time
   */
  default void search(long end, Duration atMost, Before sought) {
    long low = position();
    long high = end;
    while (low < high) {
      long middle = (low + high) >>> 1;
      seek(middle);
      boolean[] before = {false};
      pollBefore(
          high, atMost, (position, message) -> before[0] = sought.isBefore(position, message));
      if (before[0]) {
        low = position();
      } else {
        high = middle;
      }
    }
    seek(low);
  }

  /**
   * Waits until {@link #poll} may find a message, {@link #wake} is called, or the time is over. On
   * a queue that cannot signal new messages, it returns after a millisecond.
   */
  default void await(Duration atMost) {
    Machine.park(Math.min(atMost.toNanos(), 1_000_000));
  }

  /** Ends the current or next {@link #await}, if that can take long. Any thread may call it. */
  default void wake() {}

  @Override
  void close();
}
