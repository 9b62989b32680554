/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.AlertRule;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Decides what is said of the disks: one problem each at most. Not thread-safe. */
final class DiskJudge {

  private static final Duration SHOWN = Duration.ofMinutes(5);

  /** The alert opens at once if the disk will be full before its rule has been watched for long. */
  static final Duration SOON = Duration.ofMinutes(5);

  private final OpenAlerts alerts;

  /** Since when a volume is full. */
  private final Map<String, Full> full = new HashMap<>();

  /** The last time that a volume was full; nothing of those that are. */
  private final Map<String, Freed> freed = new HashMap<>();

  /** What the services of a volume had refused in the round before. */
  private final Map<String, Long> refusedBefore = new HashMap<>();

  /**
   * A volume is full.
   *
   * @param refused what its services had refused before
   */
  private record Full(Instant since, long refused) {}

  /**
   * A volume was full.
   *
   * @param refused how many messages its services refused meanwhile
   */
  private record Freed(Instant from, Instant to, long refused) {}

  DiskJudge(OpenAlerts alerts) {
    this.alerts = alerts;
  }

  /** Finds the problems of all volumes. */
  List<Problem> judge(Instant now, Host host, List<ServiceReport> services) {
    List<Host.VolumeView> volumes = host.volumes();
    List<String> names = volumes.stream().map(Host.VolumeView::name).toList();
    full.keySet().retainAll(names);
    freed.values().removeIf(it -> !it.to().plus(SHOWN).isAfter(now));
    return volumes.stream()
        .flatMap(view -> {
          List<ServiceReport> of = of(view, host, services);
          boolean isFull = isFull(view, of);
          follow(view.name(), isFull, of, now);
          return judge(view, isFull, of).stream();
        })
        .toList();
  }

  /** A sentence for each volume that was full within five minutes and is not now. */
  Stream<Recoveries.Over> freed(Instant now) {
    return freed.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(it ->
            new Recoveries.Over(
                it.getValue().to(),
                DiskSentences.freed(
                    it.getKey(),
                    Duration.between(it.getValue().from(), it.getValue().to()),
                    Duration.between(it.getValue().to(), now),
                    it.getValue().refused())));
  }

  private void follow(String volume, boolean isFull, List<ServiceReport> services, Instant now) {
    long refused = refused(services);
    Full spell = full.get(volume);
    if (isFull && spell == null) {
      full.put(volume, new Full(now, refusedBefore.getOrDefault(volume, refused)));
      freed.remove(volume);
    } else if (!isFull && spell != null) {
      full.remove(volume);
      freed.put(volume, new Freed(spell.since(), now, Math.max(0, refused - spell.refused())));
    }
    refusedBefore.put(volume, refused);
  }

  private static long refused(List<ServiceReport> services) {
    return services.stream().mapToLong(it -> it.view().counts().refused()).sum();
  }

  /** The services whose in-queue is on this volume. */
  private static List<ServiceReport> of(
      Host.VolumeView view, Host host, List<ServiceReport> services) {
    return services.stream()
        .filter(it -> host.volume(it.name()).filter(view.name()::equals).isPresent())
        .toList();
  }

  private static boolean isFull(Host.VolumeView view, List<ServiceReport> services) {
    return services.stream().anyMatch(ServiceReport::isRefusedByDisk)
        || view.volume().map(Volume::freeBytes).known().filter(free -> free <= 0).isPresent();
  }

  /** That it is full, else that it will be, else that little is free. */
  private Optional<Problem> judge(
      Host.VolumeView view, boolean isFull, List<ServiceReport> services) {
    // A forecast that it is full was made before room was made.
    boolean isOld =
        !isFull
            && view.runway().known().filter(it -> it.middle() instanceof Until.Passed).isPresent();
    Figure<Runway> forecast =
        isOld ? Figure.unknown("the forecast is from before room was made") : view.runway();
    Figure<Until> low = forecast.map(Runway::low);
    if (view.volume().known().isPresent() && view.runway().known().isEmpty()) {
      low = Figure.measured(OpenAlerts.never()); // else the alert opens again with a later forecast
    }
    Optional<OpenAlerts.Hit> runs =
        alerts.until(
            AlertKind.DISK,
            view.name(),
            low,
            forecast.known().filter(DiskJudge::isSoon).isPresent()
                ? OpenAlerts.Timing.OPEN_AT_ONCE
                : OpenAlerts.Timing.BY_RULE);
    Optional<OpenAlerts.Hit> level =
        alerts.figure(
            AlertKind.SPACE,
            view.name(),
            view.volume().map(it -> (double) it.freeBytes() / Math.max(1, it.stopBytes())));
    if (isFull) {
      return Optional.of(full(view, services));
    }
    Optional<Runway> runway = forecast.known();
    if (runs.filter(it -> !isOver(it)).isPresent()
        && runway.isPresent()
        && (level.isEmpty() || level.get().severity().compareTo(runs.get().severity()) <= 0)) {
      String text = DiskSentences.disk(view, runway.get());
      return Optional.of(runs.get().problem(Severity.BAD, text, runway.get().low()));
    }
    Until trouble = runway.map(Runway::low).orElseGet(OpenAlerts::never);
    return level.map(
        it -> it.problem(Severity.BAD, DiskSentences.space(view, it.value()), trouble));
  }

  private static boolean isSoon(Runway forecast) {
    return forecast.middle().left().filter(it -> it.compareTo(SOON) <= 0).isPresent();
  }

  /** Whether its figure is fine again, and it only waits to close. */
  private static boolean isOver(OpenAlerts.Hit hit) {
    AlertRule rule = Objects.requireNonNull(AlertKind.DISK.rule());
    return hit.value() > rule.watch().value() / rule.leaveShare();
  }

  private Problem full(Host.VolumeView view, List<ServiceReport> services) {
    List<String> refusing =
        services.stream()
            .filter(ServiceReport::isRefusedByDisk)
            .map(ServiceReport::name)
            .sorted()
            .toList();
    Full spell = Objects.requireNonNull(full.get(view.name()));
    return new Problem(
        OpenAlerts.id(AlertKind.DISK, view.name()),
        Severity.BAD,
        AlertKind.DISK,
        null,
        view.name(),
        null,
        null,
        DiskSentences.full(view, refusing, Math.max(0, refused(services) - spell.refused())),
        spell.since(),
        0.0,
        new Until.Passed());
  }
}
