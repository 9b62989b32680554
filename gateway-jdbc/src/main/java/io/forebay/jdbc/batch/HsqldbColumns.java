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
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;
import java.time.OffsetTime;
import java.time.format.DateTimeFormatter;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How the columns of HSQLDB are read. */
final class HsqldbColumns {

  private HsqldbColumns() {}

  /**
   * @throws SQLFeatureNotSupportedException if a result cannot carry its values
   */
  static ColumnReader reader(ResultSetMetaData meta, int column) throws SQLException {
    String name = meta.getColumnTypeName(column);
    if (meta.getColumnType(column) == Types.ARRAY) {
      return HsqldbColumns::array;
    }
    if (name.equals("UUID")) {
      return (rows, c) -> rows.getObject(c, UUID.class);
    }
    if (name.startsWith("BIT") || name.startsWith("INTERVAL")) {
      return ColumnReader.TEXT;
    }
    return switch (meta.getColumnType(column)) {
      case Types.BOOLEAN -> ColumnReader.BOOLEAN;
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> ColumnReader.LONG;
      case Types.REAL, Types.FLOAT, Types.DOUBLE -> ColumnReader.DOUBLE;
      case Types.DECIMAL, Types.NUMERIC -> ResultSet::getBigDecimal;
      case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.CLOB -> ColumnReader.TEXT;
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> ColumnReader.BYTES;
      case Types.DATE -> ColumnReader.DATE;
      case Types.TIME -> ColumnReader.TIME;
      case Types.TIME_WITH_TIMEZONE -> HsqldbColumns::timeWithZone;
      case Types.TIMESTAMP -> ColumnReader.TIMESTAMP;
      case Types.TIMESTAMP_WITH_TIMEZONE -> ColumnReader.TIMESTAMP_WITH_ZONE;
      case Types.NULL -> ColumnReader.ANY;
      default ->
          throw new SQLFeatureNotSupportedException(
              "column %d has type %s, which a result cannot contain; the query was rolled back"
                  .formatted(column, name),
              "0A000");
    };
  }

  private static @Nullable Object timeWithZone(ResultSet rows, int column) throws SQLException {
    OffsetTime time = rows.getObject(column, OffsetTime.class);
    return time == null ? null : DateTimeFormatter.ISO_OFFSET_TIME.format(time);
  }

  private static @Nullable Object array(ResultSet rows, int column) throws SQLException {
    Array array = rows.getArray(column);
    return array == null ? null : ColumnReader.elements(array, Dialect.HSQLDB);
  }
}
