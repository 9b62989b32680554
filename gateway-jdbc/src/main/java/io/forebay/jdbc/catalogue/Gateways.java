/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.lane.Lane;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All gateways and their lanes. The first gateway is the default. */
public final class Gateways implements LiveCatalogue.Check, AutoCloseable {

  private final Map<String, DoorGateway> byName = new LinkedHashMap<>();
  private final Map<String, DoorGateway> lanes = new LinkedHashMap<>();
  private final Map<String, Map<String, DoorGateway>> byCaller = new HashMap<>();

  /**
   * @param all each is a gateway or a lane of one of them
   */
  public Gateways(List<DoorGateway> all) {
    for (DoorGateway each : all) {
      Optional<Lane> lane = each.service().lane();
      if (lane.isEmpty()) {
        byName.put(each.name(), each);
      } else {
        lanes.put(each.name(), each);
        Map<String, DoorGateway> callers =
            byCaller.computeIfAbsent(lane.get().gateway(), _ -> new HashMap<>());
        lane.get().callers().forEach(caller -> callers.put(caller, each));
      }
    }
  }

  /** The names of the gateways, without lanes. */
  public List<String> names() {
    return List.copyOf(byName.keySet());
  }

  /** The names of the services of all lanes. */
  public Set<String> lanes() {
    return Set.copyOf(lanes.keySet());
  }

  /**
   * Returns the gateway of a catalogue entry, which must exist, or the lane that the entry names.
   */
  public DoorGateway of(CatalogueEntry entry) {
    String lane = entry.lane();
    return Objects.requireNonNull(
        lane == null
            ? byName.get(entry.gateway())
            : lanes.get(Lane.service(entry.gateway(), lane)));
  }

  /** As {@link #of(CatalogueEntry)}, but if the caller has a lane in that gateway, that lane. */
  public DoorGateway of(CatalogueEntry entry, String caller) {
    DoorGateway own = laneOf(caller, entry.gateway());
    return own == null ? of(entry) : own;
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
    if (name == null) {
      return byName.values().stream().findFirst().orElse(null);
    }
    DoorGateway gateway = byName.get(name);
    return gateway == null ? lanes.get(name) : gateway;
  }

  private @Nullable DoorGateway laneOf(String caller, String gateway) {
    return byCaller.getOrDefault(gateway, Map.of()).get(caller);
  }

  /**
   * Prepares the databases of shared gateways, also for an instance that performs no partition: its
   * door returns results all the same.
   *
   * @throws RuntimeException the last reason why one was not prepared
   */
  void prepareShared() {
    RuntimeException failure = null;
    for (Map<String, DoorGateway> each : List.of(byName, lanes)) {
      for (DoorGateway gateway : each.values()) {
        if (gateway.service().in().shared()) {
          try {
            gateway.service().database().prepare();
          } catch (RuntimeException e) {
            failure = e;
          }
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public Map<String, SqlFailure> failures(String gateway, Collection<String> sqlTexts) {
    return Objects.requireNonNull(byName.get(gateway)).service().check(sqlTexts);
  }

  @Override
  public boolean acceptsText(String gateway) {
    return Objects.requireNonNull(byName.get(gateway)).service().acceptsText();
  }

  @Override
  public void close() {
    byName.values().forEach(DoorGateway::close);
    lanes.values().forEach(DoorGateway::close);
  }
}
