/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Results of the caller's statements, in the order of each partition.
 *
 * @param results empty if there were none
 * @param next where to continue. Store it together with what was done with the results: then none
 *     is missed and none comes twice, also after a crash
 */
public record ResultPage(List<Entry> results, String next) {

  /**
   * The result of a statement.
   *
   * @param position of the statement, in its partition
   * @param key the idempotency key of the statement; null for a line of a stream
   * @param stream null for other statements
   * @param line the number of the line in the stream; 0 for other statements
   * @param time when the result was written, right after the commit
   */
  public record Entry(
      int partition,
      long position,
      @Nullable String key,
      @Nullable String stream,
      long line,
      Instant time,
      StatementResult result) {}

  static ResultPage of(JsonNode document) {
    return new ResultPage(
        document.path("results").valueStream().map(ResultPage::entry).toList(),
        document.required("next").asString());
  }

  private static Entry entry(JsonNode each) {
    return new Entry(
        each.path("partition").asInt(),
        each.path("position").asLong(),
        each.path("key").asString(null),
        each.path("stream").asString(null),
        each.path("line").asLong(0),
        Instant.parse(each.path("time").asString()),
        StatementResult.of(each, ""));
  }
}
