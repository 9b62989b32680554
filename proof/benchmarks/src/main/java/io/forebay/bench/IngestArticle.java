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

/** The article on a queue behind an HTTP door. */
final class IngestArticle {

  private IngestArticle() {}

  static Article article() {
    return new Article(
        "Optimizing requests with a queue",
        "a book on microservices in Go",
        List.of("ingest"),
        List.of(ingest()));
  }

  private static Comparison ingest() {
    Value direct = Value.median("ingest", "direct-insert", IngestFigure.PER_SECOND);
    return new Comparison(
        "Requests over HTTP that insert a row, 100 connections",
        List.of(
            "",
            "the article, without a queue",
            "the article, queue in memory",
            "here, direct insert",
            "here, Forebay (on disk)",
            "here, Forebay, answer after the insert"),
        List.of(
            ingest("requests per second", "2,097", "15,129", IngestFigure.PER_SECOND, "%,.0f"),
            Row.of(
                "times as many as without",
                Cell.of("1"),
                Cell.of("7.2"),
                Cell.of("1"),
                Value.median("ingest", "forebay-queued", IngestFigure.PER_SECOND)
                    .over(direct)
                    .as("%.1f"),
                Value.median("ingest", "forebay-wait", IngestFigure.PER_SECOND)
                    .over(direct)
                    .as("%.1f")),
            ingest("latency ms, mean", "47.69", "12.54", IngestFigure.MEAN, "%.2f"),
            ingest("standard deviation", "11.86", "21.19", IngestFigure.STDEV, "%.2f"),
            ingest("99 %", "–", "–", IngestFigure.P99, "%.2f"),
            ingest("worst", "143.28", "416.79", IngestFigure.MAX, "%.2f"),
            ingest("requests in a run", "125,930", "909,154", IngestFigure.REQUESTS, "%,.0f"),
            ingest("refused", "–", "–", IngestFigure.REFUSED, "%,.0f"),
            ingest("rows after the run", "–", "909,251", IngestFigure.ROWS, "%,.0f"),
            ingest(
                "seconds until the last row",
                "–",
                "260,906 rows wait at a flush",
                IngestFigure.DRAIN,
                "%.2f")));
  }

  private static Row ingest(
      String what, String without, String with, String figure, String format) {
    return Row.of(
        what,
        Cell.of(without),
        Cell.of(with),
        Value.median("ingest", "direct-insert", figure).as(format),
        Value.median("ingest", "forebay-queued", figure).as(format),
        Value.median("ingest", "forebay-wait", figure).as(format));
  }
}
