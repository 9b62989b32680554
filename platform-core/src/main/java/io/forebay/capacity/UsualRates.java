/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a service can perform and usually has to, in a few numbers that outlive the process.
 *
 * @param capacity the messages per second that its database can perform; null if unknown
 * @param intake the messages per second that usually come in; null if unknown
 * @param burstSeconds how long bursts usually last; null if unknown
 * @param most the most messages per second that were performed while its workers were busy, or in a
 *     burst; null if that never was
 */
public record UsualRates(
    @Nullable Value capacity,
    @Nullable Value intake,
    @Nullable Value burstSeconds,
    @Nullable Value most) {

  /** Nothing is known. */
  public static final UsualRates UNKNOWN = new UsualRates(null, null, null, null);

  /**
   * @param at when it was measured
   */
  public record Value(double value, Instant at) {}
}
