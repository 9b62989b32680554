/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.SmallFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The first message of a partition that was not compared with the progress of its consumer: the end
 * of the partition at the first opening since the last comparison. It is stored before the first
 * append and deleted when the consumer agrees. Thread-safe.
 */
final class Uncompared {

  static final String FILE = "uncompared";

  private final Path file;
  private long from;
  private boolean outstanding = true;

  /**
   * @param end where the partition ends
   * @param sound whether the partition is undamaged and really ends there; if not, nothing can be
   *     appended
   */
  Uncompared(Path directory, long end, boolean sound) throws IOException {
    file = directory.resolve(FILE);
    if (Files.exists(file)) {
      from = parse(Files.readString(file));
    } else {
      from = end;
      if (sound) {
        SmallFile.replace(file, end + "\n");
      }
    }
  }

  /**
   * Parses the file. Unreadable text was not written by Forebay; then nothing counts as compared.
   */
  private static long parse(String text) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** The first message not compared, or {@code end} if there is none. */
  synchronized long from(long end) {
    return outstanding ? Math.min(from, end) : end;
  }

  /**
   * Records the comparison. The deletion is made durable: a file left by a crash would delay a
   * later start.
   */
  synchronized void agreed() throws IOException {
    if (outstanding) {
      Files.deleteIfExists(file);
      SmallFile.forceDirectory(file.toAbsolutePath().getParent());
      outstanding = false;
    }
  }
}
