/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each promise of docs/guarantees.md names tests, or checks of the simulation, that exist. */
class GuaranteesTest {

  private static final Path ROOT = Path.of("..");
  private static final String HEAD = "| promise | proved by |";
  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT|Contract))`");
  private static final Pattern CHECKS = Pattern.compile("simulation: (`\\w+`(?:, `\\w+`)*)");
  private static final Pattern NAME = Pattern.compile("`(\\w+)`");
  private static final String SIMULATION = "proof/simulation/src/test/java/io/forebay/simulation/";

  @Test
  void eachPromiseNamesATestThatExists() throws IOException {
    Set<String> there = testClasses();
    List<String> proofs = proofs();
    assertThat(proofs).hasSizeGreaterThan(50);
    for (String proof : proofs) {
      List<String> named = TEST.matcher(proof).results().map(it -> it.group(1)).toList();
      assertThat(there).as(proof).containsAll(named);
      assertThat(!named.isEmpty() || CHECKS.matcher(proof).find()).as(proof).isTrue();
    }
  }

  @Test
  void theChecksOfTheSimulationExist() throws IOException {
    String checkers =
        Files.readString(ROOT.resolve(SIMULATION + "Checker.java"))
            + Files.readString(ROOT.resolve(SIMULATION + "ServiceChecker.java"))
            + Files.readString(ROOT.resolve(SIMULATION + "OutboxHistory.java"));
    assertThat(proofs().stream().flatMap(proof -> CHECKS.matcher(proof).results()))
        .hasSizeGreaterThan(10)
        .flatExtracting(it -> NAME.matcher(it.group(1)).results().map(m -> m.group(1)).toList())
        .allSatisfy(check -> assertThat(checkers).contains("private void " + check + "("));
  }

  /** The last cells of the tables of promises. */
  private static List<String> proofs() throws IOException {
    List<String> proofs = new ArrayList<>();
    boolean within = false;
    for (String line : Files.readAllLines(ROOT.resolve("docs/guarantees.md"))) {
      if (line.equals(HEAD)) {
        within = true;
      } else if (!line.startsWith("|")) {
        within = false;
      } else if (within && !line.startsWith("|---")) {
        proofs.add(
            line.substring(line.lastIndexOf('|', line.length() - 2) + 1, line.length() - 1)
                .strip());
      }
    }
    return proofs;
  }

  private static Set<String> testClasses() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT, 14)) {
      return files
          .map(it -> it.toString().replace('\\', '/'))
          .filter(it -> it.contains("/src/test/java/") && it.endsWith(".java"))
          .map(it -> it.substring(it.lastIndexOf('/') + 1, it.length() - ".java".length()))
          .collect(Collectors.toSet());
    }
  }
}
