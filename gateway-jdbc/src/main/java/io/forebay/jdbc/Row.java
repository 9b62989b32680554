/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of a query, for callers without a record of their own.
 *
 * @param columns the column labels, as the database reports them
 * @param values a value per column
 */
public record Row(List<String> columns, List<@Nullable Object> values) {

  /**
   * The value of a column, by its label without regard to case.
   *
   * @throws IllegalArgumentException if there is no such column
   */
  public @Nullable Object get(String column) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).equalsIgnoreCase(column)) {
        return values.get(i);
      }
    }
    throw new IllegalArgumentException("no column " + column + " (columns=" + columns + ")");
  }
}
