/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
final class BlocksTest {

  @TempDir Path directory;

  @Test
  void reportsTheAllocatedSizeOfASparseFile() throws Exception {
    Path file = directory.resolve("with a hole, ünd so");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(64 << 10), 0);
      channel.write(ByteBuffer.allocate(64 << 10), 64 << 20);
      assertThat(channel.size()).isGreaterThan(64 << 20);
      assertThat(Blocks.allocated(file).orElseThrow()).isBetween(128L << 10, 256L << 10);
    }
  }

  @Test
  void isEmptyForAMissingFile() {
    assertThat(Blocks.allocated(directory.resolve("none"))).isEmpty();
  }
}
