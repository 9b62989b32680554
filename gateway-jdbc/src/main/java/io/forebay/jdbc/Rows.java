/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a query.
 *
 * @param columns the column labels, as the database reports them
 * @param values the rows in order, each with a value per column
 */
public record Rows(List<String> columns, List<List<@Nullable Object>> values) {

  public int size() {
    return values.size();
  }

  /** One row, by its number from 0. */
  public Row row(int index) {
    return new Row(columns, values.get(index));
  }

  /**
   * The rows as records: each component takes the column of its name, without regard to case and
   * underscores.
   *
   * @throws IllegalArgumentException if a component has no column, or a value does not fit its type
   */
  public <R extends Record> List<R> as(Class<R> type) {
    RecordMapping<R> mapping = RecordMapping.of(type, columns);
    return values.stream().map(mapping::map).toList();
  }
}
