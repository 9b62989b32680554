/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.capacity.sweep.Point;
import io.forebay.capacity.sweep.Verdict;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.List;

/** What the command prints. */
final class Terminal {

  private static final String CELL = "%12s";

  private Terminal() {}

  static String duration(Duration duration) {
    return Formats.duration(Duration.ofSeconds(Math.max(1, duration.toSeconds())));
  }

  /** One rate was measured. */
  static void progress(Point point) {
    System.out.printf(
        "  %14s  99 %% %8s  99.9 %% %8s  %s%n",
        Words.rate(point.perSecond()),
        Words.nanos(point.p99()),
        Words.nanos(point.p999()),
        point.keepsUp() ? "" : "falls behind");
  }

  static void print(Point jitter, List<PathResult> results) {
    for (PathResult result : results) {
      Verdict verdict = result.verdict();
      System.out.printf("%s: %s%n%n  ", result.kind(), result.what());
      System.out.printf(CELL, "per second");
      Words.COLUMNS.forEach(it -> System.out.printf(CELL, it.name()));
      System.out.println();
      for (Point point : verdict.points()) {
        System.out.print("  ");
        System.out.printf(CELL, Formats.number(point.perSecond()));
        row(point, Words.note(verdict, point));
      }
      System.out.printf(
          "%n  sustainable  %s%n  knee         %s%n  bytes        %s%n%n",
          Words.sustainable(verdict), Words.knee(verdict), Words.bytes(result));
    }
    System.out.print("The machine alone: how late an idle thread wakes up\n\n  ");
    System.out.printf(CELL, Formats.number(jitter.perSecond()));
    row(jitter, "");
  }

  private static void row(Point point, String note) {
    Words.COLUMNS.forEach(it -> System.out.printf(CELL, it.text(point)));
    System.out.println(note.isEmpty() ? "" : "  " + note);
  }
}
