/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Article.Comparison;
import io.forebay.bench.Article.Row;
import io.forebay.bench.Results.Cell;
import io.forebay.bench.Results.Value;
import java.util.List;
import java.util.function.Function;

/** The article on services behind each other. */
final class PipelineArticle {

  private PipelineArticle() {}

  static Article article() {
    return new Article(
        "Microservices in the Chronicle World – Part 5",
        "Peter Lawrey, Vanilla Java",
        List.of("pipeline"),
        List.of(pipeline()));
  }

  private static Comparison pipeline() {
    String[] ours = {"bare-chain", "forebay"};
    return new Comparison(
        "Three services behind each other",
        List.of("", "the article (Xeon E5-2650 v2)", "its design here", "Forebay here"),
        List.of(
            Row.of("highest rate, messages/s", "600,000", pipeline("highestPerSecond"), ours),
            Row.of(
                "highest rate at which it keeps up", "400,000", pipeline("keepsUpPerSecond"), ours),
            Row.of("highest rate with 99 % below 10 µs", "300,000", _ -> Cell.NONE, ours),
            Row.of(
                "highest rate with 99 % ≤ 4 × and 99.9 % ≤ 10 × typical",
                "200,000", pipeline("sustainablePerSecond"), ours),
            Row.of("bytes per message", "512", pipeline("bytesPerMessage"), ours),
            Row.of("TB per day at that rate", "9", pipeline("terabytesPerDay"), ours),
            Row.of("messages/s that give 2 TB per day", "50,000", _ -> Cell.NONE, ours)));
  }

  private static Function<String, Cell> pipeline(String figure) {
    return contender -> Value.median("pipeline", contender, figure).as("%,.0f");
  }
}
