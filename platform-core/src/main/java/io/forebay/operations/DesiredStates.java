/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores the desired states of services, so that they survive restarts and reach all instances.
 * Thread-safe.
 */
public interface DesiredStates {

  /**
   * The latest desired state of each service that has one.
   *
   * @throws io.forebay.service.progress.Unavailable if they cannot be read now
   */
  List<DesiredState> all();

  /**
   * Replaces the desired state of a service. It is durable when this returns.
   *
   * @throws io.forebay.service.progress.Unavailable if it may not have been stored
   */
  void keep(DesiredState desired);

  /**
   * Stores a pause unless the service is paused already. It is durable when this returns.
   *
   * @param replaces when the pause began that this one may replace, to the millisecond; null to
   *     replace none
   * @return the pause that the service has: the given one, which now knows the {@linkplain
   *     DesiredState#first() first one} if it replaced another, or the one that prevented it
   * @throws io.forebay.service.progress.Unavailable if it may not have been stored
   */
  DesiredState pause(DesiredState desired, @Nullable Instant replaces);

  /**
   * Ends a pause if the service still has exactly this one. Of several instances that do so, one
   * succeeds. It is durable when this returns.
   *
   * @param running what replaces the pause
   * @return whether this call ended it; false if it was resumed, replaced or ended meanwhile
   * @throws io.forebay.service.progress.Unavailable if it may not have been stored
   */
  boolean end(DesiredState pause, DesiredState running);
}
