/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Tag("proof")
class JmhTest {

  /** Less than a byte per operation comes from elsewhere in the process. */
  @Test
  void measuresEveryOperationAndTheWayInAllocatesNothing(@TempDir Path folder) throws Exception {
    assertThat(Main.run(List.of("jmh", "--short", "--out", folder.toString()))).isZero();

    assertThat(folder.toFile().list()).containsExactly("jmh.json");
    String text = Files.readString(folder.resolve("jmh.json"));
    assertThat(text).doesNotContain(folder.toString());
    JsonNode contenders = JsonMapper.shared().readTree(text).path("contenders");
    assertThat(contenders).hasSize(JmhOperation.values().length);
    for (int i = 0; i < contenders.size(); i++) {
      JmhOperation operation = JmhOperation.values()[i];
      JsonNode figures = contenders.get(i);
      assertThat(figures.path("name").asString()).isEqualTo(Benchmark.title(operation));
      assertThat(median(figures, JmhBenchmark.NANOS)).isPositive();
      if (operation.mustNotAllocate()) {
        assertThat(median(figures, JmhBenchmark.BYTES))
            .as(Benchmark.title(operation))
            .isLessThan(1);
      } else if (operation == JmhOperation.DECODE) { // allocations are counted
        assertThat(median(figures, JmhBenchmark.BYTES)).isBetween(50.0, 500.0);
      }
    }
  }

  private static double median(JsonNode figures, String figure) {
    return figures.path(figure).path("median").asDouble();
  }
}
