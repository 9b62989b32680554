/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kind of a statement, by its result. */
public enum StatementKind {
  /** The number of changed rows. */
  UPDATE,
  /** Rows. */
  QUERY;

  /** Returns the kind of this name in a catalogue; null if there is none. */
  public static @Nullable StatementKind of(String word) {
    return Arrays.stream(values()).filter(it -> it.word().equals(word)).findFirst().orElse(null);
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
