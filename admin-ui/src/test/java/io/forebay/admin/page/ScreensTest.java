/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.AdminAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScreensTest {

  private static final Path PAGE = Path.of("src/main/resources/io/forebay/admin/page");
  private static final Pattern IMPORT =
      Pattern.compile("^import \\{([^}]*)} from '(\\.[^']+)';", Pattern.MULTILINE);
  private static final Pattern LATER = Pattern.compile("import\\('(\\.[^']+)'\\)");
  private static final Pattern PRELOAD =
      Pattern.compile("\"modulepreload\" href=\"[^\"]*(app/.*)\"");

  @Test
  void theServerHasTheAddressOfEachScreenAndNoOther() throws IOException {
    Set<String> served =
        Stream.of(AdminAccess.SCREENS.replaceAll(".*:|}.*", "").split("\\|"))
            .collect(Collectors.toSet());
    assertThat(served)
        .isEqualTo(
            Pattern.compile("path: '/(\\w+)'")
                .matcher(Files.readString(PAGE.resolve("app/router.js")))
                .results()
                .map(it -> it.group(1))
                .collect(Collectors.toSet()));
  }

  @Test
  void eachModuleImportsWhatAnotherExports() throws IOException {
    for (Path module : modules()) {
      String text = Files.readString(module);
      for (MatchResult found : IMPORT.matcher(text).results().toList()) {
        Path other = module.resolveSibling(found.group(2)).normalize();
        assertThat(other).as(module.toString()).exists();
        for (String name : found.group(1).trim().split("( as \\w+)?(\\s*,\\s*|$)")) {
          assertThat(Files.readString(other))
              .as("%s imports from %s", module, other)
              .containsPattern(
                  "(?m)^export (async )?(const|let|function|class) %s\\b".formatted(name));
        }
      }
      LATER
          .matcher(text)
          .results()
          .forEach(found -> assertThat(module.resolveSibling(found.group(1)).normalize()).exists());
    }
  }

  /** So that the browser loads them at the same time. */
  @Test
  void theDocumentNamesEachModuleOfHome() throws IOException {
    Set<Path> home = new TreeSet<>();
    addWithImports(PAGE.resolve("app/main.js"), home);
    home.remove(PAGE.resolve("app/main.js"));
    assertThat(
            PRELOAD
                .matcher(Files.readString(PAGE.resolve("index.html")).replace(" />", ""))
                .results()
                .map(it -> PAGE.resolve(it.group(1))))
        .containsExactlyInAnyOrderElementsOf(home);
  }

  private static void addWithImports(Path module, Set<Path> all) throws IOException {
    if (all.add(module)) {
      for (MatchResult found : IMPORT.matcher(Files.readString(module)).results().toList()) {
        addWithImports(module.resolveSibling(found.group(2)).normalize(), all);
      }
    }
  }

  private static Set<Path> modules() throws IOException {
    try (Stream<Path> files = Files.walk(PAGE.resolve("app"))) {
      return files.filter(it -> it.toString().endsWith(".js")).collect(Collectors.toSet());
    }
  }
}
