/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The target for a figure, compared with another figure of the same run.
 *
 * @param limit the value to compare with; NaN if there is no target
 */
record Target(String what, Measure measure, Sense sense, double limit) {

  enum Sense {
    AT_MOST("<="),
    AT_LEAST(">=");

    private final String sign;

    Sense(String sign) {
      this.sign = sign;
    }
  }

  /** Computes a value from the figures of each contender; empty if they were not measured. */
  @FunctionalInterface
  interface Measure {
    OptionalDouble of(Map<String, Rounds> rounds);
  }

  /** The median of one contender divided by that of another; there is none if that is 0. */
  static Measure ratio(String figure, String contender, String against) {
    return rounds ->
        has(rounds, contender, figure)
                && has(rounds, against, figure)
                && rounds.get(against).median(figure) != 0
            ? OptionalDouble.of(
                rounds.get(contender).median(figure) / rounds.get(against).median(figure))
            : OptionalDouble.empty();
  }

  /** The median of one figure of a contender divided by that of another one. */
  static Measure within(String contender, String figure, String against) {
    return rounds ->
        has(rounds, contender, figure) && has(rounds, contender, against)
            ? OptionalDouble.of(
                rounds.get(contender).median(figure) / rounds.get(contender).median(against))
            : OptionalDouble.empty();
  }

  /** The greatest value. */
  static Measure greatest(String figure, String contender) {
    return rounds ->
        has(rounds, contender, figure)
            ? OptionalDouble.of(rounds.get(contender).max(figure))
            : OptionalDouble.empty();
  }

  /** The median itself. */
  static Measure median(String figure, String contender) {
    return rounds ->
        has(rounds, contender, figure)
            ? OptionalDouble.of(rounds.get(contender).median(figure))
            : OptionalDouble.empty();
  }

  private static boolean has(Map<String, Rounds> rounds, String contender, String figure) {
    return rounds.containsKey(contender) && rounds.get(contender).has(figure);
  }

  String toReach() {
    return Double.isNaN(limit) ? "-" : sense.sign + " " + FigureTable.plain(limit);
  }

  String value(Map<String, Rounds> rounds) {
    OptionalDouble value = measure.of(rounds);
    return value.isPresent() ? FigureTable.plain(value.getAsDouble()) : "-";
  }

  /** {@code PASS}, {@code MISS}, or why neither applies. */
  String verdict(Map<String, Rounds> rounds) {
    OptionalDouble value = measure.of(rounds);
    if (value.isEmpty()) {
      return "not measured";
    }
    if (Double.isNaN(limit)) {
      return "-";
    }
    boolean reached =
        sense == Sense.AT_MOST ? value.getAsDouble() <= limit : value.getAsDouble() >= limit;
    return reached ? "PASS" : "MISS";
  }

  /** The targets with their values as text. */
  static Table table(List<Target> targets, Map<String, Rounds> rounds) {
    Table table = new Table();
    table.row("", "value", "to reach", "");
    targets.forEach(it -> table.row(it.what(), it.value(rounds), it.toReach(), it.verdict(rounds)));
    return table;
  }

  Map<String, Object> json(Map<String, Rounds> rounds) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("what", what);
    measure.of(rounds).ifPresent(it -> json.put("value", Rounds.rounded(it)));
    json.put("toReach", toReach());
    json.put("verdict", verdict(rounds));
    return json;
  }
}
