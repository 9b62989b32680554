/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.call.value.Json;
import io.forebay.database.Dialect;
import io.forebay.jdbc.RecordMapping;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.ResultTooLarge;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a JDBC result into values that a message can carry. */
final class ResultReader {

  /** The most rows of a result, and its most bytes as the ledger stores it. */
  static final int MAX_ROWS = 10_000;

  private static final int MAX_BYTES = 512 << 10;

  /** The first and the largest fetch size, in rows. */
  static final int FIRST_ROWS = 32;

  private static final int MOST_ROWS = 1_000;

  private ResultReader() {}

  /**
   * @param room how many bytes the answer to the message has left
   * @throws ResultTooLarge if it exceeds a limit
   * @throws SQLException if the columns do not fit the requested record
   */
  static Outcome.Result read(
      ResultSet resultSet, @Nullable Class<?> type, long room, Dialect dialect)
      throws SQLException {
    List<String> columns = columns(resultSet);
    mustFit(type, columns);
    ColumnReader[] readers = ColumnReader.of(resultSet, dialect);
    List<List<@Nullable Object>> values = new ArrayList<>();
    long most = Math.min(MAX_BYTES, room);
    long bytes = 0;
    int fetched = FIRST_ROWS;
    while (resultSet.next()) {
      if (values.size() == MAX_ROWS) {
        throw new ResultTooLarge(
            "the result has too many rows (limit=%,d); the query was rolled back"
                .formatted(MAX_ROWS));
      }
      @Nullable Object[] row = new Object[columns.size()];
      for (int i = 0; i < row.length; i++) {
        row[i] = readers[i].readNullable(resultSet, i + 1);
        bytes += size(row[i]);
      }
      if (bytes > most) {
        throw tooLarge(bytes);
      }
      values.add(Collections.unmodifiableList(Arrays.asList(row)));
      if (values.size() == fetched) {
        int rows = nextRows(values.size(), bytes, most);
        resultSet.setFetchSize(rows);
        fetched += rows;
      }
    }
    byte[] encoded = OutcomeCodec.encodeRows(new Rows(columns, values));
    if (encoded.length > most) {
      throw tooLarge(encoded.length);
    }
    return new Outcome.Result(encoded);
  }

  /** The names of the columns, in their order. */
  private static List<String> columns(ResultSet rows) throws SQLException {
    ResultSetMetaData meta = rows.getMetaData();
    List<String> columns = new ArrayList<>();
    for (int i = 1; i <= meta.getColumnCount(); i++) {
      columns.add(meta.getColumnLabel(i));
    }
    return columns;
  }

  /** The number of rows expected to fill the rest of the limit. */
  private static int nextRows(int rows, long bytes, long most) {
    return Math.clamp((most - bytes) * rows / Math.max(1, bytes) + 1, 1, MOST_ROWS);
  }

  private static ResultTooLarge tooLarge(long bytes) {
    if (bytes <= MAX_BYTES) {
      return ResultTooLarge.ofMessage();
    }
    return new ResultTooLarge(
        "the result is too large (at least %,d bytes, limit=%,d); the query was rolled back"
            .formatted(bytes, MAX_BYTES));
  }

  /** A lower bound of the bytes that the value takes in a message. */
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
}
