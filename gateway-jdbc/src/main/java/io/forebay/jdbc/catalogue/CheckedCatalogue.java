/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.SqlFailure;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A catalogue with the results of its check by the databases. Immutable.
 *
 * @param failures the SQL texts that a database refuses to prepare, by gateway; a gateway is
 *     missing until its database has checked the catalogue
 */
public record CheckedCatalogue(Catalogue catalogue, Map<String, Map<String, SqlFailure>> failures) {

  static CheckedCatalogue unchecked(Catalogue catalogue) {
    return new CheckedCatalogue(catalogue, Map.of());
  }

  /** Adds the result of the check by one gateway's database. */
  CheckedCatalogue with(String gateway, Map<String, SqlFailure> its) {
    Map<String, Map<String, SqlFailure>> all = new HashMap<>(failures);
    all.put(gateway, Map.copyOf(its));
    return new CheckedCatalogue(catalogue, all);
  }

  /** Whether the gateway's database has checked the catalogue. */
  public boolean isChecked(String gateway) {
    return failures.containsKey(gateway);
  }

  /** Returns why the database refuses to prepare a statement; null if it does not. */
  public @Nullable SqlFailure failure(CatalogueEntry entry) {
    return failures.getOrDefault(entry.gateway(), Map.of()).get(entry.sql());
  }

  public boolean isBroken(CatalogueEntry entry) {
    return failure(entry) != null;
  }

  /** Returns ready; broken; or unchecked until the database has responded. */
  public String state(CatalogueEntry entry) {
    if (isBroken(entry)) {
      return "broken";
    }
    return isChecked(entry.gateway()) ? "ready" : "unchecked";
  }
}
