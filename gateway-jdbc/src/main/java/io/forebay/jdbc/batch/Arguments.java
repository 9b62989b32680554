/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.call.value.Json;
import io.forebay.database.Dialect;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Decoded arguments as JDBC parameters. */
final class Arguments {

  private Arguments() {}

  static void bind(
      PreparedStatement statement,
      int index,
      @Nullable Object value,
      Connection connection,
      Dialect dialect)
      throws SQLException {
    switch (value) {
      case null -> statement.setNull(index, Types.NULL);
      case Long l -> statement.setLong(index, l);
      case String s -> statement.setString(index, s);
      case Double d -> statement.setDouble(index, d);
      case Float f -> statement.setFloat(index, f);
      case Boolean b -> statement.setBoolean(index, b);
      case BigDecimal d -> statement.setBigDecimal(index, d);
      case byte[] b -> statement.setBytes(index, b);
      case Json j when dialect == Dialect.POSTGRESQL ->
          statement.setObject(index, j.text(), Types.OTHER);
      case Json j -> statement.setString(index, j.text());
      case List<?> l when l.isEmpty() && dialect == Dialect.POSTGRESQL ->
          statement.setObject(index, "{}", Types.OTHER); // the server infers the type
      case List<?> l -> {
        Array array = connection.createArrayOf(elementType(l, dialect), l.toArray());
        statement.setArray(index, array);
      }
      default -> statement.setObject(index, value);
    }
  }

  /** The SQL type of an array's elements, from the first that is not null. */
  private static String elementType(List<?> list, Dialect dialect) throws SQLException {
    boolean postgresql = dialect == Dialect.POSTGRESQL;
    Object first =
        list.stream().filter(Objects::nonNull).map(Object.class::cast).findFirst().orElse("");
    return switch (first) {
      case Long _ -> "bigint";
      case String _ -> postgresql ? "text" : "varchar";
      case Double _ -> postgresql ? "float8" : "double";
      case Float _ -> postgresql ? "float4" : "double";
      case Boolean _ -> "boolean";
      case BigDecimal _ -> "numeric";
      case UUID _ -> "uuid";
      case LocalDate _ -> "date";
      case LocalTime _ -> "time";
      case LocalDateTime _ -> "timestamp";
      case OffsetDateTime _ -> postgresql ? "timestamptz" : "timestamp with time zone";
      default ->
          throw new SQLFeatureNotSupportedException(
              "a list of " + first.getClass().getSimpleName() + " cannot be an array", "0A000");
    };
  }
}
