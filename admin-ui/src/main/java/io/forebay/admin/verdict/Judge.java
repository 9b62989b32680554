/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.AlertRule;
import io.forebay.capacity.Figure;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which alerts are open: those of services ({@link ServiceJudge}), disks ({@link
 * DiskJudge}), other instances and jobs. A figure raises an alert by its {@link AlertRule}, with
 * hysteresis; a state raises one at once. Not thread-safe.
 */
public final class Judge {

  private final OpenAlerts alerts = new OpenAlerts();
  private final DiskJudge disk = new DiskJudge(alerts);
  private final List<Problem> problems = new ArrayList<>();
  private final Recoveries recoveries = new Recoveries();
  private final ServiceJudge services = new ServiceJudge(alerts, recoveries);
  private List<Recovery> recovered = List.of();
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
      List<ServiceReport> reports,
      @Nullable Host host,
      List<Other> others,
      List<JobTrouble> jobs) {
    now = at;
    problems.clear();
    alerts.begin(now);
    problems.addAll(services.judge(now, reports, host));
    if (host != null) {
      disk.judge(now, host, reports).ifPresent(problems::add);
    }
    others.forEach(this::instance);
    jobs.forEach(this::job);
    alerts.end();
    recovered =
        Stream.concat(recoveries.tell(reports, troubled(), now), disk.freed(now).stream())
            .sorted(Comparator.comparing(Recovery::since).reversed())
            .toList();
    problems.sort(Problem.URGENT);
    return List.copyOf(problems);
  }

  private Set<String> troubled() {
    return problems.stream()
        .map(Problem::service)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /**
   * The services that have recovered lately, and the disk if it was full, the latest first, as of
   * the last judgement.
   */
  public List<Recovery> recovered() {
    return recovered;
  }

  private void instance(Other other) {
    alerts
        .figure(AlertKind.INSTANCE, other.name(), Figure.measured(other.unseen().toNanos() / 1e9))
        .ifPresent(it ->
            problems.add(
                it.problem(Severity.BAD, new Figures.OtherInstance(other.name(), other.unseen()))));
  }

  private void job(JobTrouble trouble) {
    problems.add(
        new Problem(
            OpenAlerts.id(AlertKind.JOB, trouble.subject()),
            trouble.severity(),
            AlertKind.JOB,
            null,
            null,
            trouble.job(),
            trouble.execution(),
            Objects.requireNonNullElse(trouble.since(), now),
            null,
            trouble.figures()));
  }
}
