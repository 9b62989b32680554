/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which alerts are open: those of services ({@link ServiceJudge}), disks ({@link
 * DiskJudge}), other instances and jobs. A figure raises an alert by its {@link AlertRule}, with
 * hysteresis; a state raises one at once. Not thread-safe.
 */
public final class Judge {

  /** The part of the limit from which waiting matters although it does not get longer. */
  private static final double MATTERS = 0.1;

  private final OpenAlerts alerts = new OpenAlerts();
  private final DiskJudge disk = new DiskJudge(alerts);
  private final List<Problem> problems = new ArrayList<>();
  private final ServiceJudge services = new ServiceJudge(alerts);
  private Instant now = Instant.EPOCH;

  /** Returns all problems, the most urgent first. */
  public List<Problem> judge(
      Instant at,
      List<ServiceReport> reports,
      @Nullable Host host,
      List<Figures.OtherInstance> others,
      List<Problem> jobs) {
    now = at;
    problems.clear();
    alerts.begin(now);
    problems.addAll(services.judge(now, reports, host));
    if (host != null) {
      disk.judge(now, host, reports).ifPresent(problems::add);
    }
    others.forEach(this::instance);
    problems.addAll(jobs);
    alerts.end();
    problems.sort(Problem.URGENT);
    return List.copyOf(problems);
  }

  /** How urgent a service is: as its worst problem, or as a state that an alert confirms later. */
  public static Severity severity(ServiceReport report, List<Problem> problems) {
    return problems.stream()
        .filter(it -> report.name().equals(it.service()))
        .map(Problem::severity)
        .reduce(ofState(report), (a, b) -> a.compareTo(b) > 0 ? a : b);
  }

  private static Severity ofState(ServiceReport report) {
    return switch (report.state()) {
      case REFUSING -> report.isRefusedByDisk() ? Severity.BAD : Severity.FINE;
      case GROWING, STEADY, DRAINING, RESUMING -> ofLag(report);
      default -> Severity.FINE;
    };
  }

  /** A long batch alone makes a service steady. */
  private static Severity ofLag(ServiceReport report) {
    return switch (report.lag().state()) {
      case GROWING, DRAINING -> Severity.WATCH;
      case STEADY -> doesWaitingMatter(report) ? Severity.WATCH : Severity.FINE;
      default -> Severity.FINE;
    };
  }

  private static boolean doesWaitingMatter(ServiceReport report) {
    return report.behindShare().known().filter(it -> it >= MATTERS).isPresent()
        || report.lag().late().known().flatMap(Until::left).isPresent();
  }

  private void instance(Figures.OtherInstance other) {
    alerts
        .figure(AlertKind.INSTANCE, other.name(), Figure.measured(other.unseen().toNanos() / 1e9))
        .ifPresent(it -> problems.add(it.problem(Severity.BAD, other)));
  }
}
