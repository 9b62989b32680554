/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Predicate;

/**
 * A bar for each value, on a logarithmic axis.
 *
 * @param values by name; without those that are not above 0, which such an axis cannot show
 * @param text the text at the end of a bar
 * @param highlighted whether a bar with this name stands out
 */
record BarPanel(
    String title,
    Map<String, Double> values,
    DoubleFunction<String> text,
    Predicate<String> highlighted)
    implements Chart.Panel {

  private static final int ROW = 28;
  private static final int BAR = 18;
  private static final int LABELS = 24;
  private static final double LETTER = 7.3;
  private static final int RIGHT = Chart.WIDTH - 100;

  /**
   * The medians of a figure.
   *
   * @param highlighted how the names of bars that stand out begin
   */
  static BarPanel medians(
      String title, Map<String, Rounds> rounds, String figure, String highlighted) {
    Map<String, Double> values = new LinkedHashMap<>();
    rounds.forEach((name, of) -> {
      if (of.has(figure) && of.median(figure) > 0) {
        values.put(name, of.median(figure));
      }
    });
    return new BarPanel(
        title + " (medians; the axis is logarithmic)",
        values,
        FigureTable::plain,
        it -> it.startsWith(highlighted));
  }

  @Override
  public int height() {
    return ROW * values.size() + LABELS;
  }

  @Override
  public void draw(Chart chart, int y) {
    double least = values.values().stream().mapToDouble(it -> it).min().orElse(1);
    double most = values.values().stream().mapToDouble(it -> it).max().orElse(10);
    double left = 16 + LETTER * longestName();
    ChartAxis axis = ChartAxis.powersAround(least, most);
    int bottom = y + ROW * values.size();
    axis.ticks()
        .forEach((value, label) -> {
          double x = x(axis, left, value);
          chart.grid(x, y, x, bottom);
          chart.text(x, bottom + 18, "middle", "var(--quiet)", label);
        });
    int top = y;
    for (Map.Entry<String, Double> one : values.entrySet()) {
      double end = x(axis, left, one.getValue());
      chart.text(left - 10, top + 16, "end", "var(--ink)", one.getKey());
      chart.bar(
          left, top + 2, end - left, BAR, Chart.color(highlighted.test(one.getKey()) ? 0 : 4));
      chart.text(end + 6, top + 16, "start", "var(--ink)", text.apply(one.getValue()));
      top += ROW;
    }
  }

  private int longestName() {
    return values.keySet().stream().mapToInt(String::length).max().orElse(0);
  }

  private static double x(ChartAxis axis, double left, double value) {
    return left + axis.share(value) * (RIGHT - left);
  }
}
