/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.Services;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
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

  private static final Comparator<ServiceReport> URGENT =
      Comparator.comparing(ServiceReport::trouble).thenComparing(ServiceReport::name);

  private static final int MINUTE = 60;
  private static final Duration SOON = Duration.ofHours(1);
  private static final String NO_HOST = "queues are not on disk";

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

  /** The reports of the last second, the service with the soonest trouble first. */
  public List<ServiceReport> latest() {
    return List.copyOf(latest.values());
  }

  /** The report of the last second; empty before the first, and if there is no such service. */
  public Optional<ServiceReport> latest(String service) {
    return Optional.ofNullable(latest.get(service));
  }

  /** Makes the reports from the latest samples. */
  public void make(Instant now) {
    List<ServiceReport> reports = new ArrayList<>();
    for (ServiceWatch watch : watches.values()) {
      boolean due = Math.floorMod(now.getEpochSecond() + reports.size(), MINUTE) == 0;
      ServiceReport report =
          watch.report(now, services.desired(watch.name()), failures, shared(watch, due));
      reports.add(report);
      log.note(report, now);
    }
    reports.sort(URGENT);
    Map<String, ServiceReport> byName = new LinkedHashMap<>();
    reports.forEach(it -> byName.put(it.name(), it));
    latest = byName;
  }

  private ServiceReport.Shared shared(ServiceWatch watch, boolean fullIsDue) {
    String name = watch.name();
    ServiceHistory past = watch.past();
    return new ServiceReport.Shared(
        host == null ? Figure.unknown(NO_HOST) : host.growthShare(name),
        host == null ? Figure.unknown(NO_HOST) : host.runway().map(Runway::forAlerts),
        past.referenceBurst()
            .then(rate -> full(name, rate, past.beforeBurst(watch.limit()), fullIsDue)));
  }

  /**
   * The time until the disk is full during the reference burst. Takes milliseconds, so each service
   * is computed once a minute, in turn; with each new forecast if its disk is full soon, or was.
   */
  private Figure<Until> full(
      String service, double rate, BurstHeadroom.Service before, boolean due) {
    Figure<Runway> runway = host == null ? Figure.unknown(NO_HOST) : host.runway();
    FullAtBurst known = fullAtBurst.get(service);
    if (known == null
        || due
        || !known.runway().equals(runway) && (isSoon(known.runway()) || isSoon(runway))) {
      known = new FullAtBurst(runway, full(host, before.extraBytesPerSecond(rate)));
      fullAtBurst.put(service, known);
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

  /** The time until the disk is full if that many bytes per second were added. */
  public static Figure<Until> full(@Nullable Host host, Figure<Double> extra) {
    return host == null ? Figure.unknown(NO_HOST) : extra.then(host::fullWith);
  }
}
