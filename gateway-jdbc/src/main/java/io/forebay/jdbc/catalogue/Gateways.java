/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.SqlFailure;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All gateways. The first one is the default. */
public final class Gateways implements LiveCatalogue.Check, AutoCloseable {

  private final Map<String, DoorGateway> byName = new LinkedHashMap<>();

  public Gateways(List<DoorGateway> all) {
    all.forEach(gateway -> byName.put(gateway.name(), gateway));
  }

  public List<String> names() {
    return List.copyOf(byName.keySet());
  }

  /** Returns the gateway of a catalogue entry, which must exist. */
  public DoorGateway of(CatalogueEntry entry) {
    return Objects.requireNonNull(byName.get(entry.gateway()));
  }

  /**
   * @param name null for the default gateway
   * @return null if there is no gateway of this name
   */
  @Nullable
  public DoorGateway find(@Nullable String name) {
    return name == null ? byName.values().stream().findFirst().orElse(null) : byName.get(name);
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
  }
}
