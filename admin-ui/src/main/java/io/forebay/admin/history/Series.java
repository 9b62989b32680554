/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.web.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
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
   * @throws Problem if one of them is not a time
   */
  public static Series of(@Nullable String from, @Nullable String to, int points, Instant now) {
    Instant end = to == null || to.equals("now") ? now : instant(to);
    Instant begin = begin(from == null ? "-1h" : from, end);
    if (!begin.isBefore(end)) {
      throw Problem.invalid("from must be before to.");
    }
    if (points < 2 || points > MOST) {
      throw Problem.invalid("points must be from 2 to %d.".formatted(MOST));
    }
    return new Series(begin, end, points);
  }

  /**
   * The time that a text names.
   *
   * @param text an instant, or a time back from {@code end} such as -1h
   * @throws Problem if it is not a time
   */
  public static Instant begin(String text, Instant end) {
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
      return OffsetDateTime.parse(text).toInstant(); // seconds may be missing
    } catch (DateTimeParseException _) {
      throw Problem.invalid(
          "A time must be an instant such as 2026-01-31T09:00:00Z, or a duration before now such as -90s, -30m, -1h or -7d.");
    }
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
      Points read = history.read(measure, from, to, step()).thinned(measure, points);
      first = read.size() == 0 ? first : read.first();
      step = read.step().toSeconds();
      series.put(measure.name().toLowerCase(Locale.ROOT), values(read));
    }
    return new Past(first, step, series);
  }

  /** The values, with null for a gap. */
  public static List<@Nullable Double> values(Points points) {
    List<@Nullable Double> values = new ArrayList<>(points.size());
    for (int i = 0; i < points.size(); i++) {
      OptionalDouble value = points.value(i);
      values.add(value.isPresent() ? value.getAsDouble() : null);
    }
    return values;
  }

  public Duration step() {
    return Duration.ofSeconds(Math.max(1, Duration.between(from, to).toSeconds() / points));
  }
}
