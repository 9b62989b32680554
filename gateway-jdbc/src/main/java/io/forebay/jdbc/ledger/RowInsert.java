/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.database.Dialect;
import io.forebay.jdbc.statement.DatabaseSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Inserts rows into a table. PostgreSQL receives an array per column: a third of the work of a JDBC
 * batch for client and server. Immutable.
 */
final class RowInsert {

  private final List<Column> columns;
  private final String arrays;
  private final String values;

  /** The type is {@code String}, {@code Long}, {@code UUID} or {@code byte[]}. */
  record Column(String name, Class<?> type) {

    String arrayType() {
      if (type == String.class) {
        return "varchar";
      }
      return type == Long.class ? "int8" : type == UUID.class ? "uuid" : "bytea";
    }
  }

  /**
   * @param common the columns that have the same value in all rows of a call
   * @param columns the other ones
   */
  RowInsert(String table, List<String> common, Column... columns) {
    this.columns = List.of(columns);
    String into =
        "insert into %s (%s%s) "
            .formatted(table, String.join(", ", common), joined(it -> ", " + it.name()));
    String parameters = String.join(", ", Collections.nCopies(common.size(), "?"));
    values = into + "values (%s%s)".formatted(parameters, ", ?".repeat(columns.length));
    arrays =
        into
            + "select %s, r.* from unnest(%s) as r"
                .formatted(parameters, joined(it -> ", ?::" + it.arrayType() + "[]").substring(2));
  }

  private String joined(Function<Column, String> of) {
    return columns.stream().map(of).collect(Collectors.joining());
  }

  /**
   * @param common the values of the common columns
   * @param rows the values of the other columns
   */
  void insert(DatabaseSession session, List<?> common, List<@Nullable Object[]> rows)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    if (session.dialect() == Dialect.POSTGRESQL) {
      List<Object> parameters = new ArrayList<>(common);
      for (int i = 0; i < columns.size(); i++) {
        Column column = columns.get(i);
        parameters.add(session.column(rows, i, column.type(), column.arrayType()));
      }
      session.update(arrays, parameters.toArray());
    } else {
      session.bind(values, common.toArray()); // for all rows
      session.batch(
          values,
          rows,
          (insert, row) -> {
            for (int column = 0; column < row.length; column++) {
              insert.setObject(common.size() + column + 1, row[column]);
            }
          });
    }
  }
}
