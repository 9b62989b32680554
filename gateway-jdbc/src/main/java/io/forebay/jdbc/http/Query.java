/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Reads the parameters of a query string. */
final class Query {

  private static final Pattern DURATION = Pattern.compile("[0-9]{1,9}(ms|s|m|h)");
  private static final Duration LONGEST = Duration.ofDays(3_650);

  private Query() {}

  /**
   * @return null if the query has no such parameter
   * @throws Problem if the query contains the parameter twice
   */
  static @Nullable String parameter(HttpServletRequest request, String name) {
    if (request.getQueryString() == null) {
      return null;
    }
    String[] values = request.getParameterValues(name);
    if (values == null) {
      return null;
    }
    if (values.length > 1) {
      throw Problem.invalid(name + " appears twice in the query; nothing was done");
    }
    return values[0];
  }

  /**
   * Returns a time that is given as a duration from now on, such as {@code 30s}, or as an instant
   * of ISO 8601.
   *
   * @return null if the query has no such parameter
   * @throws Problem if it is neither, is over, or is more than 10 years away
   */
  static @Nullable Instant deadline(HttpServletRequest request, String name) {
    String text = parameter(request, name);
    if (text == null) {
      return null;
    }
    Instant now = Instant.now();
    Duration duration = duration(text);
    Instant deadline;
    try {
      deadline = duration == null ? OffsetDateTime.parse(text).toInstant() : now.plus(duration);
    } catch (DateTimeException _) {
      throw Problem.invalid(
          name
              + " must be a duration such as 500ms, 30s, 5m or 24h, or a time such as"
              + " 2026-03-01T13:30:00Z (percent-encoded); nothing was accepted");
    }
    if (!deadline.isAfter(now) || deadline.isAfter(now.plus(LONGEST))) {
      throw Problem.invalid(
              name
                  + (deadline.isAfter(now) ? " is more than 10 years away" : " is over")
                  + "; nothing was accepted")
          .with("now", now.toString());
    }
    return deadline;
  }

  /**
   * Reads a duration such as {@code 500ms} or {@code 5s}.
   *
   * @return null if it is none
   */
  static @Nullable Duration duration(String text) {
    return DURATION.matcher(text).matches() ? DurationStyle.SIMPLE.parse(text) : null;
  }

  /**
   * @param usual if the query has no such parameter
   * @throws Problem if it is not a whole number from {@code least} to {@code most}
   */
  static long number(HttpServletRequest request, String name, long least, long most, long usual) {
    String text = parameter(request, name);
    if (text == null) {
      return usual;
    }
    Long number = text.matches("[0-9]{1,18}") ? Long.valueOf(text) : null;
    if (number == null || number < least || number > most) {
      throw Problem.invalid(
          "%s must be a number from %d to %d; nothing was done".formatted(name, least, most));
    }
    return number;
  }
}
