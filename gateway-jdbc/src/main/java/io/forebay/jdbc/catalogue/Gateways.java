/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.Pools;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.lane.Lane;
import io.forebay.service.progress.Unavailable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All gateways and their lanes. The first gateway is the default. */
public final class Gateways implements AutoCloseable, Pools.Owner {

  private final List<String> names = new ArrayList<>();

  /** Gateways and lanes, by the names of their services. */
  private final Map<String, DoorGateway> all = new LinkedHashMap<>();

  /** The lanes of callers, by gateway and caller. */
  private final Map<String, Map<String, DoorGateway>> lanes = new HashMap<>();

  /**
   * @param services each is a gateway or a lane of one of them
   */
  public Gateways(List<DoorGateway> services) {
    for (DoorGateway each : services) {
      all.put(each.name(), each);
      each.service()
          .lane()
          .ifPresentOrElse(
              lane -> {
                Map<String, DoorGateway> callers =
                    lanes.computeIfAbsent(lane.gateway(), _ -> new HashMap<>());
                lane.callers().forEach(caller -> callers.put(caller, each));
              },
              () -> names.add(each.name()));
    }
  }

  /** The names of the gateways, without lanes. */
  public List<String> names() {
    return List.copyOf(names);
  }

  /** The names of the services of all lanes. */
  public Set<String> lanes() {
    Set<String> services = new HashSet<>(all.keySet());
    names.forEach(services::remove);
    return services;
  }

  /**
   * Returns where a statement of the catalogue is performed: in the lane that the caller has in its
   * gateway, otherwise in the lane that the entry names, otherwise in the gateway.
   */
  public DoorGateway of(CatalogueEntry entry, String caller) {
    DoorGateway own = laneOf(caller, entry.gateway());
    String lane = entry.lane();
    String service = lane == null ? entry.gateway() : Lane.service(entry.gateway(), lane);
    return own == null ? Objects.requireNonNull(all.get(service)) : own;
  }

  /** Returns the caller's lane in a gateway, or the gateway itself if the caller has none. */
  public DoorGateway of(DoorGateway gateway, String caller) {
    DoorGateway own = laneOf(caller, gateway.name());
    return own == null ? gateway : own;
  }

  /**
   * Finds the queues that a caller names.
   *
   * @param name of a gateway or of the service of a lane; null for the default gateway, or the
   *     caller's lane in it
   * @return null if there is none of this name
   */
  @Nullable
  public DoorGateway find(@Nullable String name, String caller) {
    DoorGateway found = find(name);
    return found == null || name != null ? found : of(found, caller);
  }

  /**
   * @param name of a gateway or of the service of a lane; null for the default gateway
   * @return null if there is none of this name
   */
  @Nullable
  public DoorGateway find(@Nullable String name) {
    return all.get(name == null ? names.stream().findFirst().orElse("") : name);
  }

  private @Nullable DoorGateway laneOf(String caller, String gateway) {
    return lanes.getOrDefault(gateway, Map.of()).get(caller);
  }

  /**
   * Returns the texts that the database of a gateway refuses to prepare, with the errors.
   *
   * @throws Unavailable if the database does not respond
   */
  Map<String, SqlFailure> failures(String gateway, Collection<String> sqlTexts) {
    return Objects.requireNonNull(all.get(gateway)).service().check(sqlTexts);
  }

  /** Whether messages carry SQL texts instead of references. */
  boolean acceptsText(String gateway) {
    return Objects.requireNonNull(all.get(gateway)).service().acceptsText();
  }

  @Override
  public Stream<HikariDataSource> pools() {
    return all.values().stream().map(it -> it.results().pool());
  }

  @Override
  public void close() {
    all.values().forEach(DoorGateway::close);
  }
}
