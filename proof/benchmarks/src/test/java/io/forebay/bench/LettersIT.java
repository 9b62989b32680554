/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the built jars as a user would. */
@Tag("proof")
class LettersIT {

  /** The second round begins with a restart, which takes half a minute on a busy machine. */
  private static final boolean RESTART = Boolean.getBoolean("forebay.bench.letters");

  /** The benchmark itself compares the letters, and ends with status 1 if they differ. */
  @Test
  void allContendersWriteTheSameLetters(@TempDir Path folder) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                Path.of("target", "benchmarks.jar").toString(),
                "letters",
                "--short",
                "--rounds",
                RESTART ? "2" : "1",
                "--contracts",
                "100",
                "--warmup",
                "0.1",
                "--out",
                folder.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
    assertThat(folder.toFile().list()).containsExactly("letters.json");
    assertThat(Files.readString(folder.resolve("letters.json")))
        .contains(
            Arrays.stream(LettersContender.values())
                .map(it -> "\"name\" : \"" + Benchmark.title(it) + "\"")
                .toList())
        .containsSubsequence("\"seconds\"", "\"median\"", "\"fsync\" : \"on\"", "\"short\"")
        .doesNotContain(folder.toString());
    assertThat(output.contains("restarted the services and the database in ")).isEqualTo(RESTART);
  }
}
