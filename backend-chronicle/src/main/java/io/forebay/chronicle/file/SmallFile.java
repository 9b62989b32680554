/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A small text file that is replaced as a whole: after a crash it has either the old or the new
 * content.
 */
public final class SmallFile {

  private SmallFile() {}

  public static void replace(Path file, String content) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.deleteIfExists(next);
    Files.createFile(next, Permissions.file());
    // A stream, since an interrupt would close a channel.
    try (FileOutputStream output = new FileOutputStream(next.toFile())) {
      output.write(content.getBytes(StandardCharsets.UTF_8));
      output.getFD().sync();
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceDirectory(next.toAbsolutePath().getParent());
  }

  /** Makes the file names in a directory durable. */
  public static void forceDirectory(@Nullable Path directory) throws IOException {
    boolean interrupted = Thread.interrupted();
    try (FileChannel channel =
        FileChannel.open(Objects.requireNonNull(directory), StandardOpenOption.READ)) {
      channel.force(true);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
