/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Arrays;

/** The software that moves rows from Kafka to PostgreSQL. */
enum SinkContender {
  /** Exactly once, with a result for every row. */
  FOREBAY("forebay-kafka", Format.FOREBAY, "all"),
  /** The same, with equal results of consecutive rows in one message. */
  FOREBAY_RUNS("forebay-kafka-runs", Format.FOREBAY, "runs"),
  /** Exactly once, with results of failures only. */
  FOREBAY_FAILURES_ONLY("forebay-kafka-failures-only", Format.FOREBAY, "failures-only"),
  /** At least once, without results. */
  DEBEZIUM("debezium-jdbc-sink", Format.JSON, "none");

  /** The format of the records. */
  enum Format {
    FOREBAY("CBOR: Forebay's message format, with the SQL text, the id and the time of the append"),
    JSON("JSON without a schema in the record, which the converter is configured with");

    private final String text;

    Format(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  private final String title;
  private final Format format;
  private final String results;

  SinkContender(String title, Format format, String results) {
    this.title = title;
    this.format = format;
    this.results = results;
  }

  String title() {
    return title;
  }

  Format format() {
    return format;
  }

  /** The results it gives, as the value of its setting. */
  String results() {
    return results;
  }

  boolean hasAllResults() {
    return results.equals("all") || results.equals("runs");
  }

  /** Its delivery guarantee when a process dies. */
  String promise() {
    return format == Format.FOREBAY ? "exactly once" : "at least once";
  }

  /**
   * @throws UsageError if there is no contender with this name
   */
  static SinkContender named(String name) {
    return Arrays.stream(values())
        .filter(it -> it.title.equals(name))
        .findFirst()
        .orElseThrow(() ->
            new UsageError(
                "contender '%s' does not exist (known: %s)"
                    .formatted(name, Arrays.stream(values()).map(SinkContender::title).toList())));
  }
}
