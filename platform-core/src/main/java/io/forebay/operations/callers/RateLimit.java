/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.callers;

import java.time.Instant;

/**
 * How many statements a caller may send to each instance, by command of an operator. It replaces
 * the configured rate of the caller.
 *
 * @param perSecond the most statements per second, on average; from 1 to {@link #MOST}
 * @param reason the reason that the operator gave
 * @param at when it was set, to the microsecond
 * @param until when it ends, by the clock of each instance
 */
public record RateLimit(
    String caller, int perSecond, String reason, String by, Instant at, Instant until) {

  public static final int MOST = 1_000_000;

  /** Whether its end is reached. */
  public boolean hasEndedAt(Instant now) {
    return !until.isAfter(now);
  }
}
