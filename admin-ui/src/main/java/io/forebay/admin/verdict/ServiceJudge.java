/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.queue.QueueRefused;
import io.forebay.report.Host;
import io.forebay.report.Outage;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is said of each service: its state or, if that is usual, how late or busy it is; and
 * its queue and its failures. Not thread-safe.
 */
final class ServiceJudge {

  /**
   * An unavailable database or a stalled partition has severity WATCH for this time, then BAD; BAD
   * at once if the service is late within this time.
   */
  private static final Duration AWAY = Duration.ofMinutes(1);

  private final OpenAlerts alerts;
  private final Recoveries recoveries;
  private final FailureJudge failures;
  private final SteadyTrouble steady = new SteadyTrouble();
  private final Map<String, Instant> waits = new HashMap<>();
  private final List<Problem> problems = new ArrayList<>();
  private Instant now = Instant.EPOCH;

  /**
   * @param recoveries gets each service in each round, and whether it is late
   */
  ServiceJudge(OpenAlerts alerts, Recoveries recoveries) {
    this.alerts = alerts;
    this.recoveries = recoveries;
    failures = new FailureJudge(alerts);
  }

  /** Finds the problems of all services. */
  List<Problem> judge(Instant at, List<ServiceReport> services, @Nullable Host host) {
    now = at;
    problems.clear();
    services.forEach(it -> service(it, host));
    return List.copyOf(problems);
  }

  private void service(ServiceReport report, @Nullable Host host) {
    String name = report.name();
    boolean isUnfinished = report.lag().state() == Lag.State.GROWING || report.lag().catchesUp();
    OpenAlerts.Timing timing =
        isUnfinished ? OpenAlerts.Timing.KEEP_OPEN : OpenAlerts.Timing.BY_RULE;
    Optional<OpenAlerts.Hit> behind =
        alerts.figure(AlertKind.BEHIND, name, report.behindShare(), timing);
    Optional<Instant> waiting = waitingSince(report);
    // While it is paused or waits, that is the alert.
    Optional<OpenAlerts.Hit> late =
        alerts.until(
            AlertKind.LATE,
            name,
            report.phase() == Phase.PAUSED || waiting.isPresent()
                ? Figure.measured(OpenAlerts.never())
                : report.lag().late(),
            timing);
    boolean isLate = (behind.isPresent() || late.isPresent()) && !isOver(report);
    recoveries.add(report, isLate || report.outage() != null, now);
    queue(report, host);
    boolean isTold = standing(report, behind, waiting);
    if (!isTold && isLate) {
      late(report, behind, late);
    } else if (!isTold) {
      busy(report);
      burst(report);
    }
    alerts
        .figure(AlertKind.LOSS, name, report.lossShare())
        .ifPresent(it -> tell(it, Severity.BAD, Sentences.loss(report), trouble(report)));
    problems.addAll(failures.judge(report, () -> trouble(report)));
  }

  /** A partition that is stalled, and a queue that refuses messages. */
  private void queue(ServiceReport report, @Nullable Host host) {
    report
        .view()
        .stall()
        .ifPresent(it ->
            state(
                AlertKind.STALLED,
                report,
                severity(it.since()),
                Sentences.stalled(report, it),
                it.since()));
    boolean isToldOfItsDisk = report.isRefusedByDisk() && host != null && host.volume().isPresent();
    Phase phase = report.phase();
    report
        .refusal()
        .filter(it -> !isToldOfItsDisk && it.reason() != QueueRefused.Reason.FAILED)
        .filter(_ -> phase == Phase.RUNNING || phase == Phase.PAUSED || phase == Phase.WAITING)
        .ifPresent(it ->
            state(
                AlertKind.REFUSING,
                report,
                severity(it.since()),
                Sentences.refusing(report.name(), it.reason()),
                it.since()));
  }

  /**
   * Tells that it has failed, waits, performs its first batch after that, or is paused.
   *
   * @param behind its alert, if it is behind
   * @return whether it is in such a state; then operators need not know how late or busy it is
   */
  private boolean standing(
      ServiceReport report, Optional<OpenAlerts.Hit> behind, Optional<Instant> waiting) {
    Phase phase = report.phase();
    boolean isBad = behind.filter(it -> it.severity() == Severity.BAD).isPresent();
    if (phase == Phase.FAILED || phase == Phase.FENCED) {
      Instant since = report.view().state().since();
      state(AlertKind.FAILED, report, Severity.BAD, Sentences.failed(report), since);
    } else if (phase == Phase.WAITING && (report.isRefusedByDisk() || report.standsStill())) {
      // the disk is the problem; it resumes within a second after room was made
    } else if (waiting.isPresent() && report.view().stall().isEmpty()) {
      state(
          AlertKind.WAITING,
          report,
          isBad || isLateSoon(report) ? Severity.BAD : severity(waiting.get()),
          Sentences.waiting(report),
          waiting.get());
    } else if (report.returnsFrom().isPresent()) {
      Outage outage = report.returnsFrom().get();
      state(
          AlertKind.WAITING,
          report,
          isBad ? Severity.BAD : Severity.WATCH,
          Sentences.returned(report, outage),
          outage.since());
    } else if (phase == Phase.PAUSED) {
      paused(report, behind);
    } else {
      return false;
    }
    return true;
  }

  /** The worse of its two alerts. */
  private void late(
      ServiceReport report, Optional<OpenAlerts.Hit> behind, Optional<OpenAlerts.Hit> late) {
    OpenAlerts.Hit worse =
        behind.isPresent()
                && (late.isEmpty() || behind.get().severity().compareTo(late.get().severity()) >= 0)
            ? behind.get()
            : late.orElseThrow();
    boolean willPass = report.lag().late().known().flatMap(Until::left).isPresent();
    tell(
        badIfPast(worse, report),
        willPass ? Severity.BAD : Severity.WATCH,
        Sentences.behind(report),
        trouble(report));
  }

  private void busy(ServiceReport report) {
    busyDatabase(report)
        .filter(it -> it.value() >= it.mark()) // no text while the alert is closing
        .ifPresent(it ->
            tell(
                it,
                Severity.BAD,
                report.lag().state() == Lag.State.GROWING
                    ? Sentences.behind(report)
                    : DatabaseSentences.busy(report, it.value()),
                trouble(report)));
  }

  /** A database that is slower than usual need not wait for the mean of a minute. */
  private Optional<OpenAlerts.Hit> busyDatabase(ServiceReport report) {
    double mark = Objects.requireNonNull(AlertKind.DATABASE.rule()).watch().value();
    return report.slowerNow() == null
        ? alerts.figure(AlertKind.DATABASE, report.name(), report.busy())
        : alerts.figure(
            AlertKind.DATABASE,
            report.name(),
            report.busy().map(it -> Math.max(it, mark)),
            OpenAlerts.Timing.OPEN_AT_ONCE);
  }

  /** Whether the backlog is gone, though its alert waits a little before it closes. */
  private static boolean isOver(ServiceReport report) {
    double mark = Objects.requireNonNull(AlertKind.BEHIND.rule()).watch().value();
    return report.lag().state() == Lag.State.KEEPING_UP
        && report.behindShare().known().filter(it -> it >= mark).isEmpty();
  }

  /** Since when it waits; the time of the state itself starts over with each reason. */
  private Optional<Instant> waitingSince(ServiceReport report) {
    if (report.phase() != Phase.WAITING) {
      waits.remove(report.name());
      return Optional.empty();
    }
    return Optional.of(waits.computeIfAbsent(report.name(), _ -> report.view().state().since()));
  }

  /**
   * @param behind its alert, if it is behind
   */
  private void paused(ServiceReport report, Optional<OpenAlerts.Hit> behind) {
    String text = PauseSentences.paused(report, now);
    if (behind.isPresent()) {
      OpenAlerts.Hit hit = badIfPast(behind.get(), report).as(AlertKind.PAUSED);
      tell(hit, Severity.BAD, text, trouble(report));
    } else if (isLateBeforeItResumes(report)) {
      state(AlertKind.PAUSED, report, Severity.WATCH, text, report.view().state().since());
    }
  }

  /** A message that is late needs no confirmation by the next seconds. */
  private static OpenAlerts.Hit badIfPast(OpenAlerts.Hit hit, ServiceReport report) {
    return report.lag().late().known().filter(it -> it instanceof Until.Passed).isPresent()
        ? hit.bad()
        : hit;
  }

  private boolean isLateBeforeItResumes(ServiceReport report) {
    Optional<Instant> until = report.desired().map(DesiredState::until);
    return report
        .lag()
        .late()
        .known()
        .flatMap(Until::left)
        .filter(left -> until.filter(it -> now.plus(left).isAfter(it)).isEmpty())
        .isPresent();
  }

  private static boolean isLateSoon(ServiceReport report) {
    return report
        .lag()
        .late()
        .known()
        .flatMap(Until::left)
        .filter(left -> left.compareTo(AWAY) <= 0)
        .isPresent();
  }

  private Until trouble(ServiceReport report) {
    return steady.of(report.name(), report.trouble(), now);
  }

  private Severity severity(Instant since) {
    return since.plus(AWAY).isAfter(now) ? Severity.WATCH : Severity.BAD;
  }

  /**
   * Raises an alert of severity WATCH if bursts of the usual length would be late; none if there
   * were no bursts.
   */
  private void burst(ServiceReport report) {
    alerts
        .figure(AlertKind.BURST, report.name(), report.burstShare())
        .ifPresent(it -> tell(it, Severity.WATCH, Sentences.burst(report), trouble(report)));
  }

  private void state(
      AlertKind kind, ServiceReport report, Severity severity, String text, Instant since) {
    problems.add(
        new Problem(
            OpenAlerts.id(kind, report.name()),
            severity,
            kind,
            report.name(),
            null,
            null,
            null,
            text,
            since,
            null,
            trouble(report)));
  }

  private void tell(OpenAlerts.Hit hit, Severity most, String text, Until trouble) {
    problems.add(hit.problem(most, text, trouble));
  }
}
