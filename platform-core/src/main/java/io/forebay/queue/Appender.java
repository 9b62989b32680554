/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Puts messages into a queue and learns when they are safe. For one thread, except {@link
 * #acknowledged()}, {@link #await} and {@link #close()}, which any thread may call.
 *
 * <p>A ticket counts the appends of one appender: 1, 2, 3, … over all partitions. A message is
 * accepted when its ticket is acknowledged, not when {@link #append} returns: on a local queue it
 * has by then reached {@link Level#PROCESS}, on a shared one perhaps only a buffer.
 */
public interface Appender extends AutoCloseable {

  /** The position of a message whose position is not known yet. */
  long UNKNOWN_POSITION = -1;

  /**
   * Appends the bytes from the buffer's position to its limit and moves neither. On a local queue
   * it allocates nothing; the buffer may be reused at once.
   *
   * @return the ticket
   * @throws QueueRefused if the queue does not take it; nothing was written
   * @throws IllegalArgumentException if there is no such partition
   */
  long append(int partition, ByteBuffer message);

  /** The ticket of the last append, 0 before the first. */
  long ticket();

  /**
   * The position of the last append, or {@link #UNKNOWN_POSITION} where the queue tells it later.
   */
  long position();

  /** All tickets up to this one have reached the queue's strongest level. */
  long acknowledged();

  /**
   * Waits until a ticket has reached the queue's strongest level.
   *
   * @throws TimeoutException if it has not in that time; it may still
   * @throws QueueFailed if it never will: the queue failed, and whether the message is durable is
   *     not known; or the ticket was not given and the appender or the queue is closed
   */
  void await(long ticket, Duration timeout) throws TimeoutException, InterruptedException;

  /**
   * Lets readers see what was appended since the last call, all of it or, if the process dies here,
   * nothing. Only an appender of {@link MessageQueue#answers} holds anything back until then, and
   * not on every queue; elsewhere this does nothing. They may see it a moment later, and then what
   * goes wrong is thrown by the next call.
   *
   * @throws QueueRefused if that is not possible now; it may be called again
   * @throws QueueUnavailable if what was appended since the last call is lost
   * @throws QueueFenced if another one answers that partition
   */
  default void publish() {}

  /**
   * Calls the listener for each append from now on, in ticket order; it replaces the one before.
   * The calls come from a thread of the queue, or from the appending one before {@link #append}
   * returns. That a listener throws changes nothing of the append; it is logged.
   */
  void onAcknowledged(AcknowledgementListener listener);

  /**
   * Whether it refuses for good, since a message that it had taken may be lost, while the queue
   * goes on: another appender serves.
   */
  default boolean hasFailed() {
    return false;
  }

  @Override
  void close();

  /** Told that a message has reached the queue's strongest level. Must not block. */
  @FunctionalInterface
  interface AcknowledgementListener {
    void acknowledged(int partition, long ticket, long position);

    /**
     * The tickets from this one on will never be acknowledged, and whether their messages are
     * durable is not known. Called once; the appender refuses from then on.
     */
    default void failed(long fromTicket, QueueFailed cause) {}
  }
}
