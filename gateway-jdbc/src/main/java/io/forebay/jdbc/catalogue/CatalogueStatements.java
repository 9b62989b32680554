/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

/** The statements of the catalogue, for callers in this process. Thread-safe. */
public final class CatalogueStatements {

  private final LiveCatalogue catalogue;

  public CatalogueStatements(LiveCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * Returns the newest version of a statement in the current catalogue.
   *
   * @throws IllegalArgumentException if there is no such statement, or the database refused to
   *     prepare it
   */
  public NamedStatement get(String name) {
    CheckedCatalogue current = catalogue.current();
    CatalogueEntry entry = current.catalogue().find(name);
    if (entry == null) {
      throw new IllegalArgumentException(
          "the catalogue has no statement %s (it has %,d statements)"
              .formatted(name, current.catalogue().entries().size()));
    }
    if (current.isBroken(entry)) {
      throw new IllegalArgumentException(
          "the database refused to prepare statement %s; the log of the server has the reason"
              .formatted(name));
    }
    return new NamedStatement(entry);
  }
}
