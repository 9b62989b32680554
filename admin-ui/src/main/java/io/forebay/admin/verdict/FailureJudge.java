/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.report.RecentFailures;
import io.forebay.report.ServiceReport;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Decides what is said of failed messages. Not thread-safe. */
final class FailureJudge {

  private final OpenAlerts alerts;

  FailureJudge(OpenAlerts alerts) {
    this.alerts = alerts;
  }

  /** Finds the problems of a service. */
  List<Problem> judge(ServiceReport report) {
    return Stream.of(dead(report), failing(report)).flatMap(Optional::stream).toList();
  }

  private Optional<Problem> dead(ServiceReport report) {
    RecentFailures failures = report.failures();
    double dead = failures.quarter().deadLetters();
    return alerts
        .figure(AlertKind.DEAD, report.name(), Figure.measured(dead))
        .filter(_ -> !failures.deadAreDone())
        .map(it -> it.problem(Severity.BAD, Figures.Failures.dead(failures)));
  }

  private Optional<Problem> failing(ServiceReport report) {
    RecentFailures failures = report.failures();
    AlertRule rule = AlertKind.FAILING.ofFigure();
    OptionalDouble share = failures.shareNow();
    boolean areMany = share.isPresent();
    boolean isLarge = share.orElse(0) >= rule.bad().value() * AlertRule.LEAVE_SHARE;
    return alerts
        .figure(
            AlertKind.FAILING,
            report.name(),
            Figure.measured(share.orElse(failures.judgedShare())),
            areMany ? OpenAlerts.Timing.OPEN_AT_ONCE : OpenAlerts.Timing.BY_RULE)
        .filter(_ -> !failures.failedAreDone())
        .map(it ->
            it.problem(
                isLarge ? Severity.BAD : Severity.WATCH,
                Figures.Failures.failed(failures, !areMany && it.isClosing())));
  }
}
