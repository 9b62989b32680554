/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueTrouble;
import io.forebay.report.Outage;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The sentences that operators read, but those about pauses ({@link PauseSentences}), failures
 * ({@link FailureSentences}), slow and busy databases ({@link DatabaseSentences}), jobs ({@link
 * JobSentences}) and disks ({@link DiskSentences}).
 */
public final class Sentences {

  private static final Duration JUST_NOW = Duration.ofSeconds(2);

  private Sentences() {}

  /** A service that is behind or will be. */
  static String behind(ServiceReport report) {
    Lag lag = report.lag();
    String limit = Formats.duration(report.limit());
    boolean passed = lag.late().known().filter(it -> it instanceof Until.Passed).isPresent();
    String direction = direction(report);
    return "%s is %s behind%s%s%s.%s%s"
        .formatted(
            report.name(),
            lag.behind().known().map(Formats::duration).orElse("an unknown time"),
            passed ? ", past its %s limit".formatted(limit) + (direction.isEmpty() ? "" : ",") : "",
            direction,
            rates(report),
            lag.catchesUp()
                ? clear(lag, passed, limit)
                : passed || report.isResuming() ? noCatchUp(lag) : late(lag, limit),
            lag.catchesUp() ? "" : DatabaseSentences.cause(report));
  }

  /** A service that performs the first batch after an outage of its database. */
  static String returned(ServiceReport report, Outage outage) {
    return "%s: %s; %s, the first batch is being performed."
        .formatted(
            report.name(),
            outage.text(),
            report
                .lag()
                .unperformed()
                .known()
                .map(it -> Formats.count(it, "message") + (it == 1 ? " waits" : " wait"))
                .orElse("messages wait"));
  }

  /** Whether more or fewer messages wait; empty if that is unknown, as in the first batch. */
  private static String direction(ServiceReport report) {
    return switch (report.lag().state()) {
      case GROWING -> " and growing";
      case DRAINING -> " and catching up";
      case STEADY, KEEPING_UP -> report.isResuming() ? "" : " and steady";
      case PAUSED, UNKNOWN -> "";
    };
  }

  private static String rates(ServiceReport report) {
    return report
        .accepted()
        .with(
            report.performed(),
            (in, out) ->
                ": accepts %s/s, performs %s/s".formatted(Formats.number(in), Formats.number(out)))
        .known()
        .orElse(because(report));
  }

  private static String late(Lag lag, String limit) {
    return left(lag.late())
        .map(left -> " Passes its %s limit in about %s.".formatted(limit, left))
        .orElse("");
  }

  private static String noCatchUp(Lag lag) {
    return lag.clear() instanceof Figure.Unknown<Until>(String why)
        ? " When it catches up is unknown: %s.".formatted(why)
        : " It does not catch up at this rate.";
  }

  /**
   * The oldest wait may still rise while fewer and fewer messages wait: those of a burst came in
   * faster than they are performed.
   */
  private static String clear(Lag lag, boolean passed, String limit) {
    Optional<String> clear = left(lag.clear());
    if (clear.isEmpty()) {
      return " It catches up.";
    }
    boolean isAging = lag.growth().known().filter(it -> it > 0).isPresent();
    if (passed || !isAging) {
      return " Nothing to do: catches up in about %s%s."
          .formatted(clear.get(), isAging ? "; until then the oldest wait still rises" : "");
    }
    return left(lag.late())
        .map(late ->
            " It catches up in about %s, but passes the %s limit in about %s; inform those who wait for results."
                .formatted(clear.get(), limit, late))
        .orElse(
            " Nothing to do: catches up in about %s; until then the oldest wait still rises, within the %s limit."
                .formatted(clear.get(), limit));
  }

  /** For the headline: a service that neither keeps up nor has an alert; empty if it keeps up. */
  static Optional<String> unsettled(ServiceReport report) {
    Lag lag = report.lag();
    if (report.phase() != ServiceState.Phase.RUNNING || report.standsStill()) {
      return Optional.empty();
    }
    if (lag.catchesUp()) {
      return Optional.of(
          report.name()
              + left(lag.clear()).map(" catches up in about %s"::formatted).orElse(" catches up"));
    }
    return lag.state() == Lag.State.GROWING
        ? Optional.of(
            "%s is %s behind and growing"
                .formatted(
                    report.name(),
                    lag.behind().known().map(Formats::duration).orElse("an unknown time")))
        : Optional.empty();
  }

  static Optional<String> left(Figure<Until> until) {
    return until
        .known()
        .filter(it -> it instanceof Until.In)
        .flatMap(Until::left)
        .map(Formats::forecast);
  }

  static String ago(Duration ago) {
    return ago.compareTo(JUST_NOW) < 0 ? "just now" : Formats.duration(ago) + " ago";
  }

  static String recovered(ServiceReport report, Duration ago, Recoveries.Spell spell) {
    String when = "%s recovered %s".formatted(report.name(), ago(ago));
    String wait =
        spell.late().isZero()
            ? "no message waited longer than its limit"
            : "messages were late for " + Formats.duration(spell.late());
    if (!spell.away().isZero()) {
      return "%s: its database was away for %s, %s; nothing was lost."
          .formatted(when, Formats.duration(spell.away()), wait);
    }
    return spell.wasSlow()
        ? "%s: its database was slower than usual for %s; %s."
            .formatted(when, Formats.duration(spell.slow()), wait)
        : "%s; %s.".formatted(when, wait);
  }

  /** The time of day in UTC, with the date if it is not the one of now. */
  public static String clock(Instant time, Instant now) {
    String text = time.truncatedTo(ChronoUnit.MINUTES).toString();
    String date = text.substring(0, 10);
    String clock = text.substring(11, 16);
    return now.toString().startsWith(date) ? clock : date + " " + clock;
  }

  static String failed(ServiceReport report) {
    return report.phase() == ServiceState.Phase.FENCED
        ? "%s was taken over by another instance; this instance no longer performs it."
            .formatted(report.name())
        : "%s has failed and performs nothing%s. An operator must act."
            .formatted(report.name(), because(report));
  }

  /** Why its database does not respond is said once for all services; see {@link DatabaseAway}. */
  static String waiting(ServiceReport report) {
    boolean forOneMessage =
        report.view().partitions().stream().anyMatch(it -> it.waitsFor() != null);
    return "%s waits%s. %s; %s."
        .formatted(
            report.name(),
            report.waitsForDatabase() ? " for its database" : because(report),
            report.view().accepts() ? "Messages are still accepted" : "Messages are refused",
            forOneMessage
                ? "later messages of the partition wait until it is performed, or an operator fails it"
                : "the service resumes automatically");
  }

  static String refusing(String service, QueueRefused.Reason reason) {
    return "%s refuses messages: %s."
        .formatted(
            service,
            switch (reason) {
              case FULL -> "its queue is full";
              case DISK -> "its disk is full";
              case UNAVAILABLE -> "the server of its queue does not accept them at the moment";
              case CLOSED -> "its queue is closed";
              case FAILED, TOO_LARGE -> "its queue failed, and an operator must act";
            });
  }

  static String stalled(ServiceReport report, QueueTrouble stall) {
    return "%s: %s.".formatted(report.name(), stall.text());
  }

  private static String because(ServiceReport report) {
    return report.reason().isEmpty() ? "" : ": " + Formats.clause(report.reason());
  }

  static String loss(ServiceReport report) {
    return "%s: retention deletes the oldest waiting message%s, although it was not performed. Resume or repair the service, or raise retention.ms."
        .formatted(
            report.name(), left(report.loss()).map(left -> " in " + left).orElse(" at any time"));
  }

  static String burst(ServiceReport report) {
    return "%s stays within its limit for %s of a 10× burst; bursts usually last %s."
        .formatted(
            report.name(),
            room(report).map(Formats::duration).orElse("an unknown time"),
            report.typicalBurst().known().map(Formats::duration).orElse("an unknown time"));
  }

  /** How long the reference burst stays within the limit; empty if unlimited or unknown. */
  public static Optional<Duration> room(ServiceReport report) {
    return report.burst().then(BurstHeadroom::late).known().flatMap(Until::left);
  }

  /** Whether the disk is full before the reference burst makes messages late. */
  public static boolean isRefusedBefore(ServiceReport report) {
    return report
        .burst()
        .known()
        .filter(it ->
            it.full()
                .with(it.late(), (full, late) -> full.compareTo(late) < 0)
                .known()
                .orElse(false))
        .isPresent();
  }

  /**
   * A hint that needs no action: how long the service stays within its limit in the reference
   * burst. Says so if the capacity was not measured lately.
   */
  public static String headroom(ServiceReport report) {
    return "Least headroom: %s stays within its limit for %s of a 10× burst%s%s."
        .formatted(
            report.name(),
            room(report).map(Formats::duration).orElse("an unknown time"),
            report
                .burst()
                .known()
                .map(it -> " (%s/s)".formatted(Formats.number(it.perSecond())))
                .orElse(""),
            report.can() instanceof Figure.Estimated<Double>(Double can, String how)
                ? " if its capacity is %s/s (%s)".formatted(Formats.number(can), how)
                : "");
  }

  static String instance(String name, Duration unseen) {
    return "Instance %s has not been seen for %s. If it was stopped or replaced, this ends automatically; otherwise look at its log."
        .formatted(name, Formats.duration(unseen));
  }
}
