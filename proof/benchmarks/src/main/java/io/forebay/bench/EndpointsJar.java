/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Packs the endpoint classes that the benchmark adds to the product's process into a jar, without
 * the rest of this program.
 */
final class EndpointsJar {

  private static final String PACKAGE = "io/forebay/bench/endpoints";
  private static final String IMPORTS =
      "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";
  private static final String AUTO_CONFIGURATIONS =
      """
      io.forebay.bench.endpoints.BenchAutoConfiguration
      io.forebay.bench.endpoints.LettersServices
      """;

  private EndpointsJar() {}

  static void write(Path file) throws IOException {
    try (OutputStream to = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(to)) {
      add(jar, IMPORTS, AUTO_CONFIGURATIONS.getBytes(StandardCharsets.UTF_8));
      Path own = location();
      if (Files.isDirectory(own)) {
        addClasses(jar, own.resolve(PACKAGE));
      } else {
        try (FileSystem system = FileSystems.newFileSystem(own, Map.of())) {
          addClasses(jar, system.getPath(PACKAGE));
        }
      }
    }
  }

  /** The location of this program's classes. */
  private static Path location() {
    try {
      return Path.of(
          EndpointsJar.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The folder of this module, in whose folder {@code target} the classes are. */
  static Path module() {
    return location().getParent().getParent();
  }

  private static void addClasses(JarOutputStream jar, Path folder) throws IOException {
    List<Path> classes;
    try (Stream<Path> files = Files.list(folder)) {
      classes = files.sorted().toList();
    }
    for (Path file : classes) {
      add(jar, PACKAGE + "/" + file.getFileName(), Files.readAllBytes(file));
    }
  }

  private static void add(JarOutputStream jar, String name, byte[] bytes) throws IOException {
    jar.putNextEntry(new JarEntry(name));
    jar.write(bytes);
    jar.closeEntry();
  }
}
