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
import java.util.function.Function;

/** The article on the slowest messages. */
final class TailArticle {

  private TailArticle() {}

  static Article article() {
    return new Article(
        "Reducing tail latencies with a Chronicle Queue Enterprise",
        "Chronicle Software",
        List.of("tail", "tail-stall"),
        List.of(tail(), stall()));
  }

  private static Comparison tail() {
    return new Comparison(
        "Messages of 32 bytes; µs, in the worst of the runs",
        List.of(
            "", "the article", "Chronicle Queue here", "Forebay here", "no queue here (jitter)"),
        List.of(
            latency("50,000/s, 99.99 %", "less than 25", 50_000, "p99.99Micros", "direct"),
            latency("250,000/s, 99.97 %", "–", 250_000, "p99.97Micros", "direct"),
            latency("250,000/s, 99.99 %", "about 2,500", 250_000, "p99.99Micros", "direct"),
            latency("250,000/s, pretoucher, 99.97 %", "–", 250_000, "p99.97Micros", "pretouch"),
            latency("250,000/s, pretoucher, 99.99 %", "–", 250_000, "p99.99Micros", "pretouch"),
            against("pretoucher : without, 99.97 %", "1/2", "p99.97Micros", "pretouch"),
            against("pretoucher : without, 99.99 %", "2/3", "p99.99Micros", "pretouch"),
            latency(
                "250,000/s, asynchronous, 99.99 %",
                "less than 5 (Enterprise)", 250_000, "p99.99Micros", "async"),
            against("asynchronous : without, 99.99 %", "1/500", "p99.99Micros", "async"),
            Row.of(
                "runs",
                Cell.of("8"),
                Value.setting("tail", "rounds").as("%.0f"),
                Value.setting("tail", "rounds").as("%.0f"),
                Value.setting("tail", "rounds").as("%.0f")),
            Row.of(
                "seconds of a run",
                Cell.of("200 at 50,000/s, 100 at 250,000/s"),
                Value.setting("tail", "seconds").as("%.0f"),
                Value.setting("tail", "seconds").as("%.0f"),
                Value.setting("tail", "seconds").as("%.0f"))));
  }

  private static Row latency(String what, String theirs, int rate, String figure, String mode) {
    Function<String, Cell> cell = it -> Value.greatest("tail", it + "-" + rate, figure).as("%,.1f");
    return Row.of(what, theirs, cell, "chronicle", mode, "os-jitter");
  }

  /** The ratio of the medians of a mode and of the direct mode at 250,000/s. */
  private static Row against(String what, String theirs, String figure, String mode) {
    return Row.of(
        what,
        Cell.of(theirs),
        Cell.NONE,
        Value.median("tail", mode + "-250000", figure)
            .over(Value.median("tail", "direct-250000", figure))
            .as("%.4f"),
        Cell.NONE);
  }

  /** The article names the disk as the cause, and has no figures for a disk that is worse. */
  private static Comparison stall() {
    String[] ours = {"chronicle", "direct", "async", "os-jitter"};
    List<Row> rows = new ArrayList<>();
    for (int rate : new int[] {50_000, 250_000}) {
      for (String percent : List.of("99", "99.99")) {
        rows.add(
            Row.of(
                "%,d/s, %s %%".formatted(rate, percent),
                "–",
                it ->
                    Value.median("tail-stall", it + "-" + rate, "p" + percent + "Micros")
                        .as("%,.1f"),
                ours));
      }
    }
    return new Comparison(
        "The same while the disk stalls, the cause that the article names; µs until it is written, medians",
        List.of(
            "",
            "the article",
            "Chronicle Queue here",
            "Forebay, direct",
            "Forebay, async",
            "no queue (jitter)"),
        rows);
  }
}
