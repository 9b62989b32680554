/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Locale;
import java.util.Map;

/** The medians as bars on a logarithmic axis. */
final class LettersChart {

  private static final int WIDTH = 860;
  private static final int LEFT = 210;
  private static final int RIGHT = 110;
  private static final int ROW = 30;
  private static final int TOP = 56;

  private LettersChart() {}

  static String svg(Map<LettersContender, Rounds> rounds, String figure, long contracts) {
    double most = rounds.values().stream().mapToDouble(it -> it.median(figure)).max().orElse(1);
    double least = rounds.values().stream().mapToDouble(it -> it.median(figure)).min().orElse(1);
    int from = (int) Math.floor(Math.log10(least) - 0.3);
    int to = (int) Math.ceil(Math.log10(most));
    int bottom = TOP + ROW * rounds.size();
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">",
        WIDTH,
        bottom + 40);
    line(svg, "<title>Seconds to write %,d letters, medians</title>", contracts);
    line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>");
    line(
        svg,
        "<text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"600\">Seconds to write %,d letters (median; the axis is logarithmic)</text>",
        contracts);
    for (int power = from; power <= to; power++) {
      double x = x(Math.pow(10, power), from, to);
      line(svg, "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/>", x, TOP - 8, bottom);
      line(
          svg,
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%s</text>",
          x,
          bottom + 18,
          power < 0
              ? String.format(Locale.ROOT, "%." + -power + "f", Math.pow(10, power))
              : String.format(Locale.ROOT, "%,d", Math.round(Math.pow(10, power))));
    }
    int y = TOP;
    for (Map.Entry<LettersContender, Rounds> entry : rounds.entrySet()) {
      double seconds = entry.getValue().median(figure);
      double end = x(seconds, from, to);
      line(
          svg,
          "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
          LEFT - 10,
          y + 16,
          entry.getKey().title());
      line(
          svg,
          "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\" fill=\"%s\"/>",
          LEFT,
          y + 2,
          end - LEFT,
          entry.getKey().title().startsWith("chunked") ? "#1f6f78" : "#9aa5ad");
      line(
          svg,
          "<text x=\"%.1f\" y=\"%d\">%s</text>",
          end + 6,
          y + 16,
          String.format(Locale.ROOT, seconds < 10 ? "%.2f s" : "%.1f s", seconds));
      y += ROW;
    }
    return svg.append("</svg>\n").toString();
  }

  private static double x(double seconds, int from, int to) {
    return LEFT + (Math.log10(seconds) - from) / (to - from) * (WIDTH - LEFT - RIGHT);
  }

  private static void line(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
