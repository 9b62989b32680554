/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.jdbc.catalogue.CatalogueFiles;
import io.forebay.jdbc.catalogue.CatalogueInvalid;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.messages.StatementNames;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;

/** The catalogue that the service would use. */
final class ConfiguredCatalogue {

  private ConfiguredCatalogue() {}

  /** Reads it; without names of SQL texts if it is invalid. */
  static StatementNames names(ApplicationContext context) {
    Binder binder = Binder.get(context.getEnvironment());
    List<String> files =
        binder.bind("forebay.door.catalogue", Bindable.listOf(String.class)).orElse(List.of());
    Set<String> gateways =
        binder
            .bind("forebay.gateways", Bindable.mapOf(String.class, Object.class))
            .orElse(Map.of("main", ""))
            .keySet();
    String fallback =
        context.getBean(DataDirectory.class).path().resolve("catalogue.yaml").toUri().toString();
    LiveCatalogue catalogue = new LiveCatalogue(new CatalogueFiles(context, files, fallback));
    try {
      catalogue.load(List.copyOf(gateways), null);
    } catch (CatalogueInvalid e) {
      System.err.println("Names of statements are not shown: " + e.getMessage());
    }
    return StatementTexts.names(catalogue, Map.of());
  }
}
