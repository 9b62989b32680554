/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * From which message on nobody has compared the partition with the progress of its consumer. It is
 * where the partition ended when it was opened, or when it was opened before without being compared
 * since. It is stored before the first append, and deleted when the consumer agrees. Thread-safe.
 */
final class Uncompared {

  static final String FILE = "uncompared";

  private final Path file;
  private long from;
  private boolean outstanding = true;

  /**
   * @param end where the partition ends
   * @param sound whether it does end there, and is not damaged: until then nothing can be appended
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

  /** What is unreadable was not written by us: then nothing is known to have been compared. */
  private static long parse(String text) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** The first such message, or {@code end} if there is none. */
  synchronized long from(long end) {
    return outstanding ? Math.min(from, end) : end;
  }

  /** It was compared. Were the file left behind by a crash, it would hold up a later start. */
  synchronized void agreed() throws IOException {
    if (outstanding) {
      Files.deleteIfExists(file);
      SmallFile.forceDirectory(file.toAbsolutePath().getParent());
      outstanding = false;
    }
  }
}
