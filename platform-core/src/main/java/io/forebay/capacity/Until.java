/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import java.util.Optional;

/** How long until something happens. Ordered by {@link #compareTo}: the soonest first. */
public sealed interface Until extends Comparable<Until> {

  /**
   * In so much time.
   *
   * @param duration not negative
   */
  record In(Duration duration) implements Until {}

  /** It has happened already. */
  record Passed() implements Until {}

  /**
   * Not as things are going.
   *
   * @param why for the reader of the figure
   */
  record Never(String why) implements Until {}

  /** Longer forecasts than this (ten years) are {@link Never}. */
  Duration LONGEST = Duration.ofDays(3650);

  /**
   * @param seconds from now; zero and less means passed, infinity and not a number mean never
   * @param never why, if it is never
   */
  static Until ofSeconds(double seconds, String never) {
    if (seconds <= 0) {
      return new Passed();
    }
    return seconds < LONGEST.toSeconds()
        ? new In(Duration.ofNanos(Math.round(seconds * 1e9)))
        : new Never(never);
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
