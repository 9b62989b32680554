/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.text.WholeText;
import io.forebay.web.Problem;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Texts of requests that are passed on. */
public final class Parameters {

  /** 30m or 8h, or 90s or 2d. */
  private static final Pattern SHORT = Pattern.compile("(\\d{1,7})([smhd])");

  private static final Duration LONGEST = Duration.ofDays(30);

  /** The last time that every database can store. */
  private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

  private Parameters() {}

  /**
   * @return null if it is not given, or blank
   * @throws Problem if a database cannot store this text, so that nothing can match it
   */
  public static @Nullable String text(String name, @Nullable String value) {
    if (value == null || value.isBlank()) {
      return null;
    }
    if (!WholeText.is(value)) {
      throw Problem.invalidField(name, "must be " + WholeText.EXPECTED);
    }
    return value.strip();
  }

  /** The same of a member of a body. */
  public static @Nullable Instant end(String field, @Nullable JsonNode given, Instant now) {
    return given == null || given.isNull()
        ? null
        : end(field, given.isString() ? given.stringValue() : "", now);
  }

  /**
   * The time at which something that is to be replaced began.
   *
   * @return null if it is not given
   * @throws Problem if it is no instant
   */
  public static @Nullable Instant instant(String field, @Nullable JsonNode given) {
    if (given == null || given.isNull()) {
      return null;
    }
    Instant began = null;
    try {
      began = Instant.parse(given.isString() ? given.stringValue() : "");
    } catch (DateTimeParseException _) {
      // refused below
    }
    if (began == null || began.isBefore(Instant.EPOCH) || began.isAfter(LAST)) {
      throw Problem.invalidField(
          field, "must be the time at which it began, such as 2026-03-01T13:30:00Z");
    }
    return began;
  }

  /** Whether an end is given as a duration from now, so that the same request ends later. */
  public static boolean isDuration(@Nullable JsonNode end) {
    return end != null && end.isString() && isDuration(end.stringValue());
  }

  private static boolean isDuration(String given) {
    return given.startsWith("P") || SHORT.matcher(given).matches();
  }

  /**
   * The time at which something ends: within 30 days from now.
   *
   * @param given an instant with its offset, or a duration from now such as 30m, 8h or PT8H
   * @return null if it is not given
   * @throws Problem if it is no time, has passed, or is more than 30 days away
   */
  public static @Nullable Instant end(String field, @Nullable String given, Instant now) {
    if (given == null) {
      return null;
    }
    Instant end;
    try {
      end = time(given, now);
    } catch (DateTimeException | ArithmeticException _) {
      throw Problem.invalidField(
          field,
          "must be a time such as 2026-03-01T08:00:00Z, or a duration from now such as 30m, 8h or PT8H");
    }
    if (!end.isAfter(now) || end.isAfter(now.plus(LONGEST))) {
      throw Problem.invalidField(
          field,
          "must be after now (%s) and at most %d days away"
              .formatted(now.truncatedTo(ChronoUnit.SECONDS), LONGEST.toDays()));
    }
    return end;
  }

  private static Instant time(String given, Instant now) {
    return isDuration(given) ? now.plus(duration(given)) : OffsetDateTime.parse(given).toInstant();
  }

  /**
   * @param text such as 90s, 30m, 8h, 2d or PT8H
   * @throws java.time.DateTimeException if it is no duration
   */
  public static Duration duration(String text) {
    Matcher matcher = SHORT.matcher(text);
    if (!matcher.matches()) {
      return Duration.parse(text);
    }
    String upper = text.toUpperCase(Locale.ROOT);
    return Duration.parse(upper.endsWith("D") ? "P" + upper : "PT" + upper);
  }
}
