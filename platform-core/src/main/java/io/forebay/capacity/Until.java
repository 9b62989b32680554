/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import java.util.Optional;

/** How long until an event. Ordered by {@link #compareTo}: the soonest first. */
public sealed interface Until extends Comparable<Until> {

  /**
   * The event is this far away.
   *
   * @param duration not negative
   */
  record In(Duration duration) implements Until {}

  /** The event has already happened. */
  record Passed() implements Until {}

  /**
   * The event does not happen at the present rates.
   *
   * @param why the reason, shown to the reader
   */
  record Never(String why) implements Until {}

  /** Forecasts beyond this (ten years) are {@link Never}. */
  Duration LONGEST = Duration.ofDays(3650);

  /**
   * @param seconds seconds from now; zero or less means passed, infinity or NaN means never
   * @param never the reason to give for never
   */
  static Until ofSeconds(double seconds, String never) {
    if (seconds <= 0) {
      return new Passed();
    }
    return seconds < LONGEST.toSeconds()
        ? new In(Duration.ofNanos(Math.round(seconds * 1e9)))
        : new Never(never);
  }

  /** The seconds left: infinity if it never happens, NaN if that is unknown. */
  static double seconds(Figure<Until> figure) {
    return figure
        .known()
        .map(it -> it.left().map(Lag::seconds).orElse(Double.POSITIVE_INFINITY))
        .orElse(Double.NaN);
  }

  /** The time left: zero if it has passed, empty if it never happens. */
  default Optional<Duration> left() {
    return switch (this) {
      case In(Duration duration) -> Optional.of(duration);
      case Passed() -> Optional.of(Duration.ZERO);
      case Never it -> Optional.empty();
    };
  }

  @Override
  default int compareTo(Until other) {
    return left().orElse(LONGEST).compareTo(other.left().orElse(LONGEST));
  }

  /** The sooner of the two. */
  default Until sooner(Until other) {
    return other.compareTo(this) < 0 ? other : this;
  }

  /** The later of the two. */
  default Until later(Until other) {
    return other.compareTo(this) > 0 ? other : this;
  }
}
