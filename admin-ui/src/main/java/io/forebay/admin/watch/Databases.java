/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.report.Outage;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The databases that do not respond, by their addresses. For one thread. */
final class Databases {

  /**
   * So long after an outage, the pool of the system database may wait before it connects again.
   * That a gateway performs on the same database says more.
   */
  private static final Duration RECONNECTS = Duration.ofSeconds(5);

  /**
   * A database that does not respond, for the banner on every screen.
   *
   * @param database its address without credentials; null if unknown
   * @param system whether it is the system database
   * @param services the gateways that wait for it
   * @param since since when, as the first that needed it noticed
   */
  record Away(@Nullable String database, boolean system, List<String> services, Instant since) {}

  private final Function<String, @Nullable String> property;
  private final Set<String> services;
  private final Function<Instant, @Nullable Instant> systemAway;

  /** When a gateway on the system database last performed the first batch after an outage. */
  private Instant responded = Instant.MIN;

  /**
   * @param property the value of a configuration property; null if it is not set
   * @param systemAway since when the system database has not responded; null if it responds
   */
  Databases(
      Function<String, @Nullable String> property,
      Set<String> services,
      Function<Instant, @Nullable Instant> systemAway) {
    this.property = property;
    this.services = services;
    this.systemAway = systemAway;
  }

  /** Those away now, the one that is away longest first. */
  List<Away> away(List<ServiceReport> reports, Instant now) {
    Map<String, List<ServiceReport>> byAddress = new LinkedHashMap<>();
    for (ServiceReport report : reports) {
      if (since(report) != null) {
        String address = ofGateway(report.name());
        byAddress
            .computeIfAbsent(address == null ? report.name() : address, _ -> new ArrayList<>())
            .add(report);
      }
    }
    Instant systemSince = systemAway.apply(now);
    String system = systemSince == null ? null : system();
    List<Away> away = new ArrayList<>();
    byAddress.forEach((address, waiting) -> {
      boolean isSystem = address.equals(system);
      Stream<Instant> noticed = waiting.stream().map(Databases::since).filter(Objects::nonNull);
      Instant since =
          (isSystem ? Stream.concat(noticed, Stream.ofNullable(systemSince)) : noticed)
              .min(Comparator.naturalOrder())
              .orElse(now);
      away.add(
          new Away(
              address.equals(waiting.getFirst().name()) ? null : address,
              isSystem,
              waiting.stream().map(ServiceReport::name).sorted().toList(),
              since));
    });
    if (system != null
        && reports.stream()
            .anyMatch(it -> hasReturned(it) && system.equals(ofGateway(it.name())))) {
      responded = now;
    }
    boolean responds = now.isBefore(responded.plus(RECONNECTS));
    if (systemSince != null && !responds && (system == null || !byAddress.containsKey(system))) {
      away.add(new Away(system, true, List.of(), systemSince));
    }
    away.sort(Comparator.comparing(Away::since));
    return away;
  }

  /** If it is not configured, it is that of a gateway: known if all gateways have the same. */
  private @Nullable String system() {
    String configured = address("forebay.system.datasource.url");
    if (configured != null) {
      return configured;
    }
    List<String> all =
        services.stream().map(this::ofGateway).filter(Objects::nonNull).distinct().toList();
    return all.size() == 1 ? all.getFirst() : null;
  }

  private @Nullable String ofGateway(String name) {
    return address("forebay.gateways." + name + ".datasource.url");
  }

  private static @Nullable Instant since(ServiceReport report) {
    Outage outage = report.outage();
    return outage == null || outage.isOver() ? null : outage.since();
  }

  private static boolean hasReturned(ServiceReport report) {
    return report.outage() != null && report.outage().isOver();
  }

  /** The address in a property, without credentials and parameters. */
  private @Nullable String address(String key) {
    String url = property.apply(key);
    return url == null || url.isEmpty() ? null : DatabaseAddress.of(url);
  }
}
