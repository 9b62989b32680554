/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The used size of queue files, which are longer than their content. */
final class QueueBytes {

  private static final int BLOCK = 1 << 16;

  private QueueBytes() {}

  /** The sum over all files in the folders, each up to its last non-zero byte. */
  static long used(List<Path> folders) throws IOException {
    long sum = 0;
    for (Path folder : folders) {
      try (Stream<Path> files = Files.walk(folder)) {
        sum += files.filter(Files::isRegularFile).mapToLong(QueueBytes::usedOf).sum();
      }
    }
    return sum;
  }

  private static long usedOf(Path file) {
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer block = ByteBuffer.allocate(BLOCK);
      for (long start = (channel.size() - 1) / BLOCK * BLOCK; start >= 0; start -= BLOCK) {
        block.clear();
        while (block.hasRemaining() && channel.read(block, start + block.position()) >= 0) {
          // until the block is full or the file ends
        }
        for (int i = block.position() - 1; i >= 0; i--) {
          if (block.get(i) != 0) {
            return start + i + 1;
          }
        }
      }
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
