/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The names of public types have the nouns of the glossary in CONTRIBUTING.md. */
class VocabularyTest {

  private static final Path ROOT = Path.of("..");

  /** A row of the glossary: the nouns, and the words that they replace. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (`\\p{Lu}.*|) \\| (`\\p{Lu}.*) \\|$");

  private static final Pattern CODE = Pattern.compile("`(\\w+)`");
  private static final Pattern PUBLIC =
      Pattern.compile(
          "(?m)^ *public (?:abstract |final |sealed |non-sealed |static )*"
              + "(?:class|record|interface|enum|@interface) (\\w+)");
  private static final Pattern WORD = Pattern.compile("\\p{Lu}+(?!\\p{Ll})|\\p{Lu}[\\p{Ll}\\d]*");

  private static Set<String> glossary(int column) throws IOException {
    return ROW.matcher(Files.readString(ROOT.resolve("CONTRIBUTING.md")))
        .results()
        .flatMap(row -> CODE.matcher(row.group(column)).results())
        .map(it -> it.group(1))
        .collect(toSet());
  }

  /** The names of the public types of the product, also of those in other types. */
  private static List<String> names() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(it -> it.toString().matches("(?!\\.\\./(proof|examples)/).*/src/main/.*\\.java"))
          .flatMap(it -> PUBLIC.matcher(text(it)).results())
          .map(it -> it.group(1))
          .toList();
    }
  }

  private static String text(Path source) {
    try {
      return Files.readString(source);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** A transaction manager is a noun of Spring's. */
  private static Set<String> words(String name) {
    return WORD.matcher(name.replace("TransactionManager", ""))
        .results()
        .map(MatchResult::group)
        .collect(toSet());
  }

  @Test
  void eachNounOfTheGlossaryIsInTheNameOfAType() throws IOException {
    Set<String> used = names().stream().flatMap(it -> words(it).stream()).collect(toSet());
    assertThat(glossary(1)).hasSizeGreaterThan(15).isSubsetOf(used);
  }

  @Test
  void noTypeHasANameWithAnotherWordForOne() throws IOException {
    Set<String> others = glossary(2);
    assertThat(others).hasSizeGreaterThan(30).doesNotContainAnyElementsOf(glossary(1));
    assertThat(names())
        .hasSizeGreaterThan(400)
        .allSatisfy(name ->
            assertThat(Collections.disjoint(words(name), others))
                .as("%s has the word that CONTRIBUTING.md gives for it", name)
                .isTrue());
  }

  @Test
  void aNameIsSplitIntoItsWords() {
    assertThat(words("JDBCQueueTail")).containsExactlyInAnyOrder("JDBC", "Queue", "Tail");
    assertThat(words("Utf8Body")).containsExactlyInAnyOrder("Utf8", "Body");
  }
}
