/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.Refused;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A requested time range.
 *
 * @param points the most points
 */
public record Series(Instant from, Instant to, int points) {

  private static final Pattern BACK = Pattern.compile("-(\\d{1,6})([smhd])");
  private static final int MOST = 2_000;

  /**
   * @param from an instant, or a time back from {@code to} such as -1h, -30m or -7d
   * @param to an instant, or now
   * @throws Refused if one of them is not a time
   */
  public static Series of(@Nullable String from, @Nullable String to, int points, Instant now) {
    Instant end = to == null || to.equals("now") ? now : instant(to);
    Instant begin = begin(from == null ? "-1h" : from, end);
    if (!begin.isBefore(end)) {
      throw Refused.invalid("from must be before to.");
    }
    if (points < 2 || points > MOST) {
      throw Refused.invalid("points must be from 2 to %d.".formatted(MOST));
    }
    return new Series(begin, end, points);
  }

  private static Instant begin(String text, Instant end) {
    Matcher back = BACK.matcher(text);
    if (!back.matches()) {
      return instant(text);
    }
    long count = Long.parseLong(back.group(1));
    return end.minus(
        switch (back.group(2)) {
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          case "h" -> Duration.ofHours(count);
          default -> Duration.ofDays(count);
        });
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException _) {
      throw Refused.invalid("A time is an instant such as 2026-01-31T09:00:00Z, now, or -1h.");
    }
  }

  public Duration step() {
    return Duration.ofSeconds(Math.max(1, Duration.between(from, to).toSeconds() / points));
  }
}
