/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.operations.failures.Failure;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The last failure of a page; the next page begins after it. */
public record FailureCursor(Instant at, Place place) {

  public static FailureCursor of(Failure failure) {
    return new FailureCursor(failure.at(), Place.of(failure.id()));
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
            Instant.EPOCH.plus(micros, ChronoUnit.MICROS), Place.of(text.substring(end + 1)));
      } catch (IllegalArgumentException | ArithmeticException | java.time.DateTimeException _) {
        // refused below
      }
    }
    throw new IllegalArgumentException(
        "not a valid cursor; use the one returned with the previous page");
  }

  public String text() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at) + "~" + place.id();
  }
}
