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

@Tag("proof")
class ProbeTest {

  @Test
  void measuresEveryPathAndLeavesOnlyTheFigures(@TempDir Path folder) throws Exception {
    assertThat(Main.run(List.of("probe", "--short", "--rates", "500", "--out", folder.toString())))
        .isZero();

    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("probe.json", "probe.svg");
    assertThat(Files.readString(folder.resolve("probe.json")))
        .containsSubsequence(
            "\"append\"", "\"service\"", "\"gateway-hsqldb\"", "\"gateway-postgresql\"")
        .contains("\"sustainablePerSecond\": {", "\"bytesPerMessage\": {")
        .doesNotContain(folder.toString());
  }
}
