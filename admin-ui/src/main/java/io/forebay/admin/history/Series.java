/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.admin.Parameters;
import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.web.Problem;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A requested time range until now.
 *
 * @param points the most points, unless steps of a minute are more
 */
public record Series(Instant from, Instant to, int points) {

  private static final int MOST = 2_000;

  /**
   * @param from as in {@link #begin}
   * @throws Problem if it is not a time before now
   */
  public static Series of(@Nullable String from, int points, Instant now) {
    Instant begin = begin(from == null ? "-1h" : from, now);
    if (!begin.isBefore(now)) {
      throw Problem.invalid("from must be before now.");
    }
    if (points < 2 || points > MOST) {
      throw Problem.invalid("points must be from 2 to %d.".formatted(MOST));
    }
    return new Series(begin, now, points);
  }

  /**
   * The time that a text names.
   *
   * @param text an instant, or a time back from now such as -1h
   * @throws Problem if it is not a time
   */
  public static Instant begin(String text, Instant now) {
    try {
      return text.startsWith("-")
          ? now.minus(positive(Parameters.duration(text.substring(1))))
          : OffsetDateTime.parse(text).toInstant(); // seconds may be missing
    } catch (DateTimeException | ArithmeticException _) {
      throw Problem.invalid(
          "A time must be an instant such as 2026-01-31T09:00:00Z, or a duration before now such as -90s, -30m, -1h or -7d.");
    }
  }

  private static Duration positive(Duration duration) {
    if (duration.isNegative()) {
      throw new DateTimeException("negative");
    }
    return duration;
  }

  /** Reads past values of one measure. */
  @FunctionalInterface
  public interface History {
    Points read(Measure measure, Instant from, Instant to, Duration step);
  }

  /**
   * Past values by name of the measure; null for a gap.
   *
   * @param step in seconds
   */
  public record Past(Instant first, long step, Map<String, List<@Nullable Double>> series) {}

  public Past read(List<Measure> measures, History history) {
    Map<String, List<@Nullable Double>> series = new LinkedHashMap<>();
    Instant first = from;
    long step = step().toSeconds();
    for (Measure measure : measures) {
      Points read = history.read(measure, from, to, step());
      first = read.size() == 0 ? first : read.first();
      step = read.step().toSeconds();
      series.put(measure.name().toLowerCase(Locale.ROOT), read.all());
    }
    return new Past(first, step, series);
  }

  public Duration step() {
    return Duration.ofSeconds(Math.max(1, Duration.between(from, to).toSeconds() / points));
  }
}
