/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import java.util.Locale;

/** The kind of a statement, by its result. */
public enum StatementKind {
  /** The number of changed rows. */
  UPDATE,
  /** Rows. */
  QUERY;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
