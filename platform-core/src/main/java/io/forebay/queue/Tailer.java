/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/** Reads one partition in order, from any position. For one thread. */
public interface Tailer extends AutoCloseable {

  int partition();

  /** The position of the next message, or where it will be if there is none yet. */
  long position();

  /**
   * Reads on from the first message at or after {@code position}; the end itself is allowed.
   *
   * @throws PositionOutOfRange if that is before the first message kept or beyond the end; the
   *     tailer stays where it was
   */
  void seek(long position);

  /** Reads on from the first message still kept. */
  void toStart();

  /** Reads on from behind the last message. */
  void toEnd();

  /**
   * Hands over up to {@code max} messages that are there now, in order. It does not wait for a
   * message to come (a shared queue may wait up to a millisecond for its server).
   *
   * <p>If the handler throws, that message counts as unread, and the exception passes on.
   *
   * @return how many were handed over; 0 if there is none
   * @throws QueueFailed if what is stored at the position is damaged; the tailer stays there
   */
  int poll(int max, MessageHandler handler);

  @Override
  void close();
}
