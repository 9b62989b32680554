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
 * A partition at one moment. A figure that the backend cannot tell (yet) is empty, never a guess.
 *
 * @param first the position of the first message kept
 * @param end the position the next message will have
 * @param bytes what its messages take, on disk where they are on disk
 * @param acknowledged the position up to which messages have the queue's strongest level
 *     (exclusive)
 * @param passed the position each registered consumer has passed, by its name
 * @param refusal why appends are refused now, or null
 * @param hold what keeps messages at and behind a position from being read, or null
 * @param damage what is damaged in its files and can be set aside, or null
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

  /** Of a queue that has no files of its own. */
  public QueueStats(
      OptionalLong first,
      OptionalLong end,
      OptionalLong bytes,
      OptionalLong acknowledged,
      Map<String, Long> passed,
      @Nullable Refusal refusal,
      @Nullable Hold hold) {
    this(first, end, bytes, acknowledged, passed, refusal, hold, null);
  }

  /** Of a queue whose messages can always be read. */
  public QueueStats(
      OptionalLong first,
      OptionalLong end,
      OptionalLong bytes,
      OptionalLong acknowledged,
      Map<String, Long> passed,
      @Nullable Refusal refusal) {
    this(first, end, bytes, acknowledged, passed, refusal, null);
  }

  /**
   * @param reason why
   * @param fill how full, from 0 to 1; NaN where fill is not the reason
   * @param since since when
   */
  public record Refusal(QueueRefused.Reason reason, double fill, Instant since) {}

  /**
   * Files that do not hold what was written.
   *
   * @param position the message at which reading stops
   * @param what what is there instead
   * @param since when it was found
   * @param setAsideNext whether the next start sets it aside; see {@link MessageQueue#setAside}
   */
  public record Damage(long position, String what, Instant since, boolean setAsideNext) {}

  /**
   * A transaction that another program leaves open.
   *
   * @param from the first position that cannot be read
   * @param by whose it is, and what to do, in words for an operator
   * @param since when it was first seen
   */
  public record Hold(long from, String by, Instant since) {}
}
