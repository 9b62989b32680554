/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Article.Comparison;
import io.forebay.bench.Article.Row;
import io.forebay.bench.Results.Cell;
import io.forebay.bench.Results.Value;
import java.util.ArrayList;
import java.util.List;

/** The paper on calls in chunks. */
final class LettersArticle {

  private LettersArticle() {}

  static Article article() {
    return new Article(
        "Improving Batch Performance when Migrating to Microservices with Chunking and Coroutines",
        "Holger Knoche, Kiel University",
        List.of("letters"),
        List.of(letters()));
  }

  private static Comparison letters() {
    List<Row> rows = new ArrayList<>();
    for (LettersContender contender : LettersContender.values()) {
      Value seconds = letters(contender);
      rows.add(
          Row.of(
              contender.title(),
              Cell.of(contender.paper()),
              paperRatio(contender),
              seconds.as("%.2f"),
              seconds.over(letters(LettersContender.CHUNKED_REST_100)).as("%.1f")));
    }
    rows.add(
        Row.of(
            "ms of overhead of a REST call",
            Cell.of("about 1"),
            Cell.NONE,
            letters(LettersContender.INDIVIDUAL_REST)
                .minus(letters(LettersContender.DIRECT_SQL))
                .over(Value.setting("letters", "contracts"))
                .times(1e3 / 2)
                .as("%.2f"),
            Cell.NONE));
    rows.add(
        Row.of(
            "contracts",
            Cell.of("100,000"),
            Cell.NONE,
            Value.setting("letters", "contracts").as("%,.0f"),
            Cell.NONE));
    return new Comparison(
        "Seconds to write the letters of a job",
        List.of(
            "",
            "the paper (99 % confidence interval, Raspberry Pi 4)",
            "times as long as chunks of 100",
            "here (median)",
            "times as long as chunks of 100"),
        rows);
  }

  private static Value letters(LettersContender contender) {
    return Value.median("letters", contender.title(), LettersBenchmark.SECONDS);
  }

  private static Cell paperRatio(LettersContender contender) {
    return contender.paperMean().isPresent()
        ? Cell.of(
            "%.1f"
                .formatted(
                    contender.paperMean().getAsDouble()
                        / LettersContender.CHUNKED_REST_100.paperMean().getAsDouble()))
        : Cell.NONE;
  }
}
