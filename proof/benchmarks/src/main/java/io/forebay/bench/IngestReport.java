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

  static final FigureTable TABLE =
      FigureTable.of("median [min–max]")
          .range("requests/s", IngestFigure.PER_SECOND, "%,.0f")
          .one("mean ms", IngestFigure.MEAN, "%.2f")
          .one("p50 ms", IngestFigure.P50, "%.2f")
          .one("p90 ms", IngestFigure.P90, "%.2f")
          .one("p99 ms", IngestFigure.P99, "%.2f")
          .one("p99.9 ms", IngestFigure.P999, "%.2f")
          .one("max ms", IngestFigure.MAX, "%.1f")
          .one("refused", IngestFigure.REFUSED, "%,.0f")
          .one("lost", IngestFigure.LOST, "%,.0f")
          .one("drain s", IngestFigure.DRAIN, "%.2f")
          .one("performed/s", IngestFigure.PERFORMED_PER_SECOND, "%,.0f")
          .one("CPU µs: all", IngestFigure.ALL_MICROS, "%.0f")
          .one("server", IngestFigure.SERVER_MICROS, "%.0f")
          .one("database", IngestFigure.DATABASE_MICROS, "%.1f")
          .one("cores: server", IngestFigure.SERVER_CORES, "%.2f")
          .one("database", IngestFigure.DATABASE_CORES, "%.2f")
          .one("generator", IngestFigure.GENERATOR_CORES, "%.2f");

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
    Table memory = new Table();
    process.forEach((name, value) -> memory.row(name, text(name, (Number) value)));
    System.out.println(
        "\n" + TABLE.text(rounds) + "\n" + Target.table(targets, rounds) + "\n" + memory);
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
}
