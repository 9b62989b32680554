/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The figures of a contender, one value per round. A figure's name is its heading in the table. */
final class Rounds {

  private static final String LINE = "figures ";

  private final Map<String, List<Double>> figures = new LinkedHashMap<>();

  /**
   * @param value NaN if it is unknown: it is left out
   */
  Rounds add(String figure, double value) {
    if (!Double.isNaN(value)) {
      figures.computeIfAbsent(figure, _ -> new ArrayList<>()).add(value);
    }
    return this;
  }

  /** Adds the figures of further rounds. */
  void addAll(Rounds others) {
    others.figures.forEach((figure, values) -> values.forEach(it -> add(figure, it)));
  }

  Set<String> names() {
    return figures.keySet();
  }

  boolean has(String figure) {
    return figures.containsKey(figure);
  }

  /** The median; NaN if no round has the figure. */
  double median(String figure) {
    List<Double> sorted = values(figure).stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.isEmpty()
        ? Double.NaN
        : sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }

  double min(String figure) {
    return values(figure).stream().mapToDouble(it -> it).min().orElse(Double.NaN);
  }

  double max(String figure) {
    return values(figure).stream().mapToDouble(it -> it).max().orElse(Double.NaN);
  }

  /** The values in the order of the rounds. */
  List<Double> values(String figure) {
    return figures.getOrDefault(figure, List.of());
  }

  /** Each figure with its median, minimum and maximum. */
  Map<String, Object> summary() {
    Map<String, Object> summary = new LinkedHashMap<>();
    for (String it : names()) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("median", rounded(median(it)));
      values.put("min", rounded(min(it)));
      values.put("max", rounded(max(it)));
      summary.put(it, values);
    }
    return summary;
  }

  /** A cell of the table. */
  String text(String figure, boolean range) {
    if (!has(figure)) {
      return "-";
    }
    return range && values(figure).size() > 1
        ? "%s [%s–%s]".formatted(plain(median(figure)), plain(min(figure)), plain(max(figure)))
        : plain(median(figure));
  }

  @Override
  public String toString() {
    return names().stream()
        .map(it -> it + " " + plain(median(it)))
        .collect(Collectors.joining(", "));
  }

  /** The last round as a line, which a process prints for its parent. */
  String line() {
    return names().stream()
        .map(it -> it + "=" + values(it).getLast())
        .collect(Collectors.joining(";", LINE, ""));
  }

  /** Reads a {@link #line}; empty if it is another line. */
  static Optional<Rounds> parse(String line) {
    if (!line.startsWith(LINE)) {
      return Optional.empty();
    }
    Rounds rounds = new Rounds();
    Stream.of(line.substring(LINE.length()).split(";"))
        .map(it -> it.split("="))
        .forEach(it -> rounds.add(it[0], Double.parseDouble(it[1])));
    return Optional.of(rounds);
  }

  /** Rounds to four decimals, which is more than the precision of these measurements. */
  static double rounded(double value) {
    return Math.abs(value) < 1e9 ? Math.round(value * 1e4) / 1e4 : value;
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
}
