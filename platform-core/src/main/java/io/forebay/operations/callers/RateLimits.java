/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.callers;

import java.util.List;

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
   * Stores a limit, instead of another one of its caller. It is durable when this returns.
   *
   * @throws io.forebay.service.progress.Unavailable if it may not have been stored
   */
  void put(RateLimit limit);

  /**
   * Removes the limit of a caller, if there is one. Durable when this returns.
   *
   * @throws io.forebay.service.progress.Unavailable if it may not have been removed
   */
  void remove(String caller);
}
