/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Until;
import java.util.Map;

/**
 * The times until services have caught up. The owner of their histories implements it. Thread-safe.
 */
@FunctionalInterface
public interface Clears {

  /**
   * The time until each service has performed the messages that wait now, from {@link
   * io.forebay.capacity.Lag#performed()}; "never" for a paused one. Services whose time is unknown
   * are missing.
   */
  Map<String, Until> clears();
}
