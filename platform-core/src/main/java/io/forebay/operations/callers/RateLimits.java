/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.callers;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores the limits that operators have set, so that they survive restarts and reach all instances.
 * Thread-safe.
 */
public interface RateLimits {

  /**
   * The limits of all callers, also those whose end is reached.
   *
   * @throws io.forebay.service.progress.Unavailable if they cannot be read now
   */
  List<RateLimit> all();

  /**
   * Stores a limit, unless the caller has another one than the one that is to be replaced, or that
   * one was removed. It is durable when this returns.
   *
   * @param replaces when the limit was set that this one may replace; null to replace none but one
   *     whose end is reached
   * @return whether it was stored
   * @throws io.forebay.service.progress.Unavailable if it may not have been stored
   */
  boolean put(RateLimit limit, @Nullable Instant replaces);

  /**
   * Removes the limit of a caller, if it still has exactly this one. Durable when this returns.
   *
   * @param at when it was set
   * @return whether this call removed it
   * @throws io.forebay.service.progress.Unavailable if it may not have been removed
   */
  boolean remove(String caller, Instant at);
}
