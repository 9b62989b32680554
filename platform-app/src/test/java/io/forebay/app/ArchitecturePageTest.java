/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** ARCHITECTURE.md names every module and every package, and none that is not there. */
class ArchitecturePageTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern MODULE = Pattern.compile("<module>(?:[\\w-]+/)?([\\w-]+)</module>");
  private static final Pattern PACKAGE = Pattern.compile("`io\\.forebay\\.([a-z.]+)`");
  private static final String FIRST = "io/forebay/";

  @Test
  void namesEveryModule() throws IOException {
    String page = page();
    assertThat(
            MODULE
                .matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(it -> it.group(1)))
        .isNotEmpty()
        .allSatisfy(module -> assertThat(page).contains("`" + module + "`"));
  }

  @Test
  void namesEveryPackage() throws IOException {
    String page = page();
    assertThat(packages())
        .isNotEmpty()
        .allSatisfy(
            it -> assertThat(page).containsAnyOf("`io.forebay." + it + "`", "`" + it + "`"));
  }

  @Test
  void namesNoPackageThatIsNotThere() throws IOException {
    Set<String> there = packages();
    assertThat(PACKAGE.matcher(page()).results().map(it -> it.group(1)))
        .isNotEmpty()
        .allSatisfy(it -> assertThat(there).contains(it));
  }

  private static Set<String> packages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT, 12)) {
      return files
          .map(it -> it.toString().replace('\\', '/'))
          .filter(it -> it.contains("/src/main/java/") && it.endsWith("/package-info.java"))
          .filter(it -> !it.contains("/benchmarks/") && !it.contains("/examples/"))
          .map(it -> it.substring(it.indexOf(FIRST) + FIRST.length(), it.lastIndexOf('/')))
          .map(it -> it.replace('/', '.'))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("ARCHITECTURE.md"));
  }
}
