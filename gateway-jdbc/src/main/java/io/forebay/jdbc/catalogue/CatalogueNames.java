/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.hosting.messages.StatementNames;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.statement.StatementTexts;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of a catalogue for those who look into queues. Thread-safe. */
public final class CatalogueNames implements StatementNames {

  private final @Nullable StatementCatalogue catalogue;
  private final Map<String, String> lanes;

  /**
   * @param catalogue null to know references only
   */
  public CatalogueNames(@Nullable StatementCatalogue catalogue) {
    this(catalogue, Map.of());
  }

  /**
   * @param catalogue null to know references only
   * @param lanes the gateway of the service of each lane
   */
  public CatalogueNames(@Nullable StatementCatalogue catalogue, Map<String, String> lanes) {
    this.catalogue = catalogue;
    this.lanes = Map.copyOf(lanes);
  }

  @Override
  public @Nullable String nameOf(String queue, String text) {
    if (StatementTexts.isReference(text)) {
      return text;
    }
    int dot = queue.lastIndexOf('.');
    String service = dot < 0 ? queue : queue.substring(0, dot);
    return catalogue == null ? null : catalogue.nameOf(lanes.getOrDefault(service, service), text);
  }
}
