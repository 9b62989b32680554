/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * Options of a {@link StatementStream}.
 *
 * @param from the number of the first line that is sent; to resume, the one after the last
 *     acknowledged; default 1
 * @param retryFor how long the stream is retried while no line is acknowledged, for example because
 *     the queue is full, before it fails; default 10 min
 * @param refused gets the number of each line that the door refused, with the reason. It is called
 *     once per line and stream object; if it throws, the stream fails. Default: does nothing,
 *     refused lines are only counted
 */
public record StreamOptions(long from, Duration retryFor, BiConsumer<Long, DoorProblem> refused) {

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if one is violated
   */
  public StreamOptions {
    if (from < 1 || retryFor.isNegative()) {
      throw new IllegalArgumentException(
          "from is %d, minimum 1; retryFor is %s, it must not be negative"
              .formatted(from, retryFor));
    }
  }

  public static StreamOptions defaults() {
    return new StreamOptions(1, Duration.ofMinutes(10), (_, _) -> {});
  }

  public StreamOptions withFrom(long line) {
    return new StreamOptions(line, retryFor, refused);
  }

  public StreamOptions withRetryFor(Duration value) {
    return new StreamOptions(from, value, refused);
  }

  public StreamOptions onRefused(BiConsumer<Long, DoorProblem> listener) {
    return new StreamOptions(from, retryFor, listener);
  }
}
