/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Appends messages to a queue and reports when they are acknowledged. Not thread-safe, except
 * {@link #isAcknowledged}, {@link #await(long, Duration)} and {@link #close()}.
 *
 * <p>A ticket counts the appends of one appender: 1, 2, 3, … over all partitions. A message is
 * accepted when its ticket is acknowledged, not when {@link #append} returns: by then, a message on
 * a local queue has reached {@link Level#PROCESS}; on a shared queue it may only be in a buffer. A
 * local queue acknowledges in the order of the tickets, a shared queue in the order of each
 * partition: there a partition that is unavailable does not hold up the others.
 */
public interface Appender extends AutoCloseable {

  /** The position of a message whose position is not known yet. */
  long UNKNOWN_POSITION = -1;

  /**
   * Appends the bytes from the buffer's position to its limit and moves neither. On a local queue
   * it allocates nothing; the buffer may be reused at once.
   *
   * @return the ticket
   * @throws QueueRefused if the queue refuses the message; nothing was written
   * @throws IllegalArgumentException if there is no such partition
   */
  long append(int partition, ByteBuffer message);

  /** The ticket of the last append, 0 before the first. */
  long ticket();

  /**
   * The position of the last append, or {@link #UNKNOWN_POSITION} if the queue does not know it
   * yet.
   */
  default long position() {
    return UNKNOWN_POSITION;
  }

  /** Whether the message with this ticket has reached the queue's strongest level. */
  boolean isAcknowledged(long ticket);

  /**
   * Waits until the message with this ticket has reached the queue's strongest level.
   *
   * @throws TimeoutException if the timeout expires first; the message may still be acknowledged
   * @throws QueueFailed if the ticket will never be acknowledged: the queue failed, and the message
   *     may or may not be durable; or the ticket was never issued and the appender or the queue is
   *     closed
   */
  void await(long ticket, Duration timeout) throws TimeoutException, InterruptedException;

  /**
   * Waits until all messages appended so far have reached the queue's strongest level.
   *
   * @throws TimeoutException if the timeout expires first; they may still be acknowledged
   * @throws QueueFailed if one of them never will be, unless an earlier call has thrown that
   */
  default void await(Duration timeout) throws TimeoutException, InterruptedException {
    await(ticket(), timeout);
  }

  /**
   * Makes everything appended since the last call visible to readers; if the process dies here,
   * either all of it or none becomes visible. Only an appender of {@link MessageQueue#answers}
   * holds messages back until then, and only on some queues; elsewhere this does nothing. The queue
   * may publish asynchronously; the next call then throws any error.
   *
   * @throws QueueRefused if publishing is not possible now; the call may be repeated
   * @throws QueueUnavailable if what was appended since the last call is lost
   * @throws Fenced if another instance answers this partition now
   */
  default void publish() {}

  /**
   * As {@link #publish()}, and commits the offset of the consumer that answers, in the same
   * transaction. Without messages it commits the offset alone.
   */
  default void publish(GroupOffset offset) {
    publish();
  }

  /**
   * Calls the listener for each later append, in the order in which they are acknowledged; it
   * replaces the previous listener. A thread of the queue makes the calls, or the appending thread
   * before {@link #append} returns. If the queue is not {@link Capabilities#contiguous}, the call
   * for a ticket ends before {@link #await(long, Duration)} returns for it. An exception of the
   * listener is logged and does not affect the append.
   */
  void onAcknowledged(AcknowledgementListener listener);

  @Override
  void close();

  /** Called when a message has reached the queue's strongest level. Must not block. */
  @FunctionalInterface
  interface AcknowledgementListener {
    void acknowledged(int partition, long ticket, long position);

    /**
     * Tickets from {@code first} to {@code last} will never be acknowledged; their messages may or
     * may not be durable. On a local queue these are all later tickets.
     */
    default void failed(long first, long last, QueueFailed cause) {}
  }
}
