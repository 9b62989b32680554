/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.util.stream.Collectors.toMap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** A compose file, with the parts that the tests check. */
record ComposeFile(Path file, Map<?, ?> content) {

  static final Path FOLDER = ForebayProcess.checkout().resolve("docker");

  static ComposeFile read(String name) {
    Path file = FOLDER.resolve(name);
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    try {
      return new ComposeFile(
          file, new Yaml(new SafeConstructor(options)).load(Files.readString(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Set<String> names(String section) {
    return named(content, section).keySet();
  }

  Map<String, Service> services() {
    Map<String, Service> services = new TreeMap<>();
    named(content, "services")
        .forEach((name, it) -> services.put(name, new Service((Map<?, ?>) it)));
    return services;
  }

  /** The files of its secrets, by name. */
  Map<String, Path> secretFiles() {
    return named(content, "secrets").entrySet().stream()
        .collect(
            toMap(
                Map.Entry::getKey,
                it -> FOLDER.resolve(String.valueOf(((Map<?, ?>) it.getValue()).get("file")))));
  }

  /** A mapping inside a mapping; empty if absent. */
  private static Map<String, Object> named(Map<?, ?> of, String key) {
    Map<String, Object> named = new TreeMap<>();
    if (of.get(key) instanceof Map<?, ?> map) {
      map.forEach((name, value) -> named.put(String.valueOf(name), value == null ? "" : value));
    }
    return named;
  }

  /** What is mounted where. */
  record Mount(String source, String target) {}

  /** One service. */
  record Service(Map<?, ?> content) {

    String text(String key) {
      return String.valueOf(content.get(key));
    }

    boolean isForebay() {
      return text("image").equals("forebay");
    }

    Map<String, Object> section(String key) {
      return named(content, key);
    }

    Map<String, String> environment() {
      return section("environment").entrySet().stream()
          .collect(toMap(Map.Entry::getKey, it -> String.valueOf(it.getValue())));
    }

    List<String> texts(String key) {
      return content.get(key) instanceof List<?> list
          ? list.stream().map(String::valueOf).toList()
          : List.of();
    }

    List<Mount> volumes() {
      return texts("volumes").stream()
          .map(it -> it.split(":"))
          .map(it -> new Mount(it[0], it[1]))
          .toList();
    }

    /** The secrets and their files in {@code /run/secrets}. */
    List<Mount> secrets() {
      return content.get("secrets") instanceof List<?> list
          ? list.stream().map(Service::secret).toList()
          : List.of();
    }

    private static Mount secret(Object secret) {
      return secret instanceof Map<?, ?> map
          ? new Mount(String.valueOf(map.get("source")), String.valueOf(map.get("target")))
          : new Mount(String.valueOf(secret), String.valueOf(secret));
    }
  }
}
