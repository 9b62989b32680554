/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.call.value.Json;
import io.forebay.database.Dialect;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgResultSet;

/** How the columns of PostgreSQL are read. A type not listed here is read as text. */
final class PostgresColumns {

  private static final Pattern NO_MINUTES = Pattern.compile("[+-]\\d\\d$");

  private PostgresColumns() {}

  static ColumnReader reader(ResultSet rows, ResultSetMetaData meta, int column)
      throws SQLException {
    int type = rows.unwrap(PgResultSet.class).getColumnOID(column);
    return switch (type) {
      case Oid.BOOL -> ColumnReader.BOOLEAN;
      case Oid.INT2, Oid.INT4, Oid.INT8, Oid.OID -> ColumnReader.LONG;
      case Oid.FLOAT4 -> ResultSet::getFloat;
      case Oid.FLOAT8 -> ColumnReader.DOUBLE;
      case Oid.NUMERIC -> PostgresColumns::numeric;
      case Oid.BYTEA -> ColumnReader.BYTES;
      case Oid.UUID -> (r, c) -> r.getObject(c, UUID.class);
      case Oid.DATE -> ColumnReader.DATE;
      case Oid.TIME -> ColumnReader.TIME;
      case Oid.TIMETZ -> PostgresColumns::timeWithZone;
      case Oid.TIMESTAMP -> ColumnReader.TIMESTAMP;
      case Oid.TIMESTAMPTZ -> ColumnReader.TIMESTAMP_WITH_ZONE;
      case Oid.JSON, Oid.JSONB -> PostgresColumns::json;
      default ->
          meta.getColumnType(column) == Types.ARRAY ? PostgresColumns::array : ColumnReader.TEXT;
    };
  }

  /** {@code BigDecimal} has no NaN and no infinity. */
  private static @Nullable Object numeric(ResultSet rows, int column) throws SQLException {
    String text = rows.getString(column);
    return switch (text) {
      case null -> null;
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> rows.getBigDecimal(column);
    };
  }

  /** With the minutes of the offset, as ISO 8601 has it next to them. */
  private static @Nullable Object timeWithZone(ResultSet rows, int column) throws SQLException {
    String text = rows.getString(column);
    return text != null && NO_MINUTES.matcher(text).find() ? text + ":00" : text;
  }

  private static @Nullable Object json(ResultSet rows, int column) throws SQLException {
    String text = rows.getString(column);
    return text == null ? null : new Json(text);
  }

  /** A list has no bounds: an array whose first index is not 1 is read as text. */
  private static @Nullable Object array(ResultSet rows, int column) throws SQLException {
    String text = rows.getString(column);
    if (text == null || text.startsWith("[")) {
      return text;
    }
    return ColumnReader.elements(Objects.requireNonNull(rows.getArray(column)), Dialect.POSTGRESQL);
  }
}
