/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Alert;
import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.AlertRule;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import io.forebay.queue.QueueRefused;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides which alerts are open. A figure raises an alert by its {@link AlertRule}, with
 * hysteresis; a state raises one at once. Not thread-safe.
 */
public final class Judge {

  /** An unavailable database or a stalled partition has severity WATCH for this time, then BAD. */
  private static final Duration AWAY = Duration.ofMinutes(1);

  private static final Duration LONG_AGO = Duration.ofMinutes(10);

  /** Reasons of a refusal that are problems of their own: of the disk, and of a damaged queue. */
  private static final Set<QueueRefused.Reason> TOLD_APART =
      EnumSet.of(QueueRefused.Reason.DISK, QueueRefused.Reason.FAILED);

  private boolean first = true;
  private final Map<String, Alert> alerts = new HashMap<>();
  private final Set<String> seen = new HashSet<>();
  private final List<Problem> problems = new ArrayList<>();
  private final Recoveries recoveries = new Recoveries();
  private List<String> recovered = List.of();
  private Instant now = Instant.EPOCH;

  /**
   * Another instance.
   *
   * @param unseen how long it has not been seen
   */
  public record Other(String name, Duration unseen) {}

  /** Returns all problems, the most urgent first. */
  public List<Problem> judge(
      Instant at,
      List<ServiceReport> services,
      @Nullable Host host,
      List<Other> others,
      List<JobTrouble> jobs) {
    now = at;
    problems.clear();
    seen.clear();
    services.forEach(this::service);
    if (host != null) {
      host.volumes().forEach(it -> volume(it, refusing(services)));
      figure(AlertKind.MEMORY, "host", host.memory().share())
          .ifPresent(it -> tell(it, Severity.BAD, Sentences.memory(it.value()), never()));
    }
    others.forEach(this::instance);
    jobs.forEach(this::job);
    alerts.keySet().retainAll(seen);
    recovered = recoveries.tell(services, now);
    first = false;
    problems.sort(Problem.URGENT);
    return List.copyOf(problems);
  }

  /** A sentence for each service that has recovered lately, as of the last judgement. */
  public List<String> recovered() {
    return recovered;
  }

  private static Until never() {
    return new Until.Never("the time is unknown");
  }

  private void service(ServiceReport report) {
    String name = report.name();
    Phase phase = report.phase();
    Optional<Hit> behind = figure(AlertKind.BEHIND, name, report.behindShare());
    boolean paused = phase == Phase.PAUSED;
    Optional<Hit> late =
        until(AlertKind.LATE, name, paused ? Figure.measured(never()) : report.lag().late());
    recoveries.add(report, behind.isPresent() || late.isPresent(), now);
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
    report
        .refusal()
        .filter(it -> !TOLD_APART.contains(it.reason()))
        .filter(_ -> phase == Phase.RUNNING || phase == Phase.PAUSED || phase == Phase.WAITING)
        .ifPresent(it ->
            state(
                AlertKind.REFUSING,
                report,
                severity(it.since()),
                Sentences.refusing(name, it.reason()),
                it.since()));
    Instant since = report.view().state().since();
    if (phase == Phase.FAILED || phase == Phase.FENCED) {
      state(AlertKind.FAILED, report, Severity.BAD, Sentences.failed(report), since);
    } else if (phase == Phase.WAITING && report.isRefusedByDisk()) {
      // the problem is that of the disk: it waits to write its results
    } else if (phase == Phase.WAITING && report.view().stall().isEmpty()) {
      boolean bad = behind.filter(it -> it.severity() == Severity.BAD).isPresent();
      state(
          AlertKind.WAITING,
          report,
          bad ? Severity.BAD : severity(since),
          Sentences.waiting(report),
          since);
    } else if (paused) {
      behind.ifPresent(it ->
          tell(
              it.as(AlertKind.PAUSED),
              Severity.BAD,
              Sentences.paused(report, now),
              report.trouble()));
    } else if (behind.isPresent() || late.isPresent()) {
      Hit worse =
          behind.isPresent()
                  && (late.isEmpty()
                      || behind.get().severity().compareTo(late.get().severity()) >= 0)
              ? behind.get()
              : late.orElseThrow();
      boolean over =
          report.lag().state() == Lag.State.KEEPING_UP
              || (report.lag().state() == Lag.State.STEADY
                  && report.behindShare().known().filter(it -> it < worse.mark()).isPresent());
      tell(worse, over ? Severity.WATCH : Severity.BAD, Sentences.behind(report), report.trouble());
    } else {
      figure(AlertKind.DATABASE, name, report.busy())
          .filter(it -> it.value() >= it.mark()) // no text while the alert is closing
          .ifPresent(
              it -> tell(it, Severity.BAD, Sentences.busy(report, it.value()), report.trouble()));
      burst(report);
    }
    figure(AlertKind.LOSS, name, report.lossShare())
        .ifPresent(it -> tell(it, Severity.BAD, Sentences.loss(report), report.trouble()));
    counts(report);
  }

  private Severity severity(Instant since) {
    return since.plus(AWAY).isAfter(now) ? Severity.WATCH : Severity.BAD;
  }

  /**
   * Raises an alert of severity WATCH if bursts of the usual length would be late; none if there
   * were no bursts.
   */
  private void burst(ServiceReport report) {
    Figure<Double> share =
        report.typicalBurst() instanceof Figure.Measured<Duration>(Duration usual)
            ? report
                .burst()
                .then(BurstHeadroom::late)
                .map(late ->
                    late.left()
                        .map(left -> (double) left.toNanos() / usual.toNanos())
                        .orElse(Double.MAX_VALUE))
            : Figure.unknown("no burst in 7 days");
    figure(AlertKind.BURST, report.name(), share)
        .ifPresent(it -> tell(it, Severity.WATCH, Sentences.burst(report), report.trouble()));
  }

  private void counts(ServiceReport report) {
    long dead = report.recently().deadLetters();
    figure(AlertKind.DEAD, report.name(), Figure.measured((double) dead))
        .ifPresent(it -> tell(it, Severity.BAD, Sentences.dead(report), report.trouble()));
    long performed = report.recently().performed();
    Figure<Double> failing =
        performed == 0
            ? Figure.measured(0.0)
            : Figure.measured((double) report.recently().failed() / performed);
    figure(AlertKind.FAILING, report.name(), failing)
        .ifPresent(it -> tell(it, Severity.WATCH, Sentences.failing(report), report.trouble()));
  }

  /** The services that refuse messages because their disk is full, and since when. */
  private static Map<String, Instant> refusing(List<ServiceReport> services) {
    Map<String, Instant> refusing = new TreeMap<>();
    for (ServiceReport report : services) {
      report
          .refusal()
          .filter(it -> it.reason() == QueueRefused.Reason.DISK)
          .ifPresent(it -> refusing.put(report.name(), it.since()));
    }
    return refusing;
  }

  /** One problem at most: that it is full, else that it will be, else that little is free. */
  private void volume(Host.VolumeView view, Map<String, Instant> refusing) {
    boolean full =
        view.volume().map(Volume::freeBytes).known().filter(free -> free <= 0).isPresent();
    Optional<Hit> runs = until(AlertKind.DISK, view.name(), view.runway().map(Runway::low));
    Optional<Hit> level =
        figure(
            AlertKind.SPACE,
            view.name(),
            view.volume().map(it -> (double) it.freeBytes() / Math.max(1, it.stopBytes())));
    if (full || !refusing.isEmpty()) {
      full(view, refusing);
    } else if (runs.isPresent()
        && view.runway().known().isPresent()
        && (level.isEmpty() || level.get().severity().compareTo(runs.get().severity()) <= 0)) {
      Runway runway = view.runway().known().get();
      tell(runs.get(), Severity.BAD, Sentences.disk(view, runway), runway.low());
    } else {
      level.ifPresent(it ->
          tell(
              it,
              Severity.BAD,
              Sentences.space(view, it.value()),
              view.runway().map(Runway::low).known().orElse(never())));
    }
  }

  private void full(Host.VolumeView view, Map<String, Instant> refusing) {
    problems.add(
        new Problem(
            id(AlertKind.DISK, view.name()),
            Severity.BAD,
            AlertKind.DISK,
            null,
            view.name(),
            null,
            null,
            Sentences.full(view, refusing.keySet()),
            refusing.values().stream().min(Instant::compareTo).orElse(now),
            0.0,
            Objects.requireNonNull(AlertKind.DISK.rule()).bad().value(),
            new Until.Passed(),
            null));
  }

  private void instance(Other other) {
    figure(AlertKind.INSTANCE, other.name(), Figure.measured(other.unseen().toNanos() / 1e9))
        .ifPresent(it ->
            tell(it, Severity.BAD, Sentences.instance(other.name(), other.unseen()), never()));
  }

  private void job(JobTrouble trouble) {
    problems.add(
        new Problem(
            id(trouble.kind(), trouble.subject()),
            trouble.sure() ? Severity.BAD : Severity.WATCH,
            trouble.kind(),
            null,
            null,
            trouble.job(),
            trouble.execution(),
            trouble.text(),
            Objects.requireNonNullElse(trouble.since(), now),
            trouble.lateSeconds(),
            trouble.lateSeconds() == null ? null : 0.0,
            never(),
            null));
  }

  /** An open alert of a service, a volume, an instance or the host. */
  private record Hit(
      AlertKind kind, String subject, Severity severity, Instant since, double value, double mark) {

    Hit as(AlertKind other) {
      return new Hit(other, subject, severity, since, value, mark);
    }
  }

  private static String text(AlertKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static String id(AlertKind kind, String subject) {
    return text(kind) + "~" + subject.replace('/', '_');
  }

  private Optional<Hit> until(AlertKind kind, String subject, Figure<Until> until) {
    return figure(
        kind,
        subject,
        until.map(it -> it.left().map(left -> left.toNanos() / 1e9).orElse(Double.MAX_VALUE)));
  }

  private Optional<Hit> figure(AlertKind kind, String subject, Figure<Double> figure) {
    String id = id(kind, subject);
    AlertRule rule = Objects.requireNonNull(kind.rule());
    Alert before = alerts.getOrDefault(id, Alert.fine(rule));
    // At the start, a figure counts as having been past its mark for a while.
    Alert alert = (first ? before.next(now.minus(LONG_AGO), figure) : before).next(now, figure);
    seen.add(id);
    alerts.put(id, alert);
    if (alert.severity() == Severity.FINE) {
      return Optional.empty();
    }
    AlertRule.Mark mark = alert.severity() == Severity.BAD ? rule.bad() : rule.watch();
    return Optional.of(
        new Hit(
            kind,
            subject,
            alert.severity(),
            alert.since().orElse(now),
            figure.known().orElse(mark.value()),
            mark.value()));
  }

  private void tell(Hit hit, Severity most, String text, Until trouble) {
    Severity severity = hit.severity().compareTo(most) > 0 ? most : hit.severity();
    boolean ofService =
        switch (hit.kind()) {
          case DISK, SPACE, MEMORY, INSTANCE -> false;
          default -> true;
        };
    problems.add(
        new Problem(
            id(hit.kind(), hit.subject()),
            severity,
            hit.kind(),
            ofService ? hit.subject() : null,
            hit.kind() == AlertKind.DISK || hit.kind() == AlertKind.SPACE ? hit.subject() : null,
            null,
            null,
            text,
            hit.since(),
            hit.value(),
            hit.mark(),
            trouble,
            null));
  }

  private void state(
      AlertKind kind, ServiceReport report, Severity severity, String text, Instant since) {
    problems.add(
        new Problem(
            id(kind, report.name()),
            severity,
            kind,
            report.name(),
            null,
            null,
            null,
            text,
            since,
            null,
            null,
            report.trouble(),
            null));
  }
}
