/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueBytesTest {

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 65_535, 65_536, 65_537, 300_000})
  void countsUpToTheLastByteThatIsNotZero(int used) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(folder.resolve("queue").toFile(), "rw")) {
      file.setLength(80 << 20);
      file.seek(used - 1);
      file.write(7);
    }
    assertThat(QueueBytes.used(List.of(folder))).isEqualTo(used);
  }

  @Test
  void countsNothingForZeros() throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(folder.resolve("queue").toFile(), "rw")) {
      file.setLength(1 << 20);
    }
    assertThat(QueueBytes.used(List.of(folder))).isZero();
  }
}
