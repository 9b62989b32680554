/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The statements that may be sent, by name. Immutable. */
final class Catalogue {

  static final Catalogue EMPTY = new Catalogue(List.of());

  private final Map<String, CatalogueEntry> entries = new LinkedHashMap<>();
  private final Map<String, Set<String>> independent = new HashMap<>();

  Catalogue(List<CatalogueEntry> all) {
    all.forEach(entry -> entries.put(entry.name(), entry));
    Map<String, List<CatalogueEntry>> byGateway =
        all.stream().collect(Collectors.groupingBy(CatalogueEntry::gateway));
    byGateway.forEach((gateway, its) ->
        independent.put(
            gateway,
            its.stream()
                .filter(CatalogueEntry::independent)
                .map(CatalogueEntry::sql)
                .collect(Collectors.toUnmodifiableSet())));
  }

  @Nullable CatalogueEntry find(String name) {
    return entries.get(name);
  }

  /** In the order of the files. */
  Collection<CatalogueEntry> entries() {
    return entries.values();
  }

  List<CatalogueEntry> of(String gateway) {
    return entries.values().stream().filter(entry -> entry.gateway().equals(gateway)).toList();
  }

  boolean isIndependent(String gateway, String sql) {
    return independent.getOrDefault(gateway, Set.of()).contains(sql);
  }
}
