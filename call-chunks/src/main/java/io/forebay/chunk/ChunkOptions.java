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
 * @param maxItems the most calls of a chunk; default 100
 * @param maxBytes the most bytes that all arguments of a chunk may have, as measured by the
 *     service's size function; ignored without one; default 512 KiB
 * @param maxInFlight the most chunks performed at the same time, up to {@value #MOST_IN_FLIGHT};
 *     default 4
 * @param linger how long a call waits for others while some body is busy, give or take the period
 *     of the ticker; default 50 ms
 * @param timeout how long to wait for a chunk after it was sent, give or take the period of the
 *     ticker; then it no longer counts as in flight, although the service may still work on it;
 *     default 30 s
 */
public record ChunkOptions(
    int maxItems, long maxBytes, int maxInFlight, Duration linger, Duration timeout) {

  /** Each chunk in flight keeps its calls in memory, and may take a thread of the service. */
  public static final int MOST_IN_FLIGHT = 1_000;

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a limit is not allowed; lists all violations
   */
  public ChunkOptions {
    List<String> violations = new ArrayList<>();
    atLeastOne(violations, "maxItems", maxItems);
    atLeastOne(violations, "maxBytes", maxBytes);
    atLeastOne(violations, "maxInFlight", maxInFlight);
    if (maxInFlight > MOST_IN_FLIGHT) {
      violations.add("maxInFlight is " + maxInFlight + ", maximum " + MOST_IN_FLIGHT);
    }
    moreThanZero(violations, "linger", linger);
    moreThanZero(violations, "timeout", timeout);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", violations));
    }
  }

  public static ChunkOptions defaults() {
    return new ChunkOptions(100, 512 << 10, 4, Duration.ofMillis(50), Duration.ofSeconds(30));
  }

  public ChunkOptions withMaxItems(int items) {
    return new ChunkOptions(items, maxBytes, maxInFlight, linger, timeout);
  }

  public ChunkOptions withMaxBytes(long bytes) {
    return new ChunkOptions(maxItems, bytes, maxInFlight, linger, timeout);
  }

  public ChunkOptions withMaxInFlight(int chunks) {
    return new ChunkOptions(maxItems, maxBytes, chunks, linger, timeout);
  }

  public ChunkOptions withLinger(Duration value) {
    return new ChunkOptions(maxItems, maxBytes, maxInFlight, value, timeout);
  }

  public ChunkOptions withTimeout(Duration value) {
    return new ChunkOptions(maxItems, maxBytes, maxInFlight, linger, value);
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
