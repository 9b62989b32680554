/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.Dialect;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one column unchanged, as types that a message can carry. A value that Java
 * cannot represent is read as the text of the database.
 */
@FunctionalInterface
interface ColumnReader {

  ColumnReader TEXT = ResultSet::getString;
  ColumnReader LONG = ResultSet::getLong;
  ColumnReader DOUBLE = ResultSet::getDouble;
  ColumnReader BOOLEAN = ResultSet::getBoolean;
  ColumnReader BYTES = ResultSet::getBytes;
  ColumnReader ANY = ResultSet::getObject;

  /**
   * PostgreSQL's driver returns the extreme values of the type for {@code infinity} and for the
   * time 24:00.
   */
  ColumnReader DATE =
      (rows, column) ->
          finite(rows.getObject(column, LocalDate.class), LocalDate.MIN, LocalDate.MAX);

  ColumnReader TIME =
      (rows, column) -> {
        LocalTime time = rows.getObject(column, LocalTime.class);
        return LocalTime.MAX.equals(time) ? "24:00:00" : time;
      };

  ColumnReader TIMESTAMP =
      (rows, column) ->
          finite(rows.getObject(column, LocalDateTime.class), LocalDateTime.MIN, LocalDateTime.MAX);

  ColumnReader TIMESTAMP_WITH_ZONE =
      (rows, column) ->
          finite(
              rows.getObject(column, OffsetDateTime.class), OffsetDateTime.MIN, OffsetDateTime.MAX);

  /** The value in the current row; undefined if the column is null. */
  @Nullable Object read(ResultSet rows, int column) throws SQLException;

  /** The value in the current row, or null. */
  default @Nullable Object readNullable(ResultSet rows, int column) throws SQLException {
    Object value = read(rows, column);
    return value == null || rows.wasNull() ? null : value;
  }

  static ColumnReader[] of(ResultSet rows, Dialect dialect) throws SQLException {
    ResultSetMetaData meta = rows.getMetaData();
    ColumnReader[] readers = new ColumnReader[meta.getColumnCount()];
    for (int i = 0; i < readers.length; i++) {
      readers[i] =
          dialect == Dialect.POSTGRESQL
              ? PostgresColumns.reader(rows, meta, i + 1)
              : HsqldbColumns.reader(meta, i + 1);
    }
    return readers;
  }

  /** The elements of an array; the driver returns them as rows of index and value. */
  static List<@Nullable Object> elements(Array array, Dialect dialect) throws SQLException {
    try (ResultSet rows = array.getResultSet()) {
      ColumnReader reader = of(rows, dialect)[1];
      List<@Nullable Object> elements = new ArrayList<>();
      while (rows.next()) {
        elements.add(reader.readNullable(rows, 2));
      }
      return elements;
    }
  }

  private static @Nullable Object finite(@Nullable Object value, Object least, Object greatest) {
    return least.equals(value) ? "-infinity" : greatest.equals(value) ? "infinity" : value;
  }
}
