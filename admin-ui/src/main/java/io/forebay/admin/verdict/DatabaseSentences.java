/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.DatabaseRate;
import io.forebay.capacity.statement.StatementShares;
import io.forebay.report.ServiceReport;
import io.forebay.text.Formats;
import java.util.Optional;

/** The sentences about a database that is slow or busy, and what keeps it so. */
final class DatabaseSentences {

  /** What takes less of the database's time is not the cause. */
  private static final double CAUSE = 0.3;

  /** So many times the usual intake, or the usual time of a statement, is the cause. */
  private static final double MORE = 2;

  /** A capacity that was measured while the database was slow is no comparison. */
  private static final double CLEARLY_MORE = 1.2;

  private DatabaseSentences() {}

  /**
   * A slow database, more messages than usual, or what takes most of the database's time; empty in
   * the first batch after a break, because then the break is the cause.
   */
  static String cause(ServiceReport report) {
    if (report.isResuming()) {
      return "";
    }
    if (report.slowerNow() != null) {
      return " %s.%s".formatted(slower(report, report.slowerNow()), slowest(report));
    }
    double times = timesUsual(report);
    return times < MORE
        ? slowest(report)
        : " That is %s times the usual intake.".formatted(Formats.number(times));
  }

  /** The intake as a multiple of the usual one; 0 if that is unknown. */
  private static double timesUsual(ServiceReport report) {
    return report
        .accepted()
        .with(report.burst(), (in, burst) -> in * BurstHeadroom.TIMES / burst.perSecond())
        .known()
        .orElse(0.0);
  }

  /**
   * A statement that takes longer than usual, or what takes most of the database's time; empty if
   * nothing takes much of it.
   */
  private static String slowest(ServiceReport report) {
    return report.slowest().shares().stream()
        .filter(it -> it.share() >= CAUSE)
        .flatMap(it -> slower(it).stream())
        .findFirst()
        .orElseGet(() -> mostOfTheTime(report));
  }

  private static Optional<String> slower(StatementShares.Share share) {
    if (share.statement() == null || share.mean() == null || share.usual() == null) {
      return Optional.empty();
    }
    double times = (double) share.mean().toNanos() / Math.max(1, share.usual().toNanos());
    return times < MORE
        ? Optional.empty()
        : Optional.of(
            " In the last minute, statement %s took %s instead of %s as usual; see Slowest statements."
                .formatted(
                    share.statement(),
                    Formats.duration(share.mean()),
                    Formats.duration(share.usual())));
  }

  private static String mostOfTheTime(ServiceReport report) {
    return report.slowest().shares().stream()
        .findFirst()
        .filter(it -> it.share() >= CAUSE)
        .map(it ->
            " %s %s of the database's time; see Slowest statements."
                .formatted(
                    switch (it.part()) {
                      case STATEMENT -> "Statement %s takes".formatted(it.statement());
                      case SQL_TEXT -> "SQL texts outside the catalogue take";
                      case TRANSACTION -> "Ledger and commit take";
                    },
                    Formats.share(it.share())))
        .orElse("");
  }

  /** Busy workers of a service that is not falling behind. */
  static String busy(ServiceReport report, double share) {
    return report.slowerNow() == null
        ? "The workers of %s are %s busy; there is little spare capacity.%s"
            .formatted(report.name(), Formats.share(share), slowest(report))
        : "%s.%s%s".formatted(slower(report, report.slowerNow()), notLate(report), slowest(report));
  }

  /** What a slow database means for callers as long as the service keeps up. */
  private static String notLate(ServiceReport report) {
    return report
        .lag()
        .behind()
        .known()
        .map(it ->
            " No message is late: the oldest has waited for %s (limit %s)."
                .formatted(Formats.duration(it), Formats.duration(report.limit())))
        .orElse("");
  }

  private static String slower(ServiceReport report, DatabaseRate.Slower slower) {
    String times =
        slower.times() == null
            ? ""
            : ": a message takes %s times as long".formatted(Formats.number(slower.times()));
    return "The database of %s is slower than usual%s%s"
        .formatted(
            report.name(),
            times,
            slower.perSecond() == null ? "" : atMost(report, slower.perSecond()));
  }

  private static String atMost(ServiceReport report, double now) {
    return "; it performs %s/s at most%s"
        .formatted(
            Formats.number(now),
            report
                .can()
                .known()
                .filter(can -> can >= CLEARLY_MORE * now)
                .map(can -> " instead of %s/s".formatted(Formats.number(can)))
                .orElse(""));
  }
}
