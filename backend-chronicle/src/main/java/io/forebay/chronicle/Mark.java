/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Up to which message a partition is known to be good: everything before was checked and forced to
 * disk. What is behind is read when the partition is opened.
 */
final class Mark {

  static final String FILE = "mark";

  private static final Logger LOG = LoggerFactory.getLogger(Mark.class);

  private final Path file;
  private final long position;
  private long saved;

  Mark(Path directory) throws IOException {
    file = directory.resolve(FILE);
    position = Files.exists(file) ? parse(Files.readString(file)) : 0;
    saved = position;
  }

  private long parse(String text) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      LOG.warn("{} is unreadable; the partition is checked from its first message", file);
      return 0;
    }
  }

  /** The mark as it was when the partition was opened. */
  long position() {
    return position;
  }

  /** Moves it on, for the next start. */
  synchronized void save(long number) throws IOException {
    if (number > saved) {
      SmallFile.replace(file, number + "\n");
      saved = number;
    }
  }
}
