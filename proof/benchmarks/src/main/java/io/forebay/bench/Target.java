/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The target for a figure, or for its ratio to another figure of the same run.
 *
 * @param what the figures and the contenders, as they are printed
 * @param byRound whether it is the median of the ratios of the rounds, not the ratio of the medians
 * @param divisor the figure to divide by; null for the same one, or for no ratio
 * @param against the contender to divide by; null for the same one, or for no ratio
 * @param sign {@code <=} or {@code >=}
 * @param limit NaN if there is no target
 */
record Target(
    String what,
    boolean byRound,
    String figure,
    @Nullable String divisor,
    String contender,
    @Nullable String against,
    @Nullable String sign,
    double limit) {

  private static final Pattern TEXT =
      Pattern.compile(
          "((by round: )?(.+?)(?: : (.+))? of ([^ ]+)(?: : ([^ ]+))?)(?: (<=|>=)"
              + " ([0-9.]+)(/[0-9]+)?)?");

  /**
   * Reads a target.
   *
   * @param text such as {@code p99 ms of queued : direct <= 1/3} (two contenders), {@code first :
   *     warm of cache >= 0.6} (two figures) or {@code bytes of append}
   */
  static Target of(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("no target: " + text);
    }
    double limit = matcher.group(8) == null ? Double.NaN : Double.parseDouble(matcher.group(8));
    String divisor = matcher.group(9);
    return new Target(
        matcher.group(1),
        matcher.group(2) != null,
        matcher.group(3),
        matcher.group(4),
        matcher.group(5),
        matcher.group(6),
        matcher.group(7),
        divisor == null ? limit : limit / Integer.parseInt(divisor.substring(1)));
  }

  /** The value; NaN if it was not measured, or if it is a ratio to 0. */
  double value(Map<String, Rounds> figures) {
    Rounds none = new Rounds();
    Rounds dividend = figures.getOrDefault(contender, none);
    if (divisor == null && against == null) {
      return dividend.median(figure);
    }
    Rounds divisors = against == null ? dividend : figures.getOrDefault(against, none);
    String by = divisor == null ? figure : divisor;
    if (!byRound) {
      double ratio = dividend.median(figure) / divisors.median(by);
      return Double.isInfinite(ratio) ? Double.NaN : ratio;
    }
    Rounds ratios = new Rounds();
    for (int i = 0; i < Math.min(dividend.values(figure).size(), divisors.values(by).size()); i++) {
      ratios.add(what, dividend.values(figure).get(i) / divisors.values(by).get(i));
    }
    return ratios.median(what);
  }

  String toReach() {
    return Double.isNaN(limit) ? "-" : sign + " " + Rounds.plain(limit);
  }

  /** {@code PASS}, {@code MISS}, or why neither applies. */
  String verdict(Map<String, Rounds> figures) {
    double value = value(figures);
    if (Double.isNaN(value)) {
      return "not measured";
    }
    if (Double.isNaN(limit)) {
      return "-";
    }
    return ("<=".equals(sign) ? value <= limit : value >= limit) ? "PASS" : "MISS";
  }

  /** The row of the table. */
  List<String> row(Map<String, Rounds> figures) {
    double value = value(figures);
    return List.of(
        what, Double.isNaN(value) ? "-" : Rounds.plain(value), toReach(), verdict(figures));
  }

  Map<String, Object> json(Map<String, Rounds> figures) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("what", what);
    double value = value(figures);
    if (!Double.isNaN(value)) {
      json.put("value", Rounds.rounded(value));
    }
    json.put("toReach", toReach());
    json.put("verdict", verdict(figures));
    return json;
  }
}
