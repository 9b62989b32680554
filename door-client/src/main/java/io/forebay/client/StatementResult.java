/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What became of a statement.
 *
 * @param id of the statement
 * @param counts the rows that each update changed; empty for a query
 * @param columns the names of the columns of a query; empty for an update
 * @param rows the rows of a query, with values as in JSON: {@code Boolean}, {@code Integer}, {@code
 *     Long}, {@code BigInteger}, {@code Double}, {@code String}, {@code List}, {@code Map}, or
 *     null; decimals, dates and bytes are strings
 * @param error why the statement failed; null unless it did
 * @param location the address of the result, without the host, for {@link DoorClient#result(String,
 *     java.time.Duration)}
 */
public record StatementResult(
    String id,
    State state,
    List<Long> counts,
    List<String> columns,
    List<List<@Nullable Object>> rows,
    @Nullable Failure error,
    String location) {

  /** Whether the statement was performed. */
  public enum State {
    /** It was accepted, and is not performed yet. */
    PENDING,
    /** It took effect. */
    DONE,
    /** It failed and had no effect. */
    FAILED,
    /** It took effect or failed; its stored result is damaged, so which is not known. */
    UNREADABLE
  }

  /**
   * @param kind such as {@code CONSTRAINT}
   * @param sqlState of the database
   * @param constraint name; null unless the catalogue has {@code explain: true}
   * @param table name; null unless the catalogue has {@code explain: true}
   * @param column name; null unless the catalogue has {@code explain: true}
   */
  public record Failure(
      String kind,
      String sqlState,
      @Nullable String constraint,
      @Nullable String table,
      @Nullable String column) {}

  /** The rows that a single update changed; 0 for a query. */
  public long count() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  @SuppressWarnings("unchecked") // rows are arrays of arrays
  static StatementResult of(JsonNode document, String location) {
    State state =
        switch (document.path("state").asString("pending")) {
          case "done" -> State.DONE;
          case "failed" -> State.FAILED;
          case "unreadable" -> State.UNREADABLE;
          default -> State.PENDING;
        };
    List<Long> counts =
        document.has("count")
            ? List.of(document.get("count").asLong())
            : document.path("counts").valueStream().map(JsonNode::asLong).toList();
    return new StatementResult(
        document.path("id").asString(""),
        state,
        counts,
        document.path("columns").valueStream().map(JsonNode::asString).toList(),
        document
            .path("rows")
            .valueStream()
            .map(row -> (List<@Nullable Object>) Json.value(row))
            .toList(),
        document.has("error") ? failure(document.get("error")) : null,
        location);
  }

  private static Failure failure(JsonNode error) {
    return new Failure(
        error.path("kind").asString(""),
        error.path("sqlState").asString(""),
        error.path("constraint").asString(null),
        error.path("table").asString(null),
        error.path("column").asString(null));
  }
}
