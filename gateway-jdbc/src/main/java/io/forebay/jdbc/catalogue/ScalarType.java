/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import static java.time.temporal.ChronoField.NANO_OF_SECOND;
import static java.time.temporal.ChronoField.YEAR;

import io.forebay.call.value.Json;
import io.forebay.text.WholeText;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.Temporal;
import java.time.temporal.ValueRange;
import java.util.Base64;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser.NumberType;
import tools.jackson.core.JsonToken;

/** The scalar types of parameters: how their JSON values are read and described. */
enum ScalarType {
  BOOLEAN(
      Boolean.class,
      "true or false",
      (token, in) -> token.isBoolean() ? in.parser().getBooleanValue() : null),
  LONG(
      Long.class,
      "a whole number from -2^63 to 2^63-1",
      (token, in) ->
          token == JsonToken.VALUE_NUMBER_INT
                  && in.parser().getNumberType() != NumberType.BIG_INTEGER
              ? in.parser().getLongValue()
              : null),
  DOUBLE(
      Double.class,
      "a number that a double can hold",
      (token, in) -> token.isNumeric() ? finite(in.parser().getString()) : null),
  DECIMAL(
      BigDecimal.class,
      "a number, or a string with one, of at most 1000 digits and an exponent up to 1000",
      (token, in) ->
          token.isNumeric() || token == JsonToken.VALUE_STRING
              ? decimal(in.parser().getString())
              : null),
  TEXT(String.class, WholeText.EXPECTED, string(text -> WholeText.is(text) ? text : null)),
  BYTES(byte[].class, "a string in Base64", string(Base64.getDecoder()::decode)),
  DATE(
      LocalDate.class,
      "a string such as 2026-03-01, of a year from 0001 to 9999",
      time(LocalDate::parse)),
  TIME(
      LocalTime.class,
      "a string such as 13:30:00.5, with at most 6 digits after the second",
      time(LocalTime::parse)),
  TIMESTAMP(
      LocalDateTime.class,
      "a string such as 2026-03-01T13:30:00.5, of a year from 0001 to 9999, with at most 6 digits after the second",
      time(LocalDateTime::parse)),
  TIMESTAMPTZ(
      OffsetDateTime.class,
      "a string such as 2026-03-01T13:30:00.5Z or 2026-03-01T13:30:00+01:00, of a year from 0001 to 9999 in UTC, with at most 6 digits after the second",
      time(OffsetDateTime::parse)),
  UUID(
      java.util.UUID.class,
      "a string such as 018f3c4e-7d2a-7b11-9c55-0a1b2c3d4e5f",
      string(ScalarType::uuid)),
  JSON(
      Json.class,
      "any JSON value whose strings contain neither U+0000 nor unpaired surrogates",
      (_, in) -> {
        String text = in.rawValue();
        return text == null ? null : new Json(text);
      });

  /** Reads the parser's current value. */
  private interface Reader {

    /**
     * Returns null if the value does not have the type, or throws an exception of the JDK's
     * parsers.
     */
    @Nullable Object read(JsonToken token, JsonInput in);
  }

  private static final int MAX_DECIMAL = 1_000;
  private static final int MAX_TIME = 40;
  private static final ValueRange YEARS = ValueRange.of(1, 9999);
  private static final Pattern DECIMAL_NUMBER =
      Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,4})?");
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private final Class<?> type;
  private final String expected;
  private final Reader reader;

  ScalarType(Class<?> type, String expected, Reader reader) {
    this.type = type;
    this.expected = expected;
    this.reader = reader;
  }

  private static @Nullable Double finite(String text) {
    double value = Double.parseDouble(text);
    return Double.isFinite(value) ? value : null;
  }

  private static @Nullable BigDecimal decimal(String text) {
    if (text.length() > MAX_DECIMAL || !DECIMAL_NUMBER.matcher(text).matches()) {
      return null;
    }
    BigDecimal value = new BigDecimal(text);
    return Math.abs(value.scale()) > MAX_DECIMAL ? null : value;
  }

  private static java.util.@Nullable UUID uuid(String text) {
    return UUID_TEXT.matcher(text).matches() ? java.util.UUID.fromString(text) : null;
  }

  private static Reader string(Function<String, @Nullable Object> parser) {
    return (token, in) ->
        token == JsonToken.VALUE_STRING ? parser.apply(in.parser().getString()) : null;
  }

  /** Reads what both databases store as it is, alone and in a list. */
  private static Reader time(Function<String, Temporal> parser) {
    return string(text -> {
      Temporal time = text.length() > MAX_TIME ? null : parser.apply(text);
      return time != null && isStored(time) ? time : null;
    });
  }

  private static boolean isStored(Temporal time) {
    Temporal stored =
        time instanceof OffsetDateTime at ? at.withOffsetSameInstant(ZoneOffset.UTC) : time;
    return (!stored.isSupported(YEAR) || YEARS.isValidIntValue(stored.get(YEAR)))
        && (!stored.isSupported(NANO_OF_SECOND) || stored.get(NANO_OF_SECOND) % 1_000 == 0);
  }

  /** Its name in the catalogue. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The expected value, in words. */
  String expected() {
    return expected;
  }

  /** Whether a value of this type can be a partition key. */
  boolean mayBeKey() {
    return this == LONG || this == TEXT || this == UUID;
  }

  /** Whether a value of a message has this type; null has none. */
  boolean takes(@Nullable Object value) {
    return type.isInstance(value)
        || value instanceof Long && this == DECIMAL
        || (value instanceof Long || value instanceof Float) && this == DOUBLE;
  }

  /** Returns the parser's current value as an argument of a statement; null if it is another. */
  @Nullable Object read(JsonInput in) {
    try {
      return reader.read(in.parser().currentToken(), in);
    } catch (IllegalArgumentException | DateTimeException _) {
      return null;
    }
  }
}
