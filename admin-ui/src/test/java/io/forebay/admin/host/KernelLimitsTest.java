/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class KernelLimitsTest {

  /** The size of the file is 0, and only the first read returns its bytes. */
  @Test
  void readsAllThatAFileOfTheKernelHas() throws IOException {
    String file = "proc/sys/vm/max_map_count";
    try (BufferedReader reader = Files.newBufferedReader(Path.of("/", file))) {
      assertThat(new KernelLimits(Path.of("/")).read(file)).isEqualTo(reader.readLine());
    }
  }
}
