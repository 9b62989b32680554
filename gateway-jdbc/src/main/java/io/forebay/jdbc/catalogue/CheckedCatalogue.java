/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.SqlFailure;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A catalogue with the results of its check by the databases. Immutable.
 *
 * @param checked the gateways whose databases have checked it
 * @param broken why statements cannot be performed, by reference
 */
public record CheckedCatalogue(
    Catalogue catalogue, Set<String> checked, Map<String, SqlFailure> broken) {

  static CheckedCatalogue unchecked(Catalogue catalogue) {
    return new CheckedCatalogue(catalogue, Set.of(), Map.of());
  }

  /**
   * Adds the result of the check by one gateway's database.
   *
   * @param failures by SQL text
   */
  CheckedCatalogue with(String gateway, Map<String, SqlFailure> failures) {
    Map<String, SqlFailure> all = new HashMap<>(broken);
    for (CatalogueEntry entry : catalogue.of(gateway)) {
      SqlFailure failure = failures.get(entry.sql());
      if (failure == null) {
        all.remove(entry.reference());
      } else {
        all.put(entry.reference(), failure);
      }
    }
    return new CheckedCatalogue(
        catalogue,
        Stream.concat(checked.stream(), Stream.of(gateway)).collect(Collectors.toUnmodifiableSet()),
        Map.copyOf(all));
  }

  public boolean isBroken(CatalogueEntry entry) {
    return !broken.isEmpty() && broken.containsKey(entry.reference());
  }

  /** Returns ready; broken; or unchecked until the database has responded. */
  public String state(CatalogueEntry entry) {
    if (isBroken(entry)) {
      return "broken";
    }
    return checked.contains(entry.gateway()) ? "ready" : "unchecked";
  }
}
