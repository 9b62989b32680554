/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.Refused;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Where a message that was not performed is listed. */
public enum Kind {
  /** It failed. */
  FAILED("failed"),
  /** Its service gave it up. */
  DEAD("dead-letter");

  private final String audited;

  Kind(String audited) {
    this.audited = audited;
  }

  /** The name of such a message in the audit. */
  String audited() {
    return audited;
  }

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * @throws Refused if there is no such kind
   */
  static Kind of(@Nullable String text) {
    return Arrays.stream(values())
        .filter(kind -> kind.text().equals(text))
        .findFirst()
        .orElseThrow(() -> Refused.invalid("kind must be failed or dead."));
  }

  /** The named kind, or all if none is named. */
  static List<Kind> named(@Nullable String text) {
    return text == null || text.isBlank() ? List.of(values()) : List.of(of(text));
  }
}
