/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The properties of all modules as a table, from their metadata. */
final class PropertyTables {

  private static final String METADATA = "META-INF/spring-configuration-metadata.json";
  private static final String MAP = "java.util.Map<java.lang.String,";

  /** The values of maps that are properties themselves. */
  private static final Set<String> VALUES =
      Set.of("java.lang.String", "java.time.Duration", "java.util.List<java.lang.String>");

  record Property(String name, String type, @Nullable String defaultValue, String description) {

    /** The name as written in files; in the metadata the name main stands for all names. */
    String written() {
      return name.replaceFirst(
              "^forebay\\.(gateways|services|door\\.callers|chronicle\\.services|chunks\\.services|jobs\\.schedules)\\.main\\.",
              "forebay.$1.<name>.")
          .replaceFirst("\\.lanes\\.bulk\\.", ".lanes.<lane>.");
    }

    boolean isMap() {
      return type.startsWith(MAP);
    }

    /** The type of the values of a map. */
    String valueType() {
      return isMap() ? type.substring(MAP.length(), type.length() - 1) : type;
    }
  }

  private PropertyTables() {}

  static List<Property> properties() {
    return items("properties").stream()
        .map(PropertyTables::property)
        // properties of records in a map are listed one by one
        .filter(it -> !it.isMap() || VALUES.contains(it.valueType()))
        .toList();
  }

  /** The properties for which IDEs offer values, or names. */
  static List<String> hints() {
    return items("hints").stream().map(it -> it.path("name").asString()).toList();
  }

  private static List<JsonNode> items(String kind) {
    List<JsonNode> items = new ArrayList<>();
    try {
      for (URL file :
          Collections.list(PropertyTables.class.getClassLoader().getResources(METADATA))) {
        try (InputStream in = file.openStream()) {
          for (JsonNode item : JsonMapper.shared().readTree(in).path(kind)) {
            if (item.path("name").asString().startsWith("forebay.")) {
              items.add(item);
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return items;
  }

  private static Property property(JsonNode json) {
    JsonNode given = json.path("defaultValue");
    return new Property(
        json.path("name").asString(),
        json.path("type").asString(),
        given.isMissingNode() ? null : given.asString(),
        json.path("description").asString(""));
  }

  /** One table of all properties. Those that differ only in their prefix share a row. */
  static String markdown() {
    Map<String, List<String>> rows = new LinkedHashMap<>();
    properties().stream()
        .sorted(Comparator.comparing(Property::written))
        .forEach(it -> rows.computeIfAbsent(row(it), row -> new ArrayList<>()).add(name(it)));
    StringBuilder text = new StringBuilder("\n| property | default | |\n|---|---|---|\n");
    rows.forEach((row, names) -> text.append("| " + String.join(", ", names) + row));
    return text.append('\n').toString();
  }

  private static String name(Property property) {
    return "`" + property.written() + (property.isMap() ? ".<name>`" : "`");
  }

  /** The row without the name. */
  private static String row(Property property) {
    String given = property.defaultValue();
    return " | %s | %s |\n"
        .formatted(given == null ? "" : "`" + given + "`", property.description());
  }
}
