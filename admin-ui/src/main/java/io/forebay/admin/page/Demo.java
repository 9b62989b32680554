/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import java.time.Duration;

/** A demo in this process, with a burst button on the page. Thread-safe. */
public interface Demo {

  /**
   * Starts a burst of many times the usual traffic. A burst in progress is extended if this one
   * ends later.
   */
  void burst(Duration length);

  boolean isBursting();
}
