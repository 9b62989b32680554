/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The percentiles up to the worst message, one panel for each rate; both axes are logarithmic. */
final class TailChart {

  private static final int PANEL = 520;
  private static final int HEIGHT = 420;
  private static final int LEFT = 64;
  private static final int TOP = 70;
  private static final int LOWEST = -1;
  private static final int HIGHEST = 6;
  private static final List<String> COLORS =
      List.of("#9aa5ad", "#b8860b", "#4a6fa5", "#7a4fa3", "#1f6f78");

  private TailChart() {}

  /**
   * @param panels for each title, the figures of each contender
   */
  static String svg(Map<String, Map<String, Rounds>> panels) {
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">",
        panels.size() * (PANEL + LEFT) + 20,
        HEIGHT + TOP + 50);
    line(svg, "<title>Latency of messages by percentile</title>");
    line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>");
    int x = LEFT;
    for (Map.Entry<String, Map<String, Rounds>> panel : panels.entrySet()) {
      panel(svg, x, panel.getKey(), panel.getValue());
      x += PANEL + LEFT;
    }
    return svg.append("</svg>\n").toString();
  }

  private static void panel(StringBuilder svg, int x, String title, Map<String, Rounds> lines) {
    line(svg, "<text x=\"%d\" y=\"24\" font-size=\"15\" font-weight=\"600\">%s</text>", x, title);
    for (int power = LOWEST; power <= HIGHEST; power++) {
      double y = y(Math.pow(10, power));
      line(svg, "<path d=\"M%d %.1fH%d\" stroke=\"#e2e2e2\"/>", x, y, x + PANEL - 30);
      line(
          svg,
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#555\">%s</text>",
          x - 6,
          y + 4,
          micros(power));
    }
    List<String> names = new ArrayList<>(TailRun.PERCENTILES.keySet());
    for (int i = 0; i < names.size(); i++) {
      line(
          svg,
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%s</text>",
          x(x, i),
          HEIGHT + TOP + 18,
          names.get(i).replaceAll("^p|Micros$", ""));
    }
    int number = 0;
    for (Map.Entry<String, Rounds> one : lines.entrySet()) {
      String color = COLORS.get(number % COLORS.size());
      StringBuilder path = new StringBuilder();
      for (int i = 0; i < names.size(); i++) {
        path.append(
            String.format(
                Locale.ROOT,
                "%s%.1f %.1f",
                i == 0 ? "M" : "L",
                x(x, i),
                y(one.getValue().median(names.get(i)))));
      }
      line(svg, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", path, color);
      line(
          svg,
          "<text x=\"%d\" y=\"48\" fill=\"%s\" font-weight=\"600\">%s</text>",
          x + number * 96,
          color,
          one.getKey());
      number++;
    }
  }

  private static String micros(int power) {
    return switch (power) {
      case -1 -> "0.1 µs";
      case 0, 1, 2 -> "%d µs".formatted((int) Math.pow(10, power));
      case 3, 4, 5 -> "%d ms".formatted((int) Math.pow(10, power - 3));
      default -> "1 s";
    };
  }

  /**
   * The percentiles stand side by side: each next one leaves a third to a tenth of the messages.
   */
  private static double x(int left, int index) {
    return left + 16 + index * (PANEL - 70.0) / (TailRun.PERCENTILES.size() - 1);
  }

  private static double y(double micros) {
    double power = Math.clamp(Math.log10(Math.max(1e-9, micros)), LOWEST, HIGHEST);
    return TOP + HEIGHT - (power - LOWEST) / (HIGHEST - LOWEST) * HEIGHT;
  }

  private static void line(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
