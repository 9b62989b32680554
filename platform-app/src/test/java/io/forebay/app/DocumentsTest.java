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
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The links of all pages lead to files and headings that exist, and their tables are readable. */
class DocumentsTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern CODE = Pattern.compile("(?ms)^( *)```.*?^\\1```$");
  private static final Pattern LINK =
      Pattern.compile("]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  @Test
  void everyLinkLeadsToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : pages()) {
      for (MatchResult link : LINK.matcher(text(page)).results().toList()) {
        links++;
        Path to = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
        String anchor = link.group(2);
        if (!Files.exists(to) || (anchor != null && !anchors(to).contains(anchor))) {
          broken.add(page + ": " + link.group());
        }
      }
    }
    assertThat(links).isGreaterThan(200);
    assertThat(broken).isEmpty();
  }

  @Test
  void noCellHasMoreThanFortyWords() throws IOException {
    List<String> cells = new ArrayList<>();
    for (Path page : pages()) {
      Files.readAllLines(page).stream()
          .filter(line -> line.startsWith("|"))
          .forEach(line -> cells.addAll(List.of(line.split("\\|"))));
    }
    assertThat(cells).hasSizeGreaterThan(1_000);
    assertThat(cells.stream().filter(cell -> cell.strip().split("\\s+").length > 40)).isEmpty();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT, 3)) {
      return files
          .filter(it -> it.toString().endsWith(".md") && !it.toString().contains("/target/"))
          .toList();
    }
  }

  /** The names that GitHub gives to the headings of a page. */
  private static List<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(text(page))
        .results()
        .map(it -> it.group(1).toLowerCase(Locale.ROOT))
        .map(it -> it.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
        .toList();
  }

  private static String text(Path page) throws IOException {
    return CODE.matcher(Files.readString(page)).replaceAll("");
  }
}
