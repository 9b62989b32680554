/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
    DurableFiles.replace(file, content.getBytes(StandardCharsets.UTF_8), Permissions.file());
  }

  /** Makes the file names in a directory durable. */
  public static void forceDirectory(@Nullable Path directory) throws IOException {
    DurableFiles.forceDirectory(Objects.requireNonNull(directory));
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
