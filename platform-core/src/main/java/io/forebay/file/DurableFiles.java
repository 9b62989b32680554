/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/**
 * Changes of files and directories that survive a power failure once a method has returned. A file
 * that was created or renamed survives one only after its directory was forced, too. An interrupt
 * of the thread neither prevents nor ends a change. Thread-safe for different files.
 */
public final class DurableFiles {

  private DurableFiles() {}

  /**
   * Replaces a file, in a directory that exists. If it throws, or the process or the host ends
   * meanwhile, either the old or the new content remains, and perhaps a file {@code NAME.new}
   * beside it, which the next call deletes.
   *
   * @param attributes of the new file, such as its permissions
   */
  public static void replace(Path file, byte[] content, FileAttribute<?>... attributes)
      throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(unfinished);
    Files.createFile(unfinished, attributes);
    // A stream, because an interrupt would close a channel.
    try (FileOutputStream output = new FileOutputStream(unfinished.toFile())) {
      output.write(content);
      output.getFD().sync();
    }
    Files.move(
        unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceDirectory(directoryOf(file));
  }

  /** Attributes of a new file that only the user of the process can access; none without POSIX. */
  public static FileAttribute<?>[] accessibleToOwner() {
    return mode("rw-------");
  }

  /** The same of a new directory. */
  public static FileAttribute<?>[] directoryOfOwner() {
    return mode("rwx------");
  }

  private static FileAttribute<?>[] mode(String mode) {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))
        }
        : new FileAttribute<?>[0];
  }

  /** Forces the names in a directory: files that were created, renamed or deleted in it. */
  public static void forceDirectory(Path directory) throws IOException {
    boolean interrupted = Thread.interrupted();
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Creates a directory and those above it that are missing.
   *
   * @param attributes of each new directory
   */
  public static void createDirectories(Path directory, FileAttribute<?>... attributes)
      throws IOException {
    Deque<Path> missing = new ArrayDeque<>();
    for (Path at = directory.toAbsolutePath(); at != null && !Files.exists(at); ) {
      missing.push(at);
      at = at.getParent();
    }
    Files.createDirectories(directory, attributes);
    for (Path created : missing) {
      forceDirectory(directoryOf(created));
    }
  }

  /** The directory that has a file or directory, which may be given relatively. */
  public static Path directoryOf(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent());
  }
}
