/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How fast steps read, measured from the repository's figures of the last minute. Thread-safe.
 *
 * <p>A step that began within that minute is measured from its beginning.
 */
final class StepRates {

  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private final Map<Long, Deque<Sample>> samples = new ConcurrentHashMap<>();

  private record Sample(Instant at, long read) {}

  /**
   * Records how many items a running step has read.
   *
   * @return items per second; null if there is no measure yet
   */
  @Nullable Double rate(long step, @Nullable Instant begun, long read, Instant now) {
    Deque<Sample> seen =
        samples.computeIfAbsent(
            step,
            _ -> {
              forgetOld(now);
              return new ArrayDeque<>();
            });
    synchronized (seen) {
      if (seen.isEmpty() && begun != null && begun.isAfter(now.minus(WINDOW))) {
        seen.add(new Sample(begun, 0));
      }
      if (seen.isEmpty() || !seen.getLast().at().plus(SHORTEST).isAfter(now)) {
        seen.add(new Sample(now, read));
      }
      while (seen.size() > 2 && seen.getFirst().at().isBefore(now.minus(WINDOW))) {
        seen.removeFirst();
      }
      Sample first = seen.getFirst();
      Duration time = Duration.between(first.at(), now);
      return time.compareTo(SHORTEST) < 0
          ? null
          : Math.max(0, read - first.read()) * 1e3 / time.toMillis();
    }
  }

  private void forgetOld(Instant now) {
    samples
        .values()
        .removeIf(seen -> {
          synchronized (seen) {
            return !seen.isEmpty()
                && seen.getLast().at().isBefore(now.minus(WINDOW.multipliedBy(10)));
          }
        });
  }
}
