/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.AlertRule;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.report.RecentFailures;
import io.forebay.report.ServiceReport;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Decides what is said of failed messages. Not thread-safe. */
final class FailureJudge {

  private final OpenAlerts alerts;

  FailureJudge(OpenAlerts alerts) {
    this.alerts = alerts;
  }

  /**
   * Finds the problems of a service.
   *
   * @param trouble the time until its first problem
   */
  List<Problem> judge(ServiceReport report, Supplier<Until> trouble) {
    return Stream.of(dead(report, trouble), failing(report, trouble))
        .flatMap(Optional::stream)
        .toList();
  }

  private Optional<Problem> dead(ServiceReport report, Supplier<Until> trouble) {
    RecentFailures failures = report.failures();
    double dead = failures.quarter().deadLetters();
    return alerts
        .figure(AlertKind.DEAD, report.name(), Figure.measured(dead))
        .filter(_ -> !failures.deadAreDone())
        .map(it ->
            it.problem(
                Severity.BAD,
                FailureSentences.dead(report),
                failures.minute().deadLetters() == 0 ? OpenAlerts.never() : trouble.get()));
  }

  private Optional<Problem> failing(ServiceReport report, Supplier<Until> trouble) {
    RecentFailures failures = report.failures();
    AlertRule rule = Objects.requireNonNull(AlertKind.FAILING.rule());
    OptionalDouble share = failures.shareNow();
    boolean areMany = share.isPresent();
    boolean isLarge = share.orElse(0) >= rule.bad().value() * rule.leaveShare();
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
                areMany
                    ? FailureSentences.failingNow(report)
                    : FailureSentences.failing(report, it.isClosing()),
                failures.minute().failed() == 0 ? OpenAlerts.never() : trouble.get()));
  }
}
