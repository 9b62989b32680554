/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The figures of a contender, one value per round. */
final class Rounds {

  private final Map<String, List<Double>> figures = new LinkedHashMap<>();

  void add(String figure, double value) {
    figures.computeIfAbsent(figure, it -> new ArrayList<>()).add(value);
  }

  /** Adds the figures of further rounds. */
  void addAll(Rounds others) {
    others.figures.forEach((figure, values) -> values.forEach(it -> add(figure, it)));
  }

  boolean has(String figure) {
    return figures.containsKey(figure);
  }

  double median(String figure) {
    List<Double> sorted = values(figure).stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }

  double min(String figure) {
    return values(figure).stream().mapToDouble(it -> it).min().orElseThrow();
  }

  double max(String figure) {
    return values(figure).stream().mapToDouble(it -> it).max().orElseThrow();
  }

  /** The values in the order of the rounds. */
  List<Double> values(String figure) {
    List<Double> values = figures.get(figure);
    if (values == null) {
      throw new IllegalArgumentException("no round has the figure " + figure);
    }
    return values;
  }

  record Summary(double median, double min, double max) {

    private Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("median", rounded(median));
      json.put("min", rounded(min));
      json.put("max", rounded(max));
      return json;
    }
  }

  Summary summaryOf(String figure) {
    return new Summary(median(figure), min(figure), max(figure));
  }

  /** Each figure with its median, minimum and maximum. */
  Map<String, Object> summary() {
    Map<String, Object> summary = new LinkedHashMap<>();
    figures.keySet().forEach(it -> summary.put(it, summaryOf(it).json()));
    return summary;
  }

  /** An entry for each contender, with its name and its summary. */
  static List<Map<String, Object>> json(Map<String, Rounds> contenders) {
    List<Map<String, Object>> entries = new ArrayList<>();
    contenders.forEach((name, it) -> {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", name);
      entry.putAll(it.summary());
      entries.add(entry);
    });
    return entries;
  }

  /** Rounds to four decimals, which is more than the precision of these measurements. */
  static double rounded(double value) {
    return Math.abs(value) < 1e9 ? Math.round(value * 1e4) / 1e4 : value;
  }
}
