/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.http.ResultTypes.Value;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of every HSQLDB type are returned unchanged, or the statement fails. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HsqldbResultTypesTest {

  private static final UUID ID = UUID.fromString("01234567-89ab-4def-8123-456789abcdef");

  private EmbeddedDatabase database;
  private ResultTypes types;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    database = EmbeddedDatabase.open(directory.resolve("database"));
    types = new ResultTypes(database.gateway(), database.owner());
  }

  @AfterAll
  void stop() throws Exception {
    types.close();
    database.close();
  }

  private static Value cast(String type, String literal, Object java, String json) {
    return new Value(type, "cast(" + literal + " as " + type + ")", java, json);
  }

  private static Value text(String type, String literal, String text) {
    return Value.text(type, "cast(" + literal + " as " + type + ")", text);
  }

  static List<Value> values() {
    return List.of(
        cast("boolean", "true", true, "true"),
        cast("tinyint", "-128", -128L, "-128"),
        cast("smallint", "7", 7L, "7"),
        cast("integer", "7", 7L, "7"),
        cast("bigint", "9223372036854775807", Long.MAX_VALUE, "9223372036854775807"),
        cast("real", "0.1", 0.1, "0.1"),
        cast("float", "0.1", 0.1, "0.1"),
        cast("double", "1e-300", 1e-300, "1.0E-300"),
        cast(
            "numeric(40,3)",
            "1234567890123456789012345678901234567.9",
            new BigDecimal("1234567890123456789012345678901234567.900"),
            "\"1234567890123456789012345678901234567.900\""),
        cast("decimal(10,2)", "1.5", new BigDecimal("1.50"), "\"1.50\""),
        text("character(3)", "'a'", "a  "),
        text("varchar(20)", "'ü€😀'", "ü€😀"),
        text("longvarchar", "'a'", "a"),
        text("varchar_ignorecase(20)", "'Aa'", "Aa"),
        text("nvarchar(20)", "'a'", "a"),
        text("clob", "'long'", "long"),
        text("bit", "B'1'", "1"),
        text("bit(3)", "B'101'", "101"),
        text("bit varying(5)", "B'0101'", "0101"),
        cast("binary(2)", "X'00ff'", new byte[] {0, -1}, "\"AP8=\""),
        cast("varbinary(5)", "X'00ff'", new byte[] {0, -1}, "\"AP8=\""),
        cast("longvarbinary", "X'00ff'", new byte[] {0, -1}, "\"AP8=\""),
        cast("blob", "X'00ff'", new byte[] {0, -1}, "\"AP8=\""),
        cast("uuid", "'" + ID + "'", ID, "\"" + ID + "\""),
        cast("date", "'0001-01-01'", LocalDate.of(1, 1, 1), "\"0001-01-01\""),
        cast("date", "'9999-12-31'", LocalDate.of(9999, 12, 31), "\"9999-12-31\""),
        cast("time", "'13:30:00'", LocalTime.of(13, 30), "\"13:30:00\""),
        cast(
            "time(9)",
            "'23:59:59.123456789'",
            LocalTime.of(23, 59, 59, 123_456_789),
            "\"23:59:59.123456789\""),
        text("time(3) with time zone", "'13:30:00.500+1:00'", "13:30:00.5+01:00"),
        cast(
            "timestamp(9)",
            "'2026-03-01 13:30:00.123456789'",
            LocalDateTime.of(2026, 3, 1, 13, 30, 0, 123_456_789),
            "\"2026-03-01T13:30:00.123456789\""),
        cast(
            "timestamp",
            "'0001-01-01 00:00:00'",
            LocalDateTime.of(1, 1, 1, 0, 0),
            "\"0001-01-01T00:00:00\""),
        cast(
            "timestamp with time zone",
            "'2026-03-01 13:30:00+1:00'",
            OffsetDateTime.of(2026, 3, 1, 13, 30, 0, 0, ZoneOffset.ofHours(1)),
            "\"2026-03-01T13:30:00+01:00\""),
        Value.text("interval", "interval '5' year", "5"),
        Value.text("interval", "interval '1-2' year to month", "1-02"),
        Value.text("interval", "interval '3' month", "3"),
        Value.text("interval", "interval '4' day", "4"),
        Value.text("interval", "interval '-4 05' day to hour", "-4 05"),
        Value.text("interval", "interval '4 05:06' day to minute", "4 05:06"),
        Value.text("interval", "interval '4 05:06:07.5' day to second(3)", "4 05:06:07.5"),
        Value.text("interval", "interval '7' hour", "7"),
        Value.text("interval", "interval '7:08' hour to minute", "7:08"),
        Value.text("interval", "interval '7:08:09' hour to second(0)", "7:08:09"),
        Value.text("interval", "interval '8' minute", "8"),
        Value.text("interval", "interval '8:09' minute to second(0)", "8:09"),
        Value.text("interval", "interval '9.25' second(2,2)", "9.25"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void aValueIsReturnedUnchanged(Value value) throws Exception {
    types.check(value, "values (" + value.sql() + ")");
    types.check(
        new Value(value.type(), "", null, "null"),
        "values (case when rand() < 0 then " + value.sql() + " end)");
  }

  @ParameterizedTest
  @MethodSource("values")
  void anArrayContainsTheSameValuesAsSingleColumns(Value value) throws Exception {
    if (value.type().matches("[cb]lob|longvar.*")) {
      return; // HSQLDB has no arrays of these
    }
    types.check(
        new Value(
            value.type(),
            value.sql(),
            Arrays.asList(value.java(), null),
            "[" + value.json() + ",null]"),
        "values (array[" + value.sql() + ", null])");
  }

  @Test
  void aQueryThatReturnsAJavaObjectFails() throws Exception {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table objects (o other)");
      try (PreparedStatement insert =
          connection.prepareStatement("insert into objects values (?)")) {
        insert.setObject(1, new ArrayList<>(List.of("a")));
        insert.execute();
      }
    }
    database.grantAll("objects");
    assertThat(types.client().executeQuery("select o from objects", Row.class))
        .failsWithin(Duration.ofSeconds(120))
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            SqlFailed.class,
            failed -> {
              assertThat(failed.failure().sqlState()).isEqualTo("0A000");
              assertThat(failed.failure().message())
                  .contains("OTHER", "which a result cannot contain");
            });
  }

  @Test
  void everyTypeOfHsqldbIsTested() throws Exception {
    Set<String> known =
        values().stream()
            .map(value -> value.type().replaceAll("\\(.*?\\)", "").toUpperCase(Locale.ROOT))
            .collect(Collectors.toCollection(TreeSet::new));
    known.addAll(Set.of("ARRAY", "OTHER"));
    List<String> all = new ArrayList<>();
    try (Connection connection = database.owner().getConnection();
        ResultSet rows = connection.getMetaData().getTypeInfo()) {
      while (rows.next()) {
        all.add(rows.getString("TYPE_NAME").replaceAll("^INTERVAL.*", "INTERVAL"));
      }
    }
    assertThat(all).hasSizeGreaterThan(20);
    assertThat(new TreeSet<>(all)).isSubsetOf(known);
    String documented = ResultTypes.documented();
    assertThat(all)
        .allSatisfy(type -> assertThat(documented).containsIgnoringCase("`" + type + "`"));
  }
}
