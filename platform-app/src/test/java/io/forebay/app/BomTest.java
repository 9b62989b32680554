/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The BOM has every module that an application may use, and no version of another project. */
class BomTest {

  private static final Path ROOT = Path.of("..");
  private static final Set<String> NOT_IN_IT =
      Set.of("platform-app", "starters/forebay-bom", "starters/forebay-parent");

  private static List<String> all(String pattern, String pom) throws IOException {
    return Pattern.compile(pattern)
        .matcher(Files.readString(ROOT.resolve(pom)))
        .results()
        .map((MatchResult it) -> it.group(1))
        .toList();
  }

  @Test
  void namesEveryPublishedModuleAndNothingElse() throws Exception {
    List<String> modules =
        all("<module>([^<]+)</module>", "pom.xml").stream()
            .filter(it -> !it.startsWith("proof/") && !NOT_IN_IT.contains(it))
            .map(it -> it.substring(it.lastIndexOf('/') + 1))
            .toList();
    assertThat(
            all(
                "<groupId>io.forebay</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>\\$",
                "starters/forebay-bom/pom.xml"))
        .hasSizeGreaterThan(10)
        .containsExactlyInAnyOrderElementsOf(modules);
    assertThat(all("<dependency>\\s*<groupId>([^<]+)<", "starters/forebay-bom/pom.xml"))
        .containsOnly("io.forebay");
  }

  @Test
  void hasTheVersionOfTheBuild() throws Exception {
    String version = "<version>([^<]+-SNAPSHOT|[0-9.]+)</version>\\s*<packaging>pom";
    assertThat(all(version, "starters/forebay-bom/pom.xml"))
        .hasSize(1)
        .isEqualTo(all(version, "pom.xml"))
        .isEqualTo(all(version, "starters/forebay-parent/pom.xml"));
  }

  @Test
  void theParentHasTheVersionsOfTheBuild() throws Exception {
    String versions =
        "<((?:version>4|hsqldb.version>|lz4-java.version>|snappy-java.version>)[^<]+)<";
    assertThat(all(versions, "starters/forebay-parent/pom.xml"))
        .hasSize(4)
        .isSubsetOf(all(versions, "pom.xml"));
    String options = "(--(?:add|enable|sun)[^\\s<]+)";
    assertThat(all(options, "starters/forebay-parent/pom.xml"))
        .hasSize(10)
        .isSubsetOf(all(options, "pom.xml"));
  }
}
