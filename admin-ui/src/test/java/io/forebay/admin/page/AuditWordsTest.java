/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page has words for each action that a module records in the audit. */
class AuditWordsTest {

  private static final Path MAIN = Path.of("src", "main", "java");
  private static final Path WORDS =
      Path.of("src/main/resources/io/forebay/admin/page/app/parts/last-commands.js");
  private static final Pattern RECORDS =
      Pattern.compile("Audit\\.Entry\\.allowed\\(|new Audit\\.Entry\\(|Command\\.entry\\(");
  private static final Pattern ACTION =
      Pattern.compile(
          "\"((?:service|caller|job|failures|message|demo|alert|user|token|session|audit|catalogue)\\.(?!csv\")[a-z.-]+)\"");

  @Test
  void eachRecordedActionHasWords() throws IOException {
    TreeSet<String> recorded = new TreeSet<>();
    for (Path file : sources()) {
      String source = Files.readString(file);
      if (RECORDS.matcher(source).find()) {
        ACTION.matcher(source).results().map(it -> it.group(1)).forEach(recorded::add);
      }
    }
    assertThat(recorded).contains("service.pause", "job.start", "user.create");
    List<String> words =
        Pattern.compile("^  '([a-z.-]+)': '", Pattern.MULTILINE)
            .matcher(Files.readString(WORDS))
            .results()
            .map(it -> it.group(1))
            .toList();
    assertThat(words).containsAll(recorded);
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      return modules
          .map(it -> it.resolve(MAIN))
          .filter(Files::isDirectory)
          .flatMap(AuditWordsTest::java)
          .toList();
    }
  }

  private static Stream<Path> java(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(it -> it.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
