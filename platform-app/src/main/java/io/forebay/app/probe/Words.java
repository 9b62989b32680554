/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.capacity.sweep.Point;
import io.forebay.capacity.sweep.Verdict;
import io.forebay.text.Formats;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The figures of a probe as text, for the terminal and the page. */
final class Words {

  /** The columns of a table of rates. */
  static final List<Column> COLUMNS =
      List.of(
          new Column("typical", "50 %", 1, Point::typical),
          new Column("90 %", "90 %", 10, Point::p90),
          new Column("99 %", "99 %", 100, Point::p99),
          new Column("99.9 %", "99.9 %", 1_000, Point::p999),
          new Column("99.99 %", "99.99 %", 10_000, Point::p9999),
          new Column("worst", "worst", 1, Point::worst));

  private static final double TERA = 1e12;

  private Words() {}

  /**
   * @param line its name in a chart
   * @param least with fewer messages, there is no such percentile
   */
  record Column(String name, String line, long least, ToLongFunction<Point> value) {

    /** Empty if there were too few messages. */
    OptionalLong nanos(Point point) {
      return point.messages() < least
          ? OptionalLong.empty()
          : OptionalLong.of(value.applyAsLong(point));
    }

    String text(Point point) {
      OptionalLong nanos = nanos(point);
      return nanos.isEmpty() ? "–" : Words.nanos(nanos.getAsLong());
    }
  }

  static String nanos(long nanos) {
    return nanos < 1_000 ? nanos + " ns" : Formats.duration(nanos / 1e9);
  }

  static String rate(long perSecond) {
    return Formats.number(perSecond) + "/s";
  }

  /** The sustainable rate and its percentiles. */
  static String sustainable(Verdict verdict) {
    long rate = verdict.sustainablePerSecond();
    if (rate == 0) {
      return verdict.kneePerSecond() == 0
          ? "none: it fell behind at every rate"
          : unstable(verdict);
    }
    Point point = at(verdict, rate);
    return rate(rate)
        + ": "
        + COLUMNS.stream()
            .filter(it -> it.least() >= 100 && it.nanos(point).isPresent())
            .map(it -> it.name() + " within " + it.text(point) + ", ")
            .collect(Collectors.joining())
        + "worst "
        + nanos(point.worst());
  }

  /** Why no rate is sustainable, at the lowest rate at which it kept up. */
  private static String unstable(Verdict verdict) {
    Point lowest = verdict.points().stream().filter(Point::keepsUp).findFirst().orElseThrow();
    return "none: even at %s, 99 %% take %s and 99.9 %% %s; the typical latency is %s, of which 4 times and 10 times are allowed"
        .formatted(
            rate(lowest.perSecond()),
            nanos(lowest.p99()),
            nanos(lowest.p999()),
            nanos(verdict.typicalNanos()));
  }

  /** Where it stops to keep up. */
  static String knee(Verdict verdict) {
    return verdict.kneePerSecond() == 0
        ? "unknown: it fell behind at every rate"
        : (verdict.isLimited() ? "at least " : "")
            + rate(verdict.kneePerSecond())
            + "; above, delays grow as long as the load lasts";
  }

  /** The bytes of a message, of a day, and when the disk is full. */
  static String bytes(PathResult result) {
    if (result.inBytes().isEmpty()) {
      return "unknown: the backend has not reported them";
    }
    return "%s%s per message%s%s"
        .formatted(
            Formats.number(result.inBytes().getAsDouble()),
            result.outBytes().isEmpty()
                ? ""
                : " in + " + Formats.number(result.outBytes().getAsDouble()) + " out",
            result.bytesPerDay().isEmpty() ? "" : "; " + perDay(result) + " per day",
            result.secondsUntilFull().isEmpty()
                ? ""
                : "; nothing deleted, the disk is full in " + untilFull(result));
  }

  static String perDay(PathResult result) {
    return result.bytesPerDay().isEmpty()
        ? "unknown"
        : Formats.number(result.bytesPerDay().getAsDouble() / TERA) + " TB";
  }

  static String untilFull(PathResult result) {
    return result.secondsUntilFull().isEmpty()
        ? "unknown"
        : Formats.duration(result.secondsUntilFull().getAsDouble());
  }

  /** Of several measurements at the rate, the last one. */
  static Point at(Verdict verdict, long perSecond) {
    return verdict.points().stream()
        .filter(it -> it.perSecond() == perSecond)
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  /** What is said of a rate: whether it is the sustainable one, and whether it kept up. */
  static String note(Verdict verdict, Point point) {
    if (!point.keepsUp()) {
      return "falls behind: " + rate(Math.round(point.completedPerSecond()));
    }
    if (point.perSecond() == verdict.sustainablePerSecond()) {
      return "sustainable";
    }
    return point.perSecond() == verdict.kneePerSecond() ? "knee" : "";
  }
}
