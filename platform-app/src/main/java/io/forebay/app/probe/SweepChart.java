/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.capacity.sweep.Point;
import io.forebay.capacity.sweep.Verdict;
import java.util.List;
import java.util.Locale;

/** Latencies by rate as SVG; both axes are logarithmic. Its colours are those of the page. */
final class SweepChart {

  private static final int WIDTH = 760;
  private static final int HEIGHT = 400;
  private static final int LEFT = 66;
  private static final int RIGHT = 96;
  private static final int TOP = 44;
  private static final int BOTTOM = 46;
  private static final int RADIUS = 3;
  private static final int GAP = 15;
  private static final double[] STEPS = {1, 2, 5};

  private final Verdict verdict;
  private final List<Point> points;
  private final double lowRate;
  private final double highRate;
  private final int lowPower;
  private final int highPower;
  private final StringBuilder svg = new StringBuilder();

  private SweepChart(Verdict verdict) {
    this.verdict = verdict;
    points = verdict.points();
    lowRate = points.getFirst().perSecond() / 1.15;
    highRate = points.getLast().perSecond() * 1.15;
    lowPower = (int) Math.floor(Math.log10(least()));
    highPower = (int) Math.max(lowPower + 1, Math.ceil(Math.log10(most())));
  }

  /** Of rates at which anything was completed; the others have no latencies. */
  private double least() {
    return points.stream()
            .filter(point -> point.messages() > 0)
            .mapToLong(Point::typical)
            .min()
            .orElse(1_000)
        + 1.0;
  }

  private double most() {
    return Math.max(
        10.0 * verdict.typicalNanos(), points.stream().mapToLong(Point::worst).max().orElse(1));
  }

  static String svg(String title, Verdict verdict) {
    return new SweepChart(verdict).draw(title);
  }

  private String draw(String title) {
    add(
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">",
        WIDTH, HEIGHT, ProbePage.text(title));
    grid();
    mark(verdict.kneePerSecond(), "knee", 30);
    mark(verdict.sustainablePerSecond(), "sustainable", 14);
    threshold(4, "99 % limit");
    threshold(10, "99.9 % limit");
    int number = 0;
    double[] ends = ends();
    for (Words.Column column : Words.COLUMNS) {
      line(column, number, ends[number]);
      number++;
    }
    return svg.append("</svg>\n").toString();
  }

  private void grid() {
    for (int power = lowPower; power <= highPower; power++) {
      double y = y(Math.pow(10, power));
      add("<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y, WIDTH - RIGHT);
      add(
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          LEFT - 8, y + 4, Words.nanos((long) Math.pow(10, power)));
    }
    double spread = highRate / lowRate;
    for (double decade = 1; decade < highRate; decade *= 10) {
      for (double step : STEPS) {
        double rate = decade * step;
        boolean labelled = spread < 200 || step == 1;
        if (rate >= lowRate && rate <= highRate && labelled) {
          add("<path class=\"grid\" d=\"M%.1f %dV%d\"/>", x(rate), TOP, HEIGHT - BOTTOM);
          add(
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
              x(rate), HEIGHT - BOTTOM + 18, "%,d".formatted((long) rate));
        }
      }
    }
    add(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">messages per second</text>",
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
  }

  /** A vertical line with its name above the chart. */
  private void mark(long rate, String name, int y) {
    if (rate > 0) {
      boolean left = x(rate) > (LEFT + WIDTH - RIGHT) * 0.6;
      add("<path class=\"mark %s\" d=\"M%.1f %dV%d\"/>", name, x(rate), y - 8, HEIGHT - BOTTOM);
      add(
          "<text class=\"strong %s\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s %s</text>",
          name, x(rate) + (left ? -6 : 6), y, left ? "end" : "start", name, Words.rate(rate));
    }
  }

  private void threshold(int times, String name) {
    double y = y((double) times * verdict.typicalNanos());
    add(
        "<path class=\"limit\" d=\"M%d %.1fH%d\"><title>%s: %d times typical</title></path>",
        LEFT, y, WIDTH - RIGHT, name, times);
    add("<text class=\"small\" x=\"%d\" y=\"%.1f\">%s (%d ×)</text>", LEFT + 6, y - 4, name, times);
  }

  private void line(Words.Column column, int number, double end) {
    List<Point> known = points.stream().filter(it -> column.nanos(it).isPresent()).toList();
    if (known.isEmpty()) {
      return;
    }
    StringBuilder path = new StringBuilder();
    StringBuilder circles = new StringBuilder();
    for (Point point : known) {
      double x = x(point.perSecond());
      double y = y(column.value().applyAsLong(point));
      path.append(String.format(Locale.ROOT, "%s%.1f %.1f", path.isEmpty() ? "M" : "L", x, y));
      circles.append(
          String.format(
              Locale.ROOT,
              "<circle class=\"l%d%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>%s at %s: %s%s</title></circle>%n",
              number,
              point.keepsUp() ? "" : " behind",
              x,
              y,
              RADIUS,
              column.line(),
              Words.rate(point.perSecond()),
              column.text(point),
              point.keepsUp() ? "" : ", falls behind"));
    }
    add("<path class=\"line l%d\" d=\"%s\"/>", number, path);
    svg.append(circles);
    add(
        "<text class=\"strong t%d\" x=\"%d\" y=\"%.1f\">%s</text>",
        number, WIDTH - RIGHT + 8, end + 4, column.line());
  }

  /** Where the names of the lines stand: beside their ends, but apart from each other. */
  private double[] ends() {
    Point last = points.getLast();
    double[] ends =
        Words.COLUMNS.stream().mapToDouble(it -> y(it.value().applyAsLong(last))).toArray();
    double lowest = HEIGHT - BOTTOM;
    for (int i = 0; i < ends.length; i++) {
      ends[i] = Math.min(ends[i], lowest);
      lowest = ends[i] - GAP;
    }
    double highest = TOP;
    for (int i = ends.length - 1; i >= 0; i--) {
      ends[i] = Math.max(ends[i], highest);
      highest = ends[i] + GAP;
    }
    return ends;
  }

  private double x(double rate) {
    return LEFT + Math.log(rate / lowRate) / Math.log(highRate / lowRate) * (WIDTH - LEFT - RIGHT);
  }

  private double y(double nanos) {
    double power = Math.clamp(Math.log10(Math.max(1, nanos)), lowPower, highPower);
    return HEIGHT - BOTTOM - (power - lowPower) / (highPower - lowPower) * (HEIGHT - TOP - BOTTOM);
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
