/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.DatabaseRate;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.TimeToTrouble;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.Services;
import io.forebay.report.Host;
import io.forebay.report.OpenFailures;
import io.forebay.report.Outage;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Computes the figures of all services, the one with the soonest trouble first. Not thread-safe.
 */
final class ServiceReports {

  private static final Comparator<ServiceReport> URGENT =
      Comparator.comparing(ServiceReport::trouble).thenComparing(ServiceReport::name);
  private static final int MINUTE = 60;
  private static final Duration SOON = Duration.ofHours(1);
  private static final String FULL = "the disk is full: no messages are accepted";
  private static final String AWAY = "the database is not responding";
  private static final String NO_HOST = "queues are not on disk";

  private final Services services;
  private final List<ServiceWatch> watches;
  private final @Nullable Host host;
  private final Map<String, FullAtBurst> fullAtBurst = new HashMap<>();

  /**
   * @param runway the forecast of the disk of that time
   */
  private record FullAtBurst(Figure<Runway> runway, Figure<Until> until) {}

  ServiceReports(Services services, List<ServiceWatch> watches, @Nullable Host host) {
    this.services = services;
    this.watches = watches;
    this.host = host;
  }

  /**
   * @param failures null if nothing counts open failures
   */
  List<ServiceReport> at(Instant now, @Nullable OpenFailures failures) {
    List<ServiceReport> reports = new ArrayList<>();
    for (int i = 0; i < watches.size(); i++) {
      boolean due = Math.floorMod(now.getEpochSecond() + i, MINUTE) == 0;
      reports.add(report(watches.get(i), due, failures));
    }
    reports.sort(URGENT);
    return reports;
  }

  private ServiceReport report(
      ServiceWatch watch, boolean fullIsDue, @Nullable OpenFailures failures) {
    ServiceHistory past = watch.past();
    String name = watch.name();
    Lag lag = watch.lag();
    Figure<Double> share = host == null ? Figure.unknown(NO_HOST) : host.growthShare(name);
    BurstHeadroom.Service before = past.beforeBurst(watch.limit());
    DatabaseRate can = past.databaseRate();
    Outage outage = watch.outage();
    boolean isAway = outage != null && !outage.isOver();
    Figure<BurstHeadroom> burst =
        isAway
            ? Figure.unknown(AWAY)
            : past.referenceBurst()
                .map(rate -> BurstHeadroom.of(rate, before, full(name, rate, before, fullIsDue)))
                .map(it -> isPast(lag) ? it.late(new Until.Passed()) : it)
                .map(it -> ServiceReport.isRefusedByDisk(watch.view()) ? it.refused(FULL) : it);
    DatabaseRate.Slower slower = past.slowerNow().known().orElse(null);
    return new ServiceReport(
        watch.view(),
        services.desired(name),
        watch.limit(),
        lag,
        past.accepted(),
        isAway ? Figure.measured(0.0) : past.performed(),
        isAway ? Figure.unknown(AWAY) : can.perSecond(),
        isAway || slower != null || can.atLeast().isEmpty() ? null : can.atLeast().getAsDouble(),
        isAway ? null : slower,
        isAway ? Figure.unknown(AWAY) : past.busy(),
        isAway ? Figure.unknown(AWAY) : past.busyNow(),
        burst,
        past.typicalBurst(),
        share,
        watch.p99(),
        outage,
        watch.failures(failures),
        watch.slowest(),
        TimeToTrouble.of(
            lag,
            watch.view().state().phase() == ServiceState.Phase.FAILED,
            host == null ? Figure.unknown(NO_HOST) : host.runway().map(Runway::forAlerts),
            share.known().orElse(0.0),
            watch.loss()),
        watch.loss(),
        watch.lossShare());
  }

  private static boolean isPast(Lag lag) {
    return lag.late().known().filter(it -> it instanceof Until.Passed).isPresent();
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
      known = new FullAtBurst(runway, full(host, service, before.extraBytesPerSecond(rate)));
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

  /** The time until the disk of a service is full if that many bytes per second were added. */
  static Figure<Until> full(@Nullable Host host, String service, Figure<Double> extra) {
    return host == null ? Figure.unknown(NO_HOST) : extra.then(bytes -> host.fullWith(bytes));
  }
}
