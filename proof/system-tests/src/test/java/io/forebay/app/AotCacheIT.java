/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts with the AOT cache that the recipe of {@code docs/operations.md} creates. */
@Tag("proof")
class AotCacheIT {

  @TempDir Path directory;

  @Test
  void aStartLoadsItsClassesFromTheCache() throws Exception {
    Path classes = directory.resolve("classes.txt");
    try (ForebayProcess forebay =
        ForebayProcess.start(
            directory.resolve("data"),
            Map.of("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC -Xlog:class+load:file=" + classes))) {
      forebay.address();
    }
    assertThat(Files.readAllLines(classes))
        .filteredOn(it -> it.contains(" io.forebay.jdbc.http.") && !it.contains("$$Lambda"))
        .isNotEmpty()
        .allMatch(it -> it.contains("shared objects file"));
  }

  @Test
  void aStartWithOtherOptionsThanTheCacheWorksWithoutIt() throws Exception {
    ProcessBuilder java =
        ChildProcess.tool("java", UnpackedJar.of(ForebayProcess.JAR).toArray(String[]::new));
    java.command().add(1, "-XX:+UseCompactObjectHeaders");
    java.command().addAll(List.of("queue", "--help"));
    assertThat(ChildProcess.run(java)).contains("Unable to use AOT cache", "queue ls");
  }
}
