/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The page, messages and logs avoid words that readers had to read twice; CONTRIBUTING.md has the
 * better ones. Comments are not searched.
 */
class PlainEnglishTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern COMMENT = Pattern.compile("(?s:/\\*.*?\\*/)|(?m:(?<=^|\\s)//.*$)");

  /** Where a literal is continued on the next line. */
  private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"");

  /** The name of a page, and of a heading in it. */
  private static final Pattern HEADING =
      Pattern.compile("docs/(\\w+\\.md), \\\\\"([^\"\\\\]+)\\\\\"");

  private static final Pattern CLUMSY =
      Pattern.compile(
          String.join(
              "|",
              "\\banew\\b",
              "\\bcalled so\\b",
              "\\bis told\\b",
              "\\bby itself\\b",
              "\\bgo(es)? on\\b",
              "\\bwhich does so\\b",
              "\\bany more\\b",
              "\\bat the worst\\b",
              "\\bpasswords? do not fit\\b",
              "\\bis no (directory|format|UUID|number)\\b(?!,)",
              "\\bthere twice\\b",
              "\\bas needed\\b",
              "\\bis gone\\b",
              "\\bwhat waits\\b",
              "\\b(comes|came) in\\b",
              "\\bnames must differ\\b",
              "\\bsomebody else\\b",
              "\\bon their way\\b",
              "there are %s",
              "'1 (times|messages)\\b",
              "\\$\\{count\\([^}]*\\)\\} (messages|files|callers|statements)\\b"));

  @Test
  void noTextUsesClumsyWords() throws IOException {
    List<Path> sources = sources();
    assertThat(sources).hasSizeGreaterThan(500);
    assertThat(sources.stream().flatMap(PlainEnglishTest::clumsy)).isEmpty();
  }

  @Test
  void textsNameHeadingsThatExist() throws IOException {
    List<MatchResult> named =
        sources().stream().flatMap(it -> HEADING.matcher(texts(it)).results()).toList();
    assertThat(named).isNotEmpty();
    for (MatchResult it : named) {
      assertThat(ROOT.resolve("docs").resolve(it.group(1)))
          .content()
          .containsPattern("(?m)^#+ " + Pattern.quote(it.group(2)) + "$");
    }
  }

  @Test
  void aClumsySentenceIsFound() {
    assertThat(CLUMSY.matcher("Nothing is called so.").find()).isTrue();
    assertThat(CLUMSY.matcher("`${count(plan.count)} messages`").find()).isTrue();
    assertThat(COMMENT.matcher("a /* anew */ // anew").replaceAll("")).isEqualTo("a  ");
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(it -> it.toString().matches(".*/src/main/.*\\.(java|js)"))
          .filter(it -> !it.toString().contains("/vendor/"))
          .toList();
    }
  }

  private static Stream<String> clumsy(Path source) {
    return CLUMSY
        .matcher(texts(source))
        .results()
        .map(MatchResult::group)
        .map(it -> source.getFileName() + ": " + it);
  }

  /** Without comments, and with each literal in one piece. */
  private static String texts(Path source) {
    try {
      String text = COMMENT.matcher(Files.readString(source)).replaceAll("");
      return JOINT.matcher(text).replaceAll("");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
