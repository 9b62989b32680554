/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a benchmark's table of figures, with a row for each contender. Immutable.
 *
 * @param corner the heading of the contenders
 */
record FigureTable(String corner, List<Column> columns) {

  /**
   * @param format of a number
   * @param range whether minimum and maximum are shown too
   */
  private record Column(String heading, String figure, String format, boolean range) {

    String cell(Rounds.@Nullable Summary of) {
      if (of == null) {
        return "-";
      }
      return range
          ? "%s [%s–%s]".formatted(number(of.median()), number(of.min()), number(of.max()))
          : number(of.median());
    }

    private String number(double value) {
      return String.format(Locale.ROOT, format, value);
    }
  }

  /** The figures of a contender by name; null for a figure that it does not have. */
  @FunctionalInterface
  interface Figures {
    Rounds.@Nullable Summary of(String figure);
  }

  static FigureTable of(String corner) {
    return new FigureTable(corner, List.of());
  }

  /** A number with about three significant digits. */
  static String plain(double value) {
    double size = Math.abs(value);
    String format =
        size >= 99.5
            ? "%,.0f"
            : size >= 9.95 ? "%.1f" : size >= 0.0995 || size == 0 ? "%.2f" : "%.4f";
    return String.format(Locale.ROOT, format, value);
  }

  /** Adds a column with the median. */
  FigureTable one(String heading, String figure, String format) {
    return with(new Column(heading, figure, format, false));
  }

  /** Adds a column with the median, the minimum and the maximum. */
  FigureTable range(String heading, String figure, String format) {
    return with(new Column(heading, figure, format, true));
  }

  private FigureTable with(Column column) {
    List<Column> all = new ArrayList<>(columns);
    all.add(column);
    return new FigureTable(corner, List.copyOf(all));
  }

  List<String> headings() {
    List<String> headings = new ArrayList<>(List.of(corner));
    columns.forEach(it -> headings.add(it.heading()));
    return headings;
  }

  List<String> row(String contender, Figures figures) {
    List<String> row = new ArrayList<>(List.of(contender));
    columns.forEach(it -> row.add(it.cell(figures.of(it.figure()))));
    return row;
  }

  /** The table as text. */
  Table text(Map<String, Rounds> rounds) {
    Table table = new Table();
    table.row(headings());
    rounds.forEach(
        (name, it) -> table.row(row(name, figure -> it.has(figure) ? it.summaryOf(figure) : null)));
    return table;
  }
}
