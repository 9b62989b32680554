/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.List;
import java.util.Locale;

/**
 * A chart as SVG: one or more panels below each other. It needs no script, and has colors for light
 * and for dark pages, in a file of its own as well as inside a page.
 */
final class Chart {

  static final int WIDTH = 760;

  private static final int COLORS = 6;
  private static final List<String> DASHES = List.of("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2");
  private static final String STYLE =
      """
      <style>
      .chart { --paper: #fff; --ink: #1b1f23; --quiet: #59636b; --grid: #e2e5e8;
        --s0: #1f6f78; --s1: #b0720b; --s2: #4a6fa5; --s3: #7a4fa3; --s4: #808b93; --s5: #a8402e; }
      @media (prefers-color-scheme: dark) { .chart { --paper: #15191c; --ink: #e6e9eb; --quiet: #a3adb4;
        --grid: #2c3338; --s0: #56bdc8; --s1: #e2aa45; --s2: #8db4ea; --s3: #bf9be8; --s4: #98a3ab;
        --s5: #ee8674; } }
      @media print { .chart { --paper: #fff; --ink: #000; --quiet: #444; --grid: #ccc;
        --s0: #1f6f78; --s1: #b0720b; --s2: #4a6fa5; --s3: #7a4fa3; --s4: #808b93; --s5: #a8402e; } }
      </style>
      """;

  /** A part of a chart, below a line with its title. */
  interface Panel {

    String title();

    int height();

    /**
     * @param y where its area begins
     */
    void draw(Chart chart, int y);
  }

  private static final int TITLE = 40;
  private static final int GAP = 20;

  private final StringBuilder svg = new StringBuilder();

  private Chart() {}

  /**
   * @param title for readers who cannot see the chart
   */
  static String svg(String title, List<? extends Panel> panels) {
    Chart chart = new Chart();
    int height = panels.stream().mapToInt(it -> TITLE + it.height() + GAP).sum();
    chart.line(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 %d %d\""
            + " font-family=\"system-ui, sans-serif\" font-size=\"13\" role=\"img\">",
        WIDTH, height);
    chart.line("<title>%s</title>", escaped(title));
    chart.svg.append(STYLE);
    chart.line("<rect width=\"100%%\" height=\"100%%\" fill=\"var(--paper)\"/>");
    int y = 0;
    for (Panel panel : panels) {
      chart.line(
          "<text x=\"16\" y=\"%d\" font-size=\"15\" font-weight=\"600\" fill=\"var(--ink)\">%s</text>",
          y + 26, escaped(panel.title()));
      panel.draw(chart, y + TITLE);
      y += TITLE + panel.height() + GAP;
    }
    return chart.svg.append("</svg>\n").toString();
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** The color of the line or bar with this number. */
  static String color(int number) {
    return "var(--s" + number % COLORS + ")";
  }

  /** A line of the grid. */
  void grid(double x1, double y1, double x2, double y2) {
    line("<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"var(--grid)\"/>", x1, y1, x2, y2);
  }

  /** A line that differs from those with other numbers in color and dashes. */
  void series(String data, int number) {
    line(
        "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>",
        data, color(number), DASHES.get(number % DASHES.size()));
  }

  void bar(double x, double y, double width, double height, String color) {
    line(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
        x, y, width, height, color);
  }

  /**
   * @param anchor {@code start}, {@code middle} or {@code end}
   */
  void text(double x, double y, String anchor, String color, String text) {
    line(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
        x, y, anchor, color, escaped(text));
  }

  private void line(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
