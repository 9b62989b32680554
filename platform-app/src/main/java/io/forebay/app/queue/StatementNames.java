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
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;

/** The names of statements in the configured catalogue. Messages may carry only their SQL text. */
@FunctionalInterface
interface StatementNames {

  /**
   * @param text a reference or SQL text
   * @return the reference, or the name of the SQL text; null if the catalogue does not have it
   */
  @Nullable String nameOf(String queue, String text);

  /** Without a catalogue. */
  static StatementNames none() {
    return (queue, text) -> StatementTexts.isReference(text) ? text : null;
  }

  /** Reads the catalogue as the service does; without the names if it is invalid. */
  static StatementNames of(ApplicationContext context) {
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
      catalogue.load(List.copyOf(gateways));
    } catch (CatalogueInvalid e) {
      System.err.println("Names of statements are not shown: " + e.getMessage());
      return none();
    }
    return (queue, text) ->
        StatementTexts.isReference(text)
            ? text
            : catalogue.nameOf(queue.replaceFirst("\\.[^.]*$", ""), text);
  }
}
