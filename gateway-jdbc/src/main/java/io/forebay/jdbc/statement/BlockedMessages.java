/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.SqlFailure;
import io.forebay.operations.BlockingMessage;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The message that each partition of a gateway fails to perform again and again, and what an
 * operator decided about it. Thread-safe.
 */
public final class BlockedMessages {

  private final Map<Integer, Blocked> blocked = new ConcurrentHashMap<>();

  private record Blocked(BlockingMessage message, @Nullable SqlFailure verdict) {
    long position() {
      return message.position();
    }
  }

  /**
   * The partition has tried this message alone, in vain, and tries it again.
   *
   * @param reason why it failed this time
   */
  public void block(int partition, long position, String reason) {
    blocked.compute(
        partition,
        (_, before) -> {
          if (before == null || before.position() != position) {
            return new Blocked(new BlockingMessage(position, Instant.now(), 1, reason), null);
          }
          BlockingMessage message = before.message();
          return new Blocked(
              new BlockingMessage(position, message.since(), message.attempts() + 1, reason),
              before.verdict());
        });
  }

  /** The partition goes on, or ends. */
  public void free(int partition) {
    blocked.remove(partition);
  }

  /** The message that a partition tries again and again; null if there is none. */
  @Nullable
  public BlockingMessage message(int partition) {
    Blocked message = blocked.get(partition);
    return message == null ? null : message.message();
  }

  /**
   * Has the message fail at the next try.
   *
   * @return false if the partition does not wait for that message
   */
  public boolean fail(int partition, long position, SqlFailure failure) {
    Blocked decided =
        blocked.computeIfPresent(
            partition,
            (_, message) ->
                message.position() == position ? new Blocked(message.message(), failure) : message);
    return decided != null && decided.position() == position;
  }

  /** What an operator decided about a message; null if nothing. */
  @Nullable
  public SqlFailure verdict(int partition, long position) {
    Blocked message = blocked.get(partition);
    return message != null && message.position() == position ? message.verdict() : null;
  }
}
