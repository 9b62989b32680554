/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The message that each partition of a gateway fails to perform again and again, and what an
 * operator decided about it. Thread-safe.
 */
final class BlockedMessages {

  private final Map<Integer, Blocked> blocked = new ConcurrentHashMap<>();

  private record Blocked(long position, @Nullable SqlFailure verdict) {}

  /** The partition tries this message again and again. */
  void block(int partition, long position) {
    blocked.merge(
        partition,
        new Blocked(position, null),
        (before, now) -> before.position() == position ? before : now);
  }

  /** The partition goes on, or ends. */
  void free(int partition) {
    blocked.remove(partition);
  }

  /** The position of the message that a partition tries again and again. */
  OptionalLong position(int partition) {
    Blocked message = blocked.get(partition);
    return message == null ? OptionalLong.empty() : OptionalLong.of(message.position());
  }

  /**
   * Has the message fail at the next try.
   *
   * @return false if the partition does not wait for that message
   */
  boolean fail(int partition, long position, SqlFailure failure) {
    Blocked decided =
        blocked.computeIfPresent(
            partition,
            (_, message) ->
                message.position() == position ? new Blocked(position, failure) : message);
    return decided != null && decided.position() == position;
  }

  /** What an operator decided about a message; null if nothing. */
  @Nullable SqlFailure verdict(int partition, long position) {
    Blocked message = blocked.get(partition);
    return message != null && message.position() == position ? message.verdict() : null;
  }
}
