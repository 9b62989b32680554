/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.callers;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * How many statements a caller may send, by command of an operator. It replaces the configured rate
 * of the caller at all instances.
 *
 * @param perSecond the most statements per second, on average, of all instances together; from 1 to
 *     {@link #MOST}
 * @param reason the reason that the operator gave
 * @param at when it was set, to the microsecond
 * @param until when it ends, by the clock of each instance; null if it has no end
 */
public record RateLimit(
    String caller, int perSecond, String reason, String by, Instant at, @Nullable Instant until) {

  public static final int MOST = 1_000_000;

  /** Whether its end is reached. */
  public boolean hasEndedAt(Instant now) {
    return until != null && !until.isAfter(now);
  }

  /** The limit of a caller in the audit; null if it has none by command. */
  public static SequencedMap<String, String> fields(@Nullable RateLimit limit) {
    SequencedMap<String, String> fields = new LinkedHashMap<>();
    if (limit != null) {
      fields.put("perSecond", Integer.toString(limit.perSecond));
      fields.put("reason", limit.reason);
      fields.put("by", limit.by);
      fields.put("until", limit.until == null ? "" : limit.until.toString());
    }
    return fields;
  }
}
