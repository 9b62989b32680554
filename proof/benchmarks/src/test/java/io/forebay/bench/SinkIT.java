/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Runs the built jar as a user would, on a real broker and a real database. */
@Tag("proof")
class SinkIT {

  private static final String SMALL = "sink --short --rows 12000 --warmup 3000 --only ";

  @TempDir private Path folder;

  private void run(String line) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", Path.of("target", "benchmarks.jar").toString()));
    command.addAll(List.of(line.split(" ")));
    command.addAll(List.of("--out", folder.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  @Test
  @EnabledIfSystemProperty(named = "forebay.bench.sink", matches = "true")
  void bringsRowsWithAndWithoutResultsAndLeavesOnlyTheFigures() throws Exception {
    run(SMALL + "forebay-kafka,forebay-kafka-failures-only");

    assertThat(folder.toFile().list()).containsExactly("sink.json");
    assertThat(Files.readString(folder.resolve("sink.json")))
        .containsSubsequence(
            "\"forebay-kafka\"",
            "\"rows/s\"",
            "\"CPU s per million: all\"",
            "\"forebay-kafka-failures-only\"",
            "\"rows/s\"",
            "\"fsync\" : \"on\"",
            "\"synchronous_commit\" : \"on\"",
            "\"short\"")
        .doesNotContain(folder.toString());
  }

  @Test
  @EnabledIfSystemProperty(named = "forebay.bench.sink", matches = "true")
  void bringsRowsWithDebezium() throws Exception {
    run(SMALL + "debezium-jdbc-sink");

    assertThat(Files.readString(folder.resolve("sink.json")))
        .containsSubsequence("\"debezium-jdbc-sink\"", "\"rows/s\"");
  }

  @Test
  @EnabledIfSystemProperty(named = "forebay.bench.sink", matches = "true")
  void bringsRowsToADistantDatabase() throws Exception {
    run("sink --short --rows 12000 --warmup 3000 --delay 2.5 --only forebay-kafka");
    assertThat(Files.readString(folder.resolve("sink.json")))
        .containsSubsequence("\"forebay-kafka\"", "\"rows/s\"", "\"delay\" : \"2.5\"");
  }
}
