/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The first message of a partition that was not compared with the progress of its consumer: the end
 * of the partition at the first opening since the last comparison, and whether it was drained
 * there. It is stored before the first append and deleted when the consumer agrees. Thread-safe.
 */
final class Uncompared {

  static final String FILE = "uncompared";

  private static final String DRAINED = " drained";

  private final Path file;
  private long from;
  private boolean drained;
  private boolean outstanding = true;

  /**
   * @param end where the partition ends
   * @param sound whether the partition is undamaged and really ends there; if not, nothing can be
   *     appended
   * @param moved whether what was not compared now follows what was performed
   */
  Uncompared(Path directory, long end, boolean sound, boolean moved) throws IOException {
    file = directory.resolve(FILE);
    if (Files.exists(file) && !moved) {
      String text = Files.readString(file).strip();
      drained = text.endsWith(DRAINED);
      from = parse(drained ? text.substring(0, text.length() - DRAINED.length()) : text);
    } else {
      from = end;
      if (sound) {
        PrivateFiles.replace(file, end + "\n");
      }
    }
  }

  /**
   * Parses the file. Unreadable text was not written by Forebay; then nothing counts as compared.
   */
  private static long parse(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** The first message not compared, or {@code end} if there is none. */
  synchronized long from(long end) {
    return outstanding ? Math.min(from, end) : end;
  }

  synchronized void drained(long end) throws IOException {
    PrivateFiles.replace(file, end + DRAINED + "\n");
    from = end;
    drained = true;
    outstanding = true;
  }

  synchronized boolean isDrained() {
    return drained;
  }

  /**
   * Records the comparison. The deletion is made durable: a file left by a crash would delay a
   * later start.
   */
  synchronized void agreed() throws IOException {
    if (outstanding) {
      Files.deleteIfExists(file);
      PrivateFiles.forceDirectory(file.toAbsolutePath().getParent());
      drained = false;
      outstanding = false;
    }
  }
}
