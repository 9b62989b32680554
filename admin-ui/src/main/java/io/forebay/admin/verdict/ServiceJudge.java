/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.operations.LockHolder;
import io.forebay.queue.QueueRefused;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which alerts of each service are open: of its state or, if that is usual, how late or
 * busy it is; and of its queue and its failures. Not thread-safe.
 */
final class ServiceJudge {

  /**
   * A service that waits, refuses messages or has a stalled partition has severity WATCH for this
   * time, then BAD; BAD at once if its database does not respond and messages wait.
   */
  private static final Duration AWAY = Duration.ofMinutes(1);

  /** A service that waits for a lock has severity WATCH for this time, then BAD. */
  private static final Duration LOCKED = Duration.ofSeconds(5);

  private final OpenAlerts alerts;
  private final FailureJudge failures;
  private final Map<String, Instant> waits = new HashMap<>();
  private final List<Problem> problems = new ArrayList<>();

  /** The services whose workers were busy a second ago. */
  private Set<String> wereBusy = Set.of();

  private Instant now = Instant.EPOCH;

  ServiceJudge(OpenAlerts alerts) {
    this.alerts = alerts;
    failures = new FailureJudge(alerts);
  }

  /** Finds the problems of all services. */
  List<Problem> judge(Instant at, List<ServiceReport> services, @Nullable Host host) {
    now = at;
    wereBusy =
        problems.stream()
            .filter(it -> it.kind() == AlertKind.DATABASE)
            .map(Problem::service)
            .collect(Collectors.toSet());
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
        .ifPresent(it -> tell(it, Severity.BAD, new Figures.Loss(report.loss())));
    problems.addAll(failures.judge(report));
  }

  /** A partition that is stalled, and a queue that refuses messages. */
  private void queue(ServiceReport report, @Nullable Host host) {
    Phase phase = report.phase();
    report
        .view()
        .stall()
        .ifPresent(it ->
            state(
                AlertKind.STALLED,
                report,
                severity(it.since()),
                new Figures.Stopped(phase, it.text()),
                it.since()));
    boolean isToldOfItsDisk = report.isRefusedByDisk() && host != null && host.volume().isPresent();
    report
        .refusal()
        .filter(it -> !isToldOfItsDisk && it.reason() != QueueRefused.Reason.FAILED)
        .filter(_ -> phase == Phase.RUNNING || phase == Phase.PAUSED || phase == Phase.WAITING)
        .ifPresent(it ->
            state(
                AlertKind.REFUSING,
                report,
                severity(it.since()),
                new Figures.Refusing(it.reason()),
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
      Figures figures = new Figures.Stopped(phase, report.reason());
      state(AlertKind.FAILED, report, Severity.BAD, figures, report.view().state().since());
    } else if (report.view().waitsForLock() && phase != Phase.PAUSED) {
      LockHolder holder = report.view().lockHolder();
      Instant since = holder == null ? waiting.orElse(now) : holder.waits();
      boolean isLong = !since.plus(LOCKED).isAfter(now);
      waits(report, isBad || isLong ? Severity.BAD : Severity.WATCH, since);
    } else if (phase == Phase.WAITING && (report.isRefusedByDisk() || report.standsStill())) {
      // the disk is the problem; it resumes within a second after room was made
    } else if (waiting.isPresent() && report.view().stall().isEmpty()) {
      boolean doCallersWait = report.waitsForDatabase() && hasBacklog(report);
      waits(report, isBad || doCallersWait ? Severity.BAD : severity(waiting.get()), waiting.get());
    } else if (report.returnsFrom().isPresent()) {
      waits(report, isBad ? Severity.BAD : Severity.WATCH, report.returnsFrom().get().since());
    } else if (phase == Phase.PAUSED) {
      paused(report, behind);
    } else {
      return false;
    }
    return true;
  }

  private void waits(ServiceReport report, Severity severity, Instant since) {
    boolean forOneMessage =
        report.view().partitions().stream().anyMatch(it -> it.waitsFor() != null);
    Figures figures =
        new Figures.Waiting(
            Figures.Standing.of(report),
            report.outage(),
            report.view().lockHolder(),
            forOneMessage);
    state(AlertKind.WAITING, report, severity, figures, since);
  }

  private static boolean hasBacklog(ServiceReport report) {
    return report.lag().unperformed().known().filter(it -> it > 0).isPresent();
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
        Figures.Behind.of(report));
  }

  /** Busy workers are never worse than WATCH while no message waits: then all is over. */
  private void busy(ServiceReport report) {
    busyDatabase(report)
        .filter(it -> it.value() >= it.mark()) // none while the alert is closing
        .filter(_ -> report.isDatabaseSlow() || !isDueToBacklog(report))
        .ifPresent(it ->
            tell(
                it,
                report.lag().state() == Lag.State.KEEPING_UP ? Severity.WATCH : Severity.BAD,
                Figures.Behind.of(report)));
  }

  /** Whether the workers are busy with a backlog that gets smaller, or became so with one. */
  private boolean isDueToBacklog(ServiceReport report) {
    return report.lag().catchesUp()
        || (report.busy().known().isEmpty()
            && (!wereBusy.contains(report.name()) || report.view().partitions().isEmpty()));
  }

  /** A database that is slower than usual need not wait for the mean of a minute. */
  private Optional<OpenAlerts.Hit> busyDatabase(ServiceReport report) {
    double mark = AlertKind.DATABASE.ofFigure().watch().value();
    return report.isDatabaseSlow()
        ? alerts.figure(
            AlertKind.DATABASE,
            report.name(),
            report.busy().map(it -> Math.max(it, mark)),
            OpenAlerts.Timing.OPEN_AT_ONCE)
        : alerts.figure(AlertKind.DATABASE, report.name(), report.busy());
  }

  /** Whether the backlog is gone, though its alert waits a little before it closes. */
  private static boolean isOver(ServiceReport report) {
    double mark = AlertKind.BEHIND.ofFigure().watch().value();
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
   * A pause is an alert also without traffic, so that it is not forgotten.
   *
   * @param behind its alert, if it is behind
   */
  private void paused(ServiceReport report, Optional<OpenAlerts.Hit> behind) {
    Optional<DesiredState> pause = report.desired().filter(DesiredState::paused);
    Figures figures = new Figures.Paused(Figures.Standing.of(report), pause.orElse(null));
    if (behind.isPresent()) {
      tell(badIfPast(behind.get(), report).as(AlertKind.PAUSED), Severity.BAD, figures);
    } else {
      Instant since = pause.map(it -> it.begun().at()).orElse(report.view().state().since());
      state(AlertKind.PAUSED, report, Severity.WATCH, figures, since);
    }
  }

  /** A message that is late needs no confirmation by the next seconds. */
  private static OpenAlerts.Hit badIfPast(OpenAlerts.Hit hit, ServiceReport report) {
    return report.lag().late().known().filter(it -> it instanceof Until.Passed).isPresent()
        ? hit.bad()
        : hit;
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
        .ifPresent(it ->
            tell(
                it,
                Severity.WATCH,
                new Figures.Burst(
                    report.burst().then(BurstHeadroom::late), report.typicalBurst())));
  }

  private void state(
      AlertKind kind, ServiceReport report, Severity severity, Figures figures, Instant since) {
    problems.add(Problem.of(kind, report.name(), severity, since, null, figures));
  }

  private void tell(OpenAlerts.Hit hit, Severity most, Figures figures) {
    problems.add(hit.problem(most, figures));
  }
}
