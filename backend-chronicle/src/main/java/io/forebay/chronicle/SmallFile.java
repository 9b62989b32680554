/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A small text file that is replaced as a whole: after a crash it has the old or the new content.
 */
final class SmallFile {

  private SmallFile() {}

  static void replace(Path file, String content) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.deleteIfExists(next);
    Files.createFile(next, Permissions.file());
    // Not a channel, which an interrupted thread would close.
    try (FileOutputStream output = new FileOutputStream(next.toFile())) {
      output.write(content.getBytes(StandardCharsets.UTF_8));
      output.getFD().sync();
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
