/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Lines over two axes, with their names above.
 *
 * @param lines the points of each line, by name
 * @param marks names of values on the axis of x, where a line stands upright
 */
record LinePanel(
    String title,
    ChartAxis x,
    ChartAxis y,
    Map<String, List<Point>> lines,
    Map<Double, String> marks)
    implements Chart.Panel {

  private static final int NAMES = 24;
  private static final int AREA = 300;
  private static final int LABELS = 24;
  private static final int LEFT = 76;
  private static final int RIGHT = Chart.WIDTH - 30;

  record Point(double x, double y) {}

  @Override
  public int height() {
    return NAMES + AREA + LABELS;
  }

  @Override
  public void draw(Chart chart, int y) {
    int top = y + NAMES;
    this.y
        .ticks()
        .forEach((value, label) -> {
          double at = y(top, value);
          chart.grid(LEFT, at, RIGHT, at);
          chart.text(LEFT - 8, at + 4, "end", "var(--quiet)", label);
        });
    x.ticks()
        .forEach((value, label) ->
            chart.text(x(value), top + AREA + 18, "middle", "var(--quiet)", label));
    marks.forEach((value, label) -> {
      chart.grid(x(value), top, x(value), top + AREA);
      chart.text(x(value) - 6, top + 14, "end", "var(--quiet)", label);
    });
    int number = 0;
    double name = LEFT;
    for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
      StringBuilder path = new StringBuilder();
      for (Point point : line.getValue()) {
        path.append(path.isEmpty() ? 'M' : 'L')
            .append(String.format(Locale.ROOT, "%.1f %.1f", x(point.x()), y(top, point.y())));
      }
      chart.series(path.toString(), number);
      chart.series(String.format(Locale.ROOT, "M%.1f %dh22", name, y + 4), number);
      chart.text(name + 28, y + 8, "start", Chart.color(number), line.getKey());
      name += 52 + 7.5 * line.getKey().length();
      number++;
    }
  }

  private double x(double value) {
    return LEFT + x.share(value) * (RIGHT - LEFT);
  }

  private double y(int top, double value) {
    return top + AREA - y.share(value) * AREA;
  }
}
