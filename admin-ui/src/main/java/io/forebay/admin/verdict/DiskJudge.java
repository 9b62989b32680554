/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Decides what is said of the disks: one problem each at most. Not thread-safe. */
final class DiskJudge {

  private final OpenAlerts alerts;

  /** Since when a volume is full. */
  private final Map<String, Instant> fullSince = new HashMap<>();

  DiskJudge(OpenAlerts alerts) {
    this.alerts = alerts;
  }

  /** Finds the problems of all volumes. */
  List<Problem> judge(Instant now, Host host, List<ServiceReport> services) {
    List<Host.VolumeView> volumes = host.volumes();
    fullSince.keySet().retainAll(volumes.stream().map(Host.VolumeView::name).toList());
    return volumes.stream()
        .flatMap(view -> judge(now, view, refusing(view, host, services)).stream())
        .toList();
  }

  /** The services that refuse messages because this volume is full. */
  private static List<String> refusing(
      Host.VolumeView view, Host host, List<ServiceReport> services) {
    return services.stream()
        .filter(ServiceReport::isRefusedByDisk)
        .map(ServiceReport::name)
        .filter(name -> host.volume(name).filter(view.name()::equals).isPresent())
        .sorted()
        .toList();
  }

  /** That it is full, else that it will be, else that little is free. */
  private Optional<Problem> judge(Instant now, Host.VolumeView view, List<String> refusing) {
    boolean isFull =
        !refusing.isEmpty()
            || view.volume().map(Volume::freeBytes).known().filter(free -> free <= 0).isPresent();
    Optional<OpenAlerts.Hit> runs =
        alerts.until(AlertKind.DISK, view.name(), view.runway().map(Runway::low));
    Optional<OpenAlerts.Hit> level =
        alerts.figure(
            AlertKind.SPACE,
            view.name(),
            view.volume().map(it -> (double) it.freeBytes() / Math.max(1, it.stopBytes())));
    if (isFull) {
      Instant since = fullSince.computeIfAbsent(view.name(), _ -> now);
      return Optional.of(full(view, refusing, since));
    }
    fullSince.remove(view.name());
    Optional<Runway> runway = view.runway().known();
    if (runs.isPresent()
        && runway.isPresent()
        && (level.isEmpty() || level.get().severity().compareTo(runs.get().severity()) <= 0)) {
      String text = Sentences.disk(view, runway.get());
      return Optional.of(runs.get().problem(Severity.BAD, text, runway.get().low()));
    }
    Until trouble = runway.map(Runway::low).orElseGet(OpenAlerts::never);
    return level.map(it -> it.problem(Severity.BAD, Sentences.space(view, it.value()), trouble));
  }

  private static Problem full(Host.VolumeView view, List<String> refusing, Instant since) {
    return new Problem(
        OpenAlerts.id(AlertKind.DISK, view.name()),
        Severity.BAD,
        AlertKind.DISK,
        null,
        view.name(),
        null,
        null,
        Sentences.full(view, refusing),
        since,
        0.0,
        Objects.requireNonNull(AlertKind.DISK.rule()).bad().value(),
        new Until.Passed(),
        null,
        null);
  }
}
