/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How chunks are sent over a queue.
 *
 * @param timeout how long a chunk is handed over and waited for, where its collector does not give
 *     up before; default 30 s
 * @param maxOutstanding how many chunks may be without reply; more wait; default 1,000
 */
public record QueueOptions(Duration timeout, int maxOutstanding) {

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException naming everything that is not allowed
   */
  public QueueOptions {
    List<String> violations = new ArrayList<>();
    if (!timeout.isPositive()) {
      violations.add("timeout is " + timeout + ", it must be more than zero");
    }
    if (maxOutstanding < 1) {
      violations.add("maxOutstanding is " + maxOutstanding + ", at least 1 is allowed");
    }
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", violations));
    }
  }

  public static QueueOptions defaults() {
    return new QueueOptions(Duration.ofSeconds(30), 1_000);
  }

  public QueueOptions withTimeout(Duration value) {
    return new QueueOptions(value, maxOutstanding);
  }

  public QueueOptions withMaxOutstanding(int chunks) {
    return new QueueOptions(timeout, chunks);
  }
}
