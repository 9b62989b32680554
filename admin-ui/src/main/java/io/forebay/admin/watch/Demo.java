/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import java.time.Duration;

/** A demo in this process, whose page has a button for a burst. Thread-safe. */
public interface Demo {

  /** Many times the usual traffic from now on; one that is under way ends at the later time. */
  void burst(Duration length);

  boolean isBursting();
}
