/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Until;
import java.util.Map;

/** Known to who keeps the histories of services. Thread-safe. */
@FunctionalInterface
public interface Clears {

  /**
   * Until each service has performed what waits now, from {@link io.forebay.capacity.Lag#clear()};
   * never for one that is paused. A service of which that is not known is missing.
   */
  Map<String, Until> clears();
}
