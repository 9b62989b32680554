/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import io.forebay.call.Json;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads a JDBC result into values that a message can carry. */
final class ResultReader {

  private ResultReader() {}

  /**
   * @throws ResultTooLarge if it breaks a limit
   * @throws SQLException if the columns do not fit the record that was asked for
   */
  static Outcome.Result read(ResultSet resultSet, @Nullable Class<?> type, Limits limits)
      throws SQLException {
    ResultSetMetaData meta = resultSet.getMetaData();
    List<String> columns = new ArrayList<>();
    for (int i = 1; i <= meta.getColumnCount(); i++) {
      columns.add(meta.getColumnLabel(i));
    }
    mustFit(type, columns);
    List<List<@Nullable Object>> values = new ArrayList<>();
    long bytes = 0;
    while (resultSet.next()) {
      if (values.size() == limits.maxRows()) {
        throw new ResultTooLarge(
            "the result has more rows than allowed (limit=%,d); the query was undone"
                .formatted(limits.maxRows()));
      }
      @Nullable Object[] row = new Object[columns.size()];
      for (int i = 0; i < row.length; i++) {
        row[i] = value(resultSet, i + 1, meta);
        bytes += size(row[i]);
      }
      if (bytes > limits.maxResultBytes()) {
        throw tooLarge(bytes, limits);
      }
      values.add(Collections.unmodifiableList(Arrays.asList(row)));
    }
    Rows rows = new Rows(columns, values);
    byte[] encoded = OutcomeCodec.encodeRows(rows);
    if (encoded.length > limits.maxResultBytes()) {
      throw tooLarge(encoded.length, limits);
    }
    return new Outcome.Result(rows, encoded);
  }

  private static ResultTooLarge tooLarge(long bytes, Limits limits) {
    return new ResultTooLarge(
        "the result has %,d bytes or more, more than allowed (limit=%,d); the query was undone"
            .formatted(bytes, limits.maxResultBytes()));
  }

  /** At least how many bytes the value takes in a message. */
  private static long size(@Nullable Object value) {
    return switch (value) {
      case String s -> s.length();
      case byte[] b -> b.length;
      case Json j -> j.text().length();
      case List<?> l -> l.stream().mapToLong(ResultReader::size).sum();
      case null, default -> 1;
    };
  }

  private static void mustFit(@Nullable Class<?> type, List<String> columns) throws SQLException {
    if (type == null || type == Row.class || !type.isRecord()) {
      return;
    }
    try {
      RecordMapping.of(type.asSubclass(Record.class), columns);
    } catch (IllegalArgumentException e) {
      throw new SQLException(e.getMessage(), "42703", e);
    }
  }

  private static @Nullable Object value(ResultSet resultSet, int column, ResultSetMetaData meta)
      throws SQLException {
    Object value =
        switch (meta.getColumnType(column)) {
          case Types.DATE -> resultSet.getObject(column, LocalDate.class);
          case Types.TIME -> resultSet.getObject(column, LocalTime.class);
          case Types.TIMESTAMP ->
              meta.getColumnTypeName(column).equals("timestamptz")
                  ? resultSet.getObject(column, OffsetDateTime.class)
                  : resultSet.getObject(column, LocalDateTime.class);
          case Types.TIMESTAMP_WITH_TIMEZONE -> resultSet.getObject(column, OffsetDateTime.class);
          default -> resultSet.getObject(column);
        };
    return value == null || resultSet.wasNull() ? null : plain(value, meta, column);
  }

  private static @Nullable Object plain(Object value, ResultSetMetaData meta, int column)
      throws SQLException {
    return switch (value) {
      case Integer i -> (long) i;
      case Short s -> (long) s;
      case Byte b -> (long) b;
      case Clob c -> c.getSubString(1, Math.toIntExact(c.length()));
      case Blob b -> b.getBytes(1, Math.toIntExact(b.length()));
      case Array a -> list((Object[]) a.getArray(), meta, column);
      case Object[] a -> list(a, meta, column);
      case java.sql.Date d -> d.toLocalDate();
      case java.sql.Time t -> t.toLocalTime();
      case java.sql.Timestamp t -> t.toLocalDateTime();
      case Long _, String _, Double _, Float _, Boolean _ -> value;
      case java.math.BigDecimal _, byte[] _, UUID _ -> value;
      case LocalDate _, LocalTime _, LocalDateTime _, OffsetDateTime _ -> value;
      default ->
          meta.getColumnTypeName(column).startsWith("json")
              ? new Json(value.toString())
              : value.toString();
    };
  }

  private static List<@Nullable Object> list(Object[] values, ResultSetMetaData meta, int column)
      throws SQLException {
    List<@Nullable Object> list = new ArrayList<>(values.length);
    for (Object value : values) {
      list.add(value == null ? null : plain(value, meta, column));
    }
    return list;
  }
}
