/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * For each partition of a service, the message whose attempts keep failing, and the operator's
 * decision about it. Thread-safe.
 */
public final class BlockedMessages {

  private final Map<Integer, Blocked> blocked = new ConcurrentHashMap<>();

  private record Blocked(BlockingMessage message, @Nullable String verdict) {
    long position() {
      return message.position();
    }
  }

  /**
   * Records that the partition failed to perform this message alone and will retry it.
   *
   * @param reason why it failed this time
   * @param now when it failed
   */
  public void block(int partition, long position, String reason, Instant now) {
    blocked.compute(
        partition,
        (_, before) -> {
          if (before == null || before.position() != position) {
            return new Blocked(new BlockingMessage(position, now, 1, reason), null);
          }
          BlockingMessage message = before.message();
          return new Blocked(
              new BlockingMessage(position, message.since(), message.attempts() + 1, reason),
              before.verdict());
        });
  }

  /** The partition resumed or ended. */
  public void free(int partition) {
    blocked.remove(partition);
  }

  /**
   * The partition retries its message for another reason, which is none to fail it. The decision of
   * an operator stays.
   */
  public void freeUndecided(int partition) {
    blocked.computeIfPresent(partition, (_, it) -> it.verdict() == null ? null : it);
  }

  /** The message that a partition keeps retrying; null if there is none. */
  @Nullable
  public BlockingMessage message(int partition) {
    Blocked message = blocked.get(partition);
    return message == null ? null : message.message();
  }

  /**
   * Makes the message fail at the next attempt.
   *
   * @param reason the operator's reason
   * @return false if the partition is not blocked by that message
   */
  public boolean fail(int partition, long position, String reason) {
    Blocked decided =
        blocked.computeIfPresent(
            partition,
            (_, message) ->
                message.position() == position ? new Blocked(message.message(), reason) : message);
    return decided != null && decided.position() == position;
  }

  /** The reason of the operator who decided to fail a message; null if nobody has. */
  @Nullable
  public String verdict(int partition, long position) {
    Blocked message = blocked.get(partition);
    return message != null && message.position() == position ? message.verdict() : null;
  }
}
