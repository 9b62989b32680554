/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.text.Formats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits for collecting the calls of one service.
 *
 * @param minItems the fewest calls of a full chunk. If it is less than maxItems, the number is
 *     adaptive: it starts at 100, or at the nearer bound, and hill climbing finds the number with
 *     the least time per call; default 100
 * @param maxItems the most calls of a chunk; default 100
 * @param maxBytes the most bytes that all arguments of a chunk may have, as measured by the
 *     service's size function; ignored without one; default 512 KiB
 * @param maxInFlight the most chunks performed at the same time; default 4
 * @param linger how long a call waits for others while some body is busy, give or take the period
 *     of the ticker; default 50 ms
 * @param timeout how long to wait for a chunk after it was sent, give or take the period of the
 *     ticker; then it no longer counts as in flight, although the service may still work on it;
 *     default 30 s
 */
public record ChunkOptions(
    int minItems, int maxItems, long maxBytes, int maxInFlight, Duration linger, Duration timeout) {

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a limit is not allowed; lists all violations
   */
  public ChunkOptions {
    List<String> violations = new ArrayList<>();
    atLeastOne(violations, "minItems", minItems);
    atLeastOne(violations, "maxItems", maxItems);
    if (minItems > maxItems && maxItems >= 1) {
      violations.add("minItems is " + minItems + ", maximum maxItems=" + maxItems);
    }
    atLeastOne(violations, "maxBytes", maxBytes);
    atLeastOne(violations, "maxInFlight", maxInFlight);
    moreThanZero(violations, "linger", linger);
    moreThanZero(violations, "timeout", timeout);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", violations));
    }
  }

  public static ChunkOptions defaults() {
    return new ChunkOptions(100, 100, 512 << 10, 4, Duration.ofMillis(50), Duration.ofSeconds(30));
  }

  /** Every full chunk has this number of calls. */
  public ChunkOptions withMaxItems(int items) {
    return withItems(items, items);
  }

  /** The number of calls of a full chunk is adaptive within these bounds. */
  public ChunkOptions withItems(int min, int max) {
    return new ChunkOptions(min, max, maxBytes, maxInFlight, linger, timeout);
  }

  public ChunkOptions withMaxBytes(long bytes) {
    return new ChunkOptions(minItems, maxItems, bytes, maxInFlight, linger, timeout);
  }

  public ChunkOptions withMaxInFlight(int chunks) {
    return new ChunkOptions(minItems, maxItems, maxBytes, chunks, linger, timeout);
  }

  public ChunkOptions withLinger(Duration value) {
    return new ChunkOptions(minItems, maxItems, maxBytes, maxInFlight, value, timeout);
  }

  public ChunkOptions withTimeout(Duration value) {
    return new ChunkOptions(minItems, maxItems, maxBytes, maxInFlight, linger, value);
  }

  private static void atLeastOne(List<String> violations, String name, long value) {
    if (value < 1) {
      violations.add(name + " is " + value + ", minimum 1");
    }
  }

  private static void moreThanZero(List<String> violations, String name, Duration value) {
    if (!value.isPositive()) {
      violations.add(name + " is " + Formats.duration(value) + ", it must be more than zero");
    }
  }
}
