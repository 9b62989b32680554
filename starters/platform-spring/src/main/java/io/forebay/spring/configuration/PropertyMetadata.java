/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The properties under {@code forebay} of all modules on the class path, from the files that Spring
 * Boot's annotation processor writes for IDEs.
 *
 * <p>A map of records is described by an example: {@code forebay.gateways} of type {@code
 * Map<String, Gateway>} and a group {@code forebay.gateways.main} of type {@code Gateway}. Any name
 * may stand in the place of {@code main}.
 */
final class PropertyMetadata {

  static final String ROOT = "forebay";

  private static final String FILE = "META-INF/spring-configuration-metadata.json";
  private static final Pattern MAP_OF =
      Pattern.compile("java\\.util\\.Map<java\\.lang\\.String,(.+)>");

  /**
   * An entry that the annotation processor writes for a group or a property. A regular expression,
   * because the fallback JSON parser of Spring Boot fails on braces in a default.
   */
  private static final Pattern ITEM =
      Pattern.compile(
          "\\{\\s*\"name\": \"(" + ROOT + "(?:\\.[^\"]+)?)\",\\s*\"type\": \"([^\"]+)\"");

  private final Map<String, String> types = new TreeMap<>();
  private final Map<String, List<String>> groups = new LinkedHashMap<>();

  private PropertyMetadata() {}

  static PropertyMetadata of(ClassLoader classLoader) {
    PropertyMetadata metadata = new PropertyMetadata();
    try {
      for (URL file : Collections.list(classLoader.getResources(FILE))) {
        try (InputStream in = file.openStream()) {
          String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
          if (json.contains('"' + ROOT)) {
            metadata.add(json);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return metadata;
  }

  private void add(String json) {
    int properties = json.indexOf("\"properties\": [");
    Matcher item = ITEM.matcher(json);
    while (item.find()) {
      if (item.start() < properties) {
        groups.computeIfAbsent(item.group(2), _ -> new ArrayList<>()).add(item.group(1));
      } else {
        types.put(item.group(1), item.group(2));
      }
    }
  }

  /** All allowed names, with a star in place of a name that the user chooses. */
  List<String> names() {
    Map<String, String> examples = new LinkedHashMap<>();
    types.forEach((name, type) -> {
      Matcher map = MAP_OF.matcher(type);
      if (map.matches()) {
        String any = withStars(name, examples) + ".*.";
        groups.getOrDefault(map.group(1), List.of()).stream()
            .filter(group -> group.startsWith(name + "."))
            .forEach(group -> examples.put(group + ".", any));
        examples.putIfAbsent(name + ".", any);
      }
    });
    return types.entrySet().stream()
        .map(it ->
            withStars(it.getKey(), examples)
                + (isMapOfValues(it.getKey(), it.getValue()) ? ".*" : ""))
        .toList();
  }

  /** Puts stars in place of the names in examples; a record in an example may have a map, too. */
  private static String withStars(String name, Map<String, String> examples) {
    return examples.entrySet().stream()
        .filter(it -> name.startsWith(it.getKey()))
        .max(Comparator.comparing(it -> it.getKey().length()))
        .map(it -> it.getValue() + name.substring(it.getKey().length()))
        .orElse(name);
  }

  private boolean isMapOfValues(String name, String type) {
    Matcher map = MAP_OF.matcher(type);
    return map.matches()
        && groups.getOrDefault(map.group(1), List.of()).stream()
            .noneMatch(group -> group.startsWith(name + "."));
  }
}
