/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides which alerts of the disks are open: one each at most. Not thread-safe. */
final class DiskJudge {

  /** The alert opens at once if the disk will be full before its rule has been watched for long. */
  static final Duration SOON = Duration.ofMinutes(5);

  private final OpenAlerts alerts;

  /** Since when the volume is full; null if it is not. */
  private @Nullable Instant fullSince;

  /** Whether others had begun to write in the round before. */
  private boolean hadBegun;

  DiskJudge(OpenAlerts alerts) {
    this.alerts = alerts;
  }

  /** Finds the problem of the volume. */
  Optional<Problem> judge(Instant now, Host host, List<ServiceReport> services) {
    return host.volume()
        .flatMap(view -> {
          boolean isFull = isFull(view, services);
          fullSince = isFull ? Objects.requireNonNullElse(fullSince, now) : null;
          return judge(now, view, isFull, services);
        });
  }

  private static boolean isFull(Host.VolumeView view, List<ServiceReport> services) {
    return services.stream().anyMatch(ServiceReport::isRefusedByDisk)
        || view.sizes().map(Volume::freeBytes).known().filter(free -> free <= 0).isPresent();
  }

  /** That it is full, else that it will be, else that little is free. */
  private Optional<Problem> judge(
      Instant now, Host.VolumeView view, boolean isFull, List<ServiceReport> services) {
    // A forecast that it is full was made before room was made.
    boolean isOld =
        !isFull
            && view.runway().known().filter(it -> it.middle() instanceof Until.Passed).isPresent();
    Figure<Runway> forecast =
        isOld ? Figure.unknown("the forecast is from before room was made") : view.runway();
    Figure<Until> low = forecast.map(Runway::forAlerts);
    if (view.sizes().known().isPresent() && view.runway().known().isEmpty()) {
      low = Figure.measured(OpenAlerts.never()); // else the alert opens again with a later forecast
    }
    Optional<Problem> begun = forecast.known().flatMap(it -> begun(now, view, it));
    boolean isToldAlready = hadBegun && begun.isEmpty();
    hadBegun = begun.isPresent();
    Optional<OpenAlerts.Hit> runs =
        alerts.until(
            AlertKind.DISK,
            view.volume(),
            low,
            isToldAlready || forecast.known().filter(DiskJudge::isSoon).isPresent()
                ? OpenAlerts.Timing.OPEN_AT_ONCE
                : OpenAlerts.Timing.BY_RULE);
    Optional<OpenAlerts.Hit> level =
        alerts.figure(
            AlertKind.SPACE,
            view.volume(),
            view.sizes().map(it -> (double) it.freeBytes() / Math.max(1, it.stopBytes())));
    if (isFull) {
      return Optional.of(full(view, services));
    }
    boolean isForecast =
        runs.filter(it -> !it.isClosing()).isPresent()
            && forecast.known().isPresent()
            && (level.isEmpty() || level.get().severity().compareTo(runs.get().severity()) <= 0);
    Optional<Problem> open =
        (isForecast ? runs : level)
            .map(it -> it.problem(Severity.BAD, new Figures.Disk(view, null)));
    boolean isWorse = isForecast || open.filter(it -> it.severity() == Severity.BAD).isPresent();
    return isWorse ? open : begun.or(() -> open);
  }

  /** Growth that has not lasted yet is told at once, and as a warning. */
  private static Optional<Problem> begun(Instant now, Host.VolumeView view, Runway forecast) {
    return Optional.ofNullable(forecast.begun())
        .flatMap(Until::left)
        .map(it ->
            Problem.of(
                AlertKind.DISK,
                view.volume(),
                Severity.WATCH,
                now,
                it.toNanos() / 1e9,
                new Figures.Disk(view, null)));
  }

  private static boolean isSoon(Runway forecast) {
    return forecast.middle().left().filter(it -> it.compareTo(SOON) <= 0).isPresent();
  }

  private Problem full(Host.VolumeView view, List<ServiceReport> services) {
    List<String> refusing =
        services.stream()
            .filter(ServiceReport::isRefusedByDisk)
            .map(ServiceReport::name)
            .sorted()
            .toList();
    Instant since = Objects.requireNonNull(fullSince);
    return Problem.of(
        AlertKind.DISK, view.volume(), Severity.BAD, since, 0.0, new Figures.Disk(view, refusing));
  }
}
