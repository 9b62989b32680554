/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The ingest benchmark's figures and targets as text. */
final class IngestReport {

  private static final double MIB = 1024 * 1024;

  private final Map<String, Rounds> rounds;
  private final List<Target> targets;

  IngestReport(Map<String, Rounds> rounds, List<Target> targets) {
    this.rounds = rounds;
    this.targets = targets;
  }

  List<Map<String, Object>> targets() {
    return targets.stream().map(it -> it.json(rounds)).toList();
  }

  void print(Map<String, Object> process) {
    Table figures = new Table();
    figures.row(
        "median [min–max]",
        "requests/s",
        "p50 ms",
        "p90 ms",
        "p99 ms",
        "p99.9 ms",
        "max ms",
        "refused",
        "lost",
        "drain s",
        "performed/s",
        "cores: server",
        "database",
        "generator");
    rounds.forEach((name, it) ->
        figures.row(
            name,
            String.format(
                Locale.ROOT,
                "%,.0f [%,.0f–%,.0f]",
                it.median(IngestFigure.PER_SECOND),
                it.min(IngestFigure.PER_SECOND),
                it.max(IngestFigure.PER_SECOND)),
            one(it, IngestFigure.P50, "%.2f"),
            one(it, IngestFigure.P90, "%.2f"),
            one(it, IngestFigure.P99, "%.2f"),
            one(it, IngestFigure.P999, "%.2f"),
            one(it, IngestFigure.MAX, "%.1f"),
            one(it, IngestFigure.REFUSED, "%,.0f"),
            one(it, IngestFigure.LOST, "%,.0f"),
            one(it, IngestFigure.DRAIN, "%.2f"),
            one(it, IngestFigure.PERFORMED_PER_SECOND, "%,.0f"),
            one(it, IngestFigure.SERVER_CORES, "%.2f"),
            one(it, IngestFigure.DATABASE_CORES, "%.2f"),
            one(it, IngestFigure.GENERATOR_CORES, "%.2f")));
    Table ratios = new Table();
    ratios.row("", "value", "to reach", "");
    targets.forEach(
        it -> ratios.row(it.what(), it.value(rounds), it.toReach(), it.verdict(rounds)));
    Table memory = new Table();
    process.forEach((name, value) -> memory.row(name, text(name, (Number) value)));
    System.out.println("\n" + figures + "\n" + ratios + "\n" + memory);
  }

  private static String text(String name, Number value) {
    return name.contains("Bytes")
        ? String.format(Locale.ROOT, "%.0f MiB", value.doubleValue() / MIB)
        : String.format(Locale.ROOT, "%.1f", value.doubleValue());
  }

  /** One run as a line. */
  static String progress(Rounds figures) {
    StringBuilder line = new StringBuilder();
    figures
        .summary()
        .keySet()
        .forEach(it -> line.append(String.format(Locale.ROOT, " %s %.2f", it, figures.median(it))));
    return line.toString().strip();
  }

  private static String one(Rounds rounds, String figure, String format) {
    return rounds.has(figure) ? String.format(Locale.ROOT, format, rounds.median(figure)) : "-";
  }
}
