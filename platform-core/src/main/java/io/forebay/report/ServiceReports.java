/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.Services;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The reports of all services, of the last second. One thread makes them, many read them: metrics,
 * health, the log and the page show the same figures.
 */
public final class ServiceReports {

  private static final int MINUTE = 60;
  private static final Duration SOON = Duration.ofHours(1);

  private final Services services;
  private final Map<String, ServiceWatch> watches = new LinkedHashMap<>();
  private final @Nullable Host host;
  private final @Nullable OpenFailures failures;
  private final Map<String, FullAtBurst> fullAtBurst = new HashMap<>();
  private final StateLog log = new StateLog();
  private volatile Map<String, ServiceReport> latest = Map.of();

  /**
   * @param runway the forecast of the disk of that time
   */
  private record FullAtBurst(Figure<Runway> runway, Figure<Until> until) {}

  /**
   * @param host null if disks are not watched
   * @param failures null if nothing counts open failures
   */
  public ServiceReports(
      Services services,
      List<ServiceWatch> watches,
      @Nullable Host host,
      @Nullable OpenFailures failures) {
    this.services = services;
    watches.forEach(it -> this.watches.put(it.name(), it));
    this.host = host;
    this.failures = failures;
  }

  /** The watch of a service; empty if there is no such service. */
  public Optional<ServiceWatch> watch(String service) {
    return Optional.ofNullable(watches.get(service));
  }

  /** The watches of all services. */
  public List<ServiceWatch> watches() {
    return List.copyOf(watches.values());
  }

  /** The reports of the last second, in the order of the names of the services. */
  public List<ServiceReport> latest() {
    return List.copyOf(latest.values());
  }

  /** The report of the last second; empty before the first, and if there is no such service. */
  public Optional<ServiceReport> latest(String service) {
    return Optional.ofNullable(latest.get(service));
  }

  /** Makes the reports from the latest samples. */
  public void make(Instant now) {
    Map<String, ServiceReport> reports = new LinkedHashMap<>();
    for (ServiceWatch watch : watches.values()) {
      boolean due = Math.floorMod(now.getEpochSecond() + reports.size(), MINUTE) == 0;
      Figure<Until> full = watch.past().referenceBurst().then(rate -> full(watch, rate, due));
      ServiceReport report = watch.report(now, services.desired(watch.name()), failures, full);
      reports.put(watch.name(), report);
      log.note(report, now);
    }
    latest = reports;
  }

  /**
   * The time until the disk is full during the reference burst. Takes milliseconds, so each service
   * is computed once a minute, in turn; with each new forecast if its disk is full soon, or was.
   */
  private Figure<Until> full(ServiceWatch watch, double rate, boolean due) {
    if (host == null) {
      return Figure.unknown("queues are not on disk");
    }
    Figure<Runway> runway = host.runway();
    FullAtBurst known = fullAtBurst.get(watch.name());
    if (known == null
        || due
        || !known.runway().equals(runway) && (isSoon(known.runway()) || isSoon(runway))) {
      BurstHeadroom.Service before = watch.past().beforeBurst(watch.limit());
      known = new FullAtBurst(runway, before.extraBytesPerSecond(rate).then(host::fullWith));
      fullAtBurst.put(watch.name(), known);
    }
    return known.until();
  }

  private static boolean isSoon(Figure<Runway> runway) {
    return runway
        .known()
        .flatMap(it -> it.low().left())
        .filter(it -> it.compareTo(SOON) < 0)
        .isPresent();
  }
}
