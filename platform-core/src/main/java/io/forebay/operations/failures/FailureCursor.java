/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;

/** The last failure of a page; the next page begins after it. */
public record FailureCursor(Instant at, FailureId id) {

  private static final Comparator<FailureCursor> LATEST_FIRST =
      Comparator.comparing(FailureCursor::at)
          .thenComparing(cursor -> cursor.id().queueId())
          .thenComparing(cursor -> cursor.id().partition())
          .thenComparing(cursor -> cursor.id().position())
          .reversed();

  public static FailureCursor of(Failure failure) {
    return new FailureCursor(failure.at(), FailureId.of(failure.id()));
  }

  /**
   * @throws IllegalArgumentException if {@link #text} did not create the text
   */
  public static FailureCursor of(String text) {
    int end = text.indexOf('~');
    if (end > 0) {
      try {
        long micros = Long.parseLong(text.substring(0, end));
        return new FailureCursor(
            Instant.EPOCH.plus(micros, ChronoUnit.MICROS), FailureId.of(text.substring(end + 1)));
      } catch (IllegalArgumentException | ArithmeticException | java.time.DateTimeException _) {
        // refused below
      }
    }
    throw new IllegalArgumentException(
        "not a valid cursor; use the one returned with the previous page");
  }

  /** Comes before the first failure of a time, and of all earlier ones. */
  public static FailureCursor before(Instant time) {
    return new FailureCursor(time, new FailureId("", 0, 0, ""));
  }

  /** Whether a failure comes on a page after this one: it is older. */
  public static boolean isAfter(Failure failure, FailureCursor cursor) {
    return LATEST_FIRST.compare(of(failure), cursor) > 0;
  }

  /** Makes a page of failures in any order; it is the last one if they are not more than fit. */
  static Failures.Page page(List<Failure> found, int limit) {
    List<Failure> sorted =
        found.stream().sorted(Comparator.comparing(FailureCursor::of, LATEST_FIRST)).toList();
    List<Failure> page = sorted.subList(0, Math.min(limit, sorted.size()));
    return new Failures.Page(page, page.size() == sorted.size() ? null : of(page.getLast()).text());
  }

  public String text() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at) + "~" + id.text();
  }
}
