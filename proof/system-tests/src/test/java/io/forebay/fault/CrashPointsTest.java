/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

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

class CrashPointsTest {

  private static final Pattern HIT = Pattern.compile("CrashPoint\\.hit\\(\"([^\"]+)\"\\)");

  @Test
  void theKillTestsCoverEveryCrashPointInTheSources() throws IOException {
    try (Stream<Path> folders = Files.walk(Path.of("../.."), 5)) {
      assertThat(
              folders
                  .filter(folder -> folder.endsWith("src/main/java"))
                  .flatMap(CrashPointsTest::hits))
          .containsExactlyInAnyOrderElementsOf(CrashPoints.IN_ALL_SOURCES);
    }
  }

  private static Stream<String> hits(Path sources) {
    try (Stream<Path> files = Files.walk(sources)) {
      List<Path> java = files.filter(file -> file.toString().endsWith(".java")).toList();
      return java.stream()
          .flatMap(file -> HIT.matcher(text(file)).results().map(CrashPointsTest::name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String name(MatchResult hit) {
    return hit.group(1);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
