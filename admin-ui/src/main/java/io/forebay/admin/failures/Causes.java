/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.Parameters;
import io.forebay.operations.failures.Failures;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Causes of failures as text: statement, tilde, what it failed on. A name of the catalogue has no
 * tilde.
 */
final class Causes {

  private static final String BETWEEN = "~";

  private Causes() {}

  static String text(Failures.Cause cause) {
    return Objects.requireNonNullElse(cause.statement(), "")
        + BETWEEN
        + Objects.requireNonNullElse(cause.on(), "");
  }

  /** Null, for all causes, if none is named. */
  static Failures.@Nullable Cause of(String name, @Nullable String text) {
    String known = Parameters.text(name, text);
    if (known == null) {
      return null;
    }
    String[] parts = known.split(BETWEEN, 2);
    return new Failures.Cause(part(parts, 0), part(parts, 1));
  }

  private static @Nullable String part(String[] parts, int index) {
    return index >= parts.length || parts[index].isEmpty() ? null : parts[index];
  }

  /** For a sentence, with a space before it; empty if nothing is known. */
  static String words(Failures.@Nullable Cause cause) {
    return cause == null || cause.equals(Failures.Cause.UNKNOWN)
        ? ""
        : Stream.of(cause.statement(), cause.on())
            .filter(Objects::nonNull)
            .collect(Collectors.joining("; ", " (", ")"));
  }
}
