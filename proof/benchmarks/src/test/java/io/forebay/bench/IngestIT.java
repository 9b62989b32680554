/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Runs the built jars as a user would. */
@EnabledIfSystemProperty(named = "forebay.bench.ingest", matches = "true")
class IngestIT {

  @Test
  void measuresAllContendersAndLeavesOnlyTheFigures(@TempDir Path folder) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                Path.of("target", "benchmarks.jar").toString(),
                "ingest",
                "--short",
                "--rounds",
                "1",
                "--seconds",
                "1",
                "--connections",
                "8",
                "--out",
                folder.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
    assertThat(folder.toFile().list()).containsExactly("ingest.json");
    assertThat(Files.readString(folder.resolve("ingest.json")))
        .containsSubsequence(
            "\"direct-insert\"",
            "\"requests/s\"",
            "\"median\"",
            "\"p99 ms\"",
            "\"forebay-queued\"",
            "\"drain s\"",
            "\"CPU µs: all\"",
            "\"forebay-stream\"",
            "\"performed/s\"",
            "\"empty-handler\"",
            "\"toReach\" : \">= 5.00\"",
            "\"toReach\" : \">= 0.70\"",
            "\"fsync\" : \"on\"",
            "\"short\"")
        .doesNotContain(folder.toString(), "fb_");
    assertThat(output).doesNotContain("fb_");
  }
}
