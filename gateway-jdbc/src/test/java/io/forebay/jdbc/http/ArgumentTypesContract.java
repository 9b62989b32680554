/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.catalogue.ParameterTypes;
import io.forebay.jdbc.http.RunningDoor.Answer;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Values of every parameter type reach the database unchanged: single ones, lists and null. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ArgumentTypesContract {

  /** JSON values of each type, such that a query returns them as they were sent. */
  private static final Map<String, List<String>> VALUES =
      Map.ofEntries(
          Map.entry("boolean", List.of("true", "false")),
          Map.entry("long", List.of("0", "-9223372036854775808", "9223372036854775807")),
          Map.entry("double", List.of("0.1", "-1.0E-300", "1.7976931348623157E308")),
          Map.entry("decimal", List.of("\"1.250\"", "\"-12345678901234567890123456789.123\"")),
          Map.entry("text", List.of("\"\"", "\"null\"", "\"a,{}'ü€😀 \\\\ \\\" \"")),
          Map.entry("bytes", List.of("\"\"", "\"AP8=\"")),
          Map.entry(
              "date",
              List.of("\"0001-01-01\"", "\"1500-03-01\"", "\"1582-10-04\"", "\"9999-12-31\"")),
          Map.entry("time", List.of("\"00:00:00\"", "\"13:30:00.000001\"", "\"23:59:59.999999\"")),
          Map.entry(
              "timestamp",
              List.of(
                  "\"0001-01-01T00:00:00.000001\"",
                  "\"1500-03-01T12:00:00\"",
                  "\"9999-12-31T23:59:59.999999\"")),
          Map.entry(
              "timestamptz",
              List.of(
                  "\"0001-01-01T00:00:00.000001Z\"",
                  "\"1500-03-01T12:00:00-01:30\"",
                  "\"9999-12-31T23:59:59.999999+14:00\"")),
          Map.entry("uuid", List.of("\"01234567-89ab-4def-8123-456789abcdef\"")),
          Map.entry("json", List.of("{\"a\":[1.50,\"ü}\\\"\",null]}", "\"null\"", "7")));

  private RunningDoor door;

  /** Returns the properties for connecting to the database. */
  abstract List<String> database();

  /** The type of a column that holds values of the parameter. */
  abstract String column(String type);

  /** The type of an array of such values. */
  abstract String array(String column);

  /** The JSON value that a query returns for a parameter of this value. */
  abstract String returned(String type, String value);

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    StringBuilder catalogue = new StringBuilder("statements:\n");
    for (String type : ParameterTypes.all()) {
      String column = column(type);
      catalogue
          .append(statement("single." + type, column, type))
          .append(statement("list." + type, array(column), "list of " + type));
    }
    RunningDoor.catalogue(directory.resolve("data"), catalogue.toString());
    door = RunningDoor.start(directory.resolve("data"), database());
    await()
        .untilAsserted(() ->
            assertThat(door.get("web", "/api/v1/statements").text())
                .doesNotContain("unchecked", "broken"));
  }

  private static String statement(String name, String column, String type) {
    return """
      - name: %s
        sql: values (cast(:v as %s))
        params: [{name: v, type: %s, nullable: true}]
    """
        .formatted(name, column, type);
  }

  @AfterAll
  void stop() {
    door.close();
  }

  static List<String> types() {
    return ParameterTypes.all();
  }

  @ParameterizedTest
  @MethodSource("types")
  void valuesArriveUnchanged(String type) {
    for (String value : VALUES.get(type)) {
      arrives("single." + type, value, returned(type, value));
    }
  }

  @ParameterizedTest
  @MethodSource("types")
  void listsArriveUnchanged(String type) {
    List<String> values = VALUES.get(type);
    arrives("list." + type, list(values.stream()), list(values(type)));
    arrives("list." + type, "[]", "[]");
  }

  private Stream<String> values(String type) {
    return VALUES.get(type).stream().map(value -> returned(type, value));
  }

  private static String list(Stream<String> values) {
    return "[" + String.join(",", values.toList()) + "]";
  }

  @ParameterizedTest
  @MethodSource("types")
  void nullArrives(String type) {
    arrives("single." + type, "null", "null");
    arrives("list." + type, "null", "null");
  }

  private void arrives(String statement, String value, String expected) {
    Answer answer =
        door.post("web", "/api/v1/statements/" + statement + "?wait=20s", "{\"v\":" + value + "}");
    JsonNode rows = answer.body().path("rows");
    assertThat(comparable(rows.path(0).path(0), statement))
        .as("%s of %s: %s", value, statement, answer.text())
        .isEqualTo(comparable(RunningDoor.JSON.readTree(expected), statement));
  }

  /** Databases may return a time with another offset. */
  private static String comparable(JsonNode value, String statement) {
    if (value.isArray() && statement.startsWith("list.")) {
      return list(value.valueStream().map(element -> comparable(element, statement)));
    }
    return statement.endsWith("timestamptz") && value.isString()
        ? OffsetDateTime.parse(value.asString()).toInstant().toString()
        : value.toString();
  }
}
