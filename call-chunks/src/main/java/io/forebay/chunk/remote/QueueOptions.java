/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.text.Formats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Options for sending chunks over a queue.
 *
 * @param timeout how long a chunk is retried and awaited, unless its collector gives up earlier;
 *     default 30 s
 * @param maxOutstanding how many chunks may be unanswered at once; further ones wait; default 1,000
 */
public record QueueOptions(Duration timeout, int maxOutstanding) {

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException naming all violations
   */
  public QueueOptions {
    List<String> violations = new ArrayList<>();
    if (!timeout.isPositive()) {
      violations.add("timeout is " + Formats.duration(timeout) + ", it must be more than zero");
    }
    if (maxOutstanding < 1) {
      violations.add("maxOutstanding is " + maxOutstanding + ", minimum 1");
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
