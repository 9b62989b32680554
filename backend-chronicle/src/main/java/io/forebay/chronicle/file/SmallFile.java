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
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
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

  /**
   * Deletes a directory. After a crash it is either complete, or not at its place any more.
   *
   * @param aside where it is while its files are deleted; what a crash left there is deleted, too
   */
  public static void deleteDirectory(Path directory, Path aside) throws IOException {
    deleteAll(aside);
    Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
    forceDirectory(Objects.requireNonNull(directory.getParent()));
    deleteAll(aside);
  }

  private static void deleteAll(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> found;
    try (Stream<Path> files = Files.walk(directory)) {
      found = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : found) {
      Files.delete(file);
    }
  }
}
