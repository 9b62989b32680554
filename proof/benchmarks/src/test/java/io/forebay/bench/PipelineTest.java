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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PipelineTest {

  @Tag("proof")
  @Test
  void measuresEveryChainAndDrawsIt(@TempDir Path folder) throws Exception {
    assertThat(
            Main.run(
                List.of("pipeline", "--short", "--rates", "500,1000", "--out", folder.toString())))
        .isZero();

    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("pipeline.json", "pipeline.svg");
    String json = Files.readString(folder.resolve("pipeline.json"));
    String svg = Files.readString(folder.resolve("pipeline.svg"));
    for (String chain : List.of("bare-chain", "forebay", "forebay-async", "os-jitter")) {
      assertThat(json).contains("\"name\": \"" + chain + "\"");
      assertThat(svg).contains(">" + chain + ": latency");
    }
    assertThat(json)
        .containsSubsequence("\"os-jitter\"", "\"typicalMicros\": {", "\"p99.9Micros\": {")
        .contains("\"sustainablePerSecond\": {", "\"terabytesPerDay\": {", "\"verdict\": \"")
        .doesNotContain(folder.toString());
  }

  @Test
  void refusesRatesAndWaitsThatDoNotExist(@TempDir Path folder) {
    String out = folder.toString();
    assertThat(Main.run(List.of("pipeline", "--rates", "0", "--out", out))).isEqualTo(2);
    assertThat(Main.run(List.of("pipeline", "--wait", "sleep", "--out", out))).isEqualTo(2);
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
      super(PipelineWait.YIELD);
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
