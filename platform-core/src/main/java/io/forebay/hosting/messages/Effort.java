/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import java.time.Duration;

/** How many messages a search may still look at, and for how long. For one thread. */
final class Effort {

  private final long begin = System.nanoTime();
  private final long messages;
  private final Duration time;
  private long looked;

  Effort(long messages, Duration time) {
    this.messages = messages;
    this.time = time;
  }

  /** A message is looked at. */
  void look() {
    looked++;
  }

  long looked() {
    return looked;
  }

  boolean isSpent() {
    return looked >= messages || System.nanoTime() - begin >= time.toNanos();
  }
}
