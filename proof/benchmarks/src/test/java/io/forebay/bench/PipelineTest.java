/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PipelineTest {

  @Tag("proof")
  @Test
  void measuresEveryChain(@TempDir Path folder) throws Exception {
    List<String> command = List.of("pipeline", "--short", "--seconds", "0.05", "--out");
    assertThat(Main.run(Stream.concat(command.stream(), Stream.of(folder.toString())).toList()))
        .isZero();

    assertThat(folder.toFile().list()).containsExactly("pipeline.json");
    String json = Files.readString(folder.resolve("pipeline.json"));
    for (String chain : List.of("bare-chain", "forebay", "forebay-async")) {
      assertThat(json).contains("\"name\" : \"" + chain + "\"");
    }
    assertThat(json)
        .contains("\"sustained/s\"", "\"keeps up/s\"", "\"typical µs\"", "\"verdict\"")
        .doesNotContain(folder.toString());
  }

  /** A chain that loses or repeats a message ends the measurement. */
  @Test
  void aMessageThatIsMissingEndsTheRun() throws Exception {
    try (PipelineChain losing = new Losing()) {
      assertThatThrownBy(() -> losing.run(1_000, Duration.ofMillis(100)))
          .hasStackTraceContaining("number 3,000 left the last stage instead of 2,000");
    }
  }

  /** Loses its second message. */
  private static final class Losing extends PipelineChain {

    private volatile long written;
    private long read;

    Losing() {
      begin();
    }

    @Override
    void write(long number, long due) {
      written = number;
    }

    @Override
    boolean poll() {
      if (read >= written) {
        return false;
      }
      read += read == 1 ? 2 : 1;
      arrived(read * 1_000, System.nanoTime());
      return true;
    }

    @Override
    long storedBytes() {
      return 0;
    }

    @Override
    void closeStages() {}
  }
}
