/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.call.value.Json;
import io.forebay.database.Dialect;
import io.forebay.jdbc.statement.DatabaseSession;
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
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Binds decoded arguments as JDBC parameters, so that the database stores them unchanged or fails.
 *
 * <p>HSQLDB's driver counts days before 1582 by another calendar, and cuts fractions of the values
 * in arrays. So times and the values of lists are bound as text, which HSQLDB reads by the type
 * that the statement needs there.
 */
final class Arguments {

  private static final int MICROSECOND = 1_000;

  private static final DateTimeFormatter TIMESTAMP =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendLiteral(' ')
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .toFormatter(Locale.ROOT);

  private static final DateTimeFormatter TIMESTAMP_WITH_ZONE =
      new DateTimeFormatterBuilder()
          .append(TIMESTAMP)
          .appendOffset("+HH:MM:ss", "+00:00")
          .toFormatter(Locale.ROOT);

  private Arguments() {}

  /** Sets all parameters of a statement. */
  static void bind(PreparedStatement statement, @Nullable Object[] args, DatabaseSession session)
      throws SQLException {
    for (int i = 0; i < args.length; i++) {
      bind(statement, i + 1, args[i], session);
    }
  }

  private static void bind(
      PreparedStatement statement, int index, @Nullable Object value, DatabaseSession session)
      throws SQLException {
    Connection connection = session.connection();
    boolean postgresql = session.dialect() == Dialect.POSTGRESQL;
    switch (value) {
      case null -> statement.setNull(index, Types.NULL);
      case Long l -> statement.setLong(index, l);
      case String s -> statement.setString(index, s);
      case Double d -> statement.setDouble(index, d);
      case Float f -> statement.setFloat(index, f);
      case Boolean b -> statement.setBoolean(index, b);
      case BigDecimal d -> statement.setBigDecimal(index, d);
      case byte[] b -> statement.setBytes(index, b);
      case Json j when postgresql -> statement.setObject(index, j.text(), Types.OTHER);
      case Json j -> statement.setString(index, j.text());
      case Temporal t when postgresql -> statement.setObject(index, cut(t));
      case Temporal t -> statement.setString(index, text(t));
      case List<?> l when postgresql -> bindList(statement, index, l, connection);
      case List<?> l -> statement.setArray(index, connection.createArrayOf("varchar", texts(l)));
      default -> statement.setObject(index, value);
    }
  }

  private static void bindList(
      PreparedStatement statement, int index, List<?> list, Connection connection)
      throws SQLException {
    Object first = list.stream().filter(Objects::nonNull).findFirst().orElse(null);
    if (first == null || first instanceof Json) { // the server infers the type
      Array array = connection.createArrayOf("text", texts(list));
      statement.setObject(index, array.toString(), Types.OTHER);
      return;
    }
    @Nullable Object[] values =
        first instanceof byte[]
            ? list.toArray(new byte[0][])
            : list.stream().map(it -> it instanceof Temporal time ? cut(time) : it).toArray();
    statement.setArray(index, connection.createArrayOf(elementType(first), values));
  }

  /** The type of PostgreSQL for the values of an array. */
  private static String elementType(Object value) throws SQLException {
    return switch (value) {
      case Long _ -> "bigint";
      case String _ -> "text";
      case Double _ -> "float8";
      case Float _ -> "float4";
      case Boolean _ -> "boolean";
      case BigDecimal _ -> "numeric";
      case byte[] _ -> "bytea";
      case UUID _ -> "uuid";
      case LocalDate _ -> "date";
      case LocalTime _ -> "time";
      case LocalDateTime _ -> "timestamp";
      case OffsetDateTime _ -> "timestamptz";
      default -> throw noElement(value);
    };
  }

  /** The values as texts that the database reads. */
  private static @Nullable Object[] texts(List<?> list) throws SQLException {
    @Nullable Object[] texts = new Object[list.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = text(list.get(i));
    }
    return texts;
  }

  private static @Nullable String text(@Nullable Object value) throws SQLException {
    return switch (value) {
      case null -> null;
      case byte[] b -> HexFormat.of().formatHex(b);
      case Json j -> j.text();
      case LocalTime t -> DateTimeFormatter.ISO_LOCAL_TIME.format(cut(t));
      case LocalDateTime t -> TIMESTAMP.format(cut(t));
      case OffsetDateTime t -> TIMESTAMP_WITH_ZONE.format(cut(t));
      case Long _, String _, Double _, Float _, Boolean _, BigDecimal _, UUID _, LocalDate _ ->
          value.toString();
      default -> throw noElement(value);
    };
  }

  private static SQLException noElement(Object value) {
    return new SQLFeatureNotSupportedException(
        "a list of " + value.getClass().getSimpleName() + " cannot be an array", "0A000");
  }

  /** The time to the microsecond: databases would round what is behind, perhaps to the next day. */
  private static Temporal cut(Temporal time) {
    if (!time.isSupported(ChronoField.NANO_OF_SECOND)) {
      return time;
    }
    int nanos = time.get(ChronoField.NANO_OF_SECOND);
    return time.with(ChronoField.NANO_OF_SECOND, nanos - nanos % MICROSECOND);
  }
}
