/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.queue.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file beside those of a partition, as long as a ring may hold messages of it. It is written
 * before the first append and deleted when everything is in the files.
 *
 * @param ring the path of the ring
 * @param level at which messages were acknowledged
 * @param boot the boot of the host at that time; empty if unknown
 */
record RingNote(Path ring, Level level, String boot) {

  static final String FILE = "ring";

  private static final int LINES = 3;

  static @Nullable RingNote read(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      return null;
    }
    List<String> lines = Files.readAllLines(file);
    try {
      return new RingNote(
          Path.of(lines.getFirst()), Level.valueOf(lines.get(1)), lines.get(LINES - 1));
    } catch (RuntimeException e) {
      throw new IOException(
          "%s cannot be read; it names the file with messages that are not stored elsewhere"
              .formatted(file),
          e);
    }
  }

  void write(Path directory) throws IOException {
    PrivateFiles.replace(
        directory.resolve(FILE), ring.toAbsolutePath() + "\n" + level + "\n" + boot + "\n");
  }

  static void delete(Path directory) throws IOException {
    if (Files.deleteIfExists(directory.resolve(FILE))) {
      PrivateFiles.forceDirectory(directory);
    }
  }
}
