/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The state of a partition at one moment. A figure that the backend does not know (yet) is empty,
 * never a guess.
 *
 * @param first the position of the first message kept
 * @param end the position the next message will have
 * @param bytes the bytes that its messages take; on disk if they are stored there
 * @param acknowledged the position up to which messages have the queue's strongest level
 *     (exclusive)
 * @param passed the position each registered consumer has passed, by its name; on a shared queue
 *     only consumers that this process has subscribed
 * @param refusal why appends are refused now; null if they are not
 * @param hold the open transaction that blocks reading from a position on, or null
 * @param damage the damage in its files that can be set aside, or null
 */
public record QueueStats(
    OptionalLong first,
    OptionalLong end,
    OptionalLong bytes,
    OptionalLong acknowledged,
    Map<String, Long> passed,
    @Nullable Refusal refusal,
    @Nullable Hold hold,
    @Nullable Damage damage) {

  /** Of a queue whose messages can always be read. */
  public QueueStats(
      OptionalLong first,
      OptionalLong end,
      OptionalLong bytes,
      OptionalLong acknowledged,
      Map<String, Long> passed,
      @Nullable Refusal refusal) {
    this(first, end, bytes, acknowledged, passed, refusal, null, null);
  }

  /**
   * @param reason why
   * @param fill how full the partition is, from 0 to 1; NaN if fill is not the reason
   * @param since when the refusal began
   */
  public record Refusal(QueueRefused.Reason reason, double fill, Instant since) {}

  /**
   * Files that do not hold what was written.
   *
   * @param position the message at which reading stops
   * @param what what the files hold instead
   * @param since when it was found
   * @param setAsideNext whether the next start sets it aside; see {@link MessageQueue#setAside}
   */
  public record Damage(long position, String what, Instant since, boolean setAsideNext) {}

  /**
   * A transaction that another program has left open.
   *
   * @param from the first position that cannot be read
   * @param by which program opened it and what to do, for an operator
   * @param since when it was first seen
   */
  public record Hold(long from, String by, Instant since) {}
}
