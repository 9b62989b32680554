/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import java.time.Duration;

/**
 * How many messages a search may still look at, and for how long. The time begins with its first
 * use: on Kafka, what comes before it (a connection, the first fetch) may take longer than all that
 * follows. For one thread.
 */
final class Effort {

  private final long messages;
  private final Duration time;
  private long looked;
  private boolean begun;
  private long begin;

  Effort(long messages, Duration time) {
    this.messages = messages;
    this.time = time;
  }

  /** A message is looked at. */
  void look() {
    begin();
    looked++;
  }

  private void begin() {
    if (!begun) {
      begun = true;
      begin = System.nanoTime();
    }
  }

  long looked() {
    return looked;
  }

  boolean isSpent() {
    begin();
    return looked >= messages || System.nanoTime() - begin >= time.toNanos();
  }
}
