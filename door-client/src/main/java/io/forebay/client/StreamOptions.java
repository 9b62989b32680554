/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Options of a {@link StatementStream}.
 *
 * @param from the number of the first line that is sent; to resume, the one after the last
 *     acknowledged; default 1
 * @param buffer how many lines may be unacknowledged before {@link StatementStream#send} waits;
 *     default 10,000
 * @param retryFor how long the stream is retried while no line is acknowledged, for example because
 *     the queue is full, before it fails; default 10 min
 * @param refused gets the number of each line that the door refused, with the reason. It is called
 *     by a thread of the stream, one call at a time, and once per line and stream object; if it
 *     throws, the stream fails. Default: does nothing, refused lines are only counted
 */
public record StreamOptions(
    long from, int buffer, Duration retryFor, BiConsumer<Long, DoorProblem> refused) {

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException naming all violations
   */
  public StreamOptions {
    List<String> violations = new ArrayList<>();
    if (from < 1) {
      violations.add("from is " + from + ", minimum 1");
    }
    if (buffer < 1) {
      violations.add("buffer is " + buffer + ", minimum 1");
    }
    if (retryFor.isNegative()) {
      violations.add("retryFor is " + retryFor + ", it must not be negative");
    }
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", violations));
    }
  }

  public static StreamOptions defaults() {
    return new StreamOptions(1, 10_000, Duration.ofMinutes(10), (_, _) -> {});
  }

  public StreamOptions withFrom(long line) {
    return new StreamOptions(line, buffer, retryFor, refused);
  }

  public StreamOptions withBuffer(int lines) {
    return new StreamOptions(from, lines, retryFor, refused);
  }

  public StreamOptions withRetryFor(Duration value) {
    return new StreamOptions(from, buffer, value, refused);
  }

  public StreamOptions onRefused(BiConsumer<Long, DoorProblem> listener) {
    return new StreamOptions(from, buffer, retryFor, listener);
  }
}
