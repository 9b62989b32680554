/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The jar on a JVM that is too old; the JDK 17 of this machine, if there is one. */
class OldJavaIT {

  private static final Path JVMS = Path.of("/usr/lib/jvm");

  private static Path java17() throws IOException {
    assumeTrue(Files.isDirectory(JVMS), "skipped: there is no directory " + JVMS);
    try (Stream<Path> homes = Files.list(JVMS)) {
      Path java =
          homes
              .filter(home -> home.getFileName().toString().contains("17"))
              .map(home -> home.resolve("bin/java"))
              .filter(Files::isExecutable)
              .findFirst()
              .orElse(null);
      assumeTrue(java != null, "skipped: there is no JDK 17 in " + JVMS);
      return java;
    }
  }

  @Test
  void saysInOneLineWhichJavaItNeeds() throws Exception {
    Process process =
        new ProcessBuilder(java17().toString(), "-jar", ForebayProcess.JAR.toString())
            .redirectErrorStream(true)
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isOne();
    assertThat(process.inputReader().lines())
        .singleElement()
        .asString()
        .startsWith("Forebay needs Java 25 or later; this is Java 17 (");
  }
}
