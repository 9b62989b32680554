/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Files that only the owner of the process may use, where the file system supports owners; their
 * content and names can be made durable.
 */
public final class PrivateFiles {

  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private PrivateFiles() {}

  public static FileAttribute<?>[] file() {
    return POSIX
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(FILE)}
        : new FileAttribute<?>[0];
  }

  /** Creates the directory and its parents, and denies others access even if it already existed. */
  public static void ownDirectory(Path directory) throws IOException {
    if (POSIX) {
      Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
      Files.setPosixFilePermissions(directory, DIRECTORY);
    } else {
      Files.createDirectories(directory);
    }
  }

  static void ownFile(Path file) throws IOException {
    if (POSIX) {
      Files.setPosixFilePermissions(file, FILE);
    }
  }

  /** Replaces a small file; a crash leaves the old content or the new. */
  public static void replace(Path file, String content) throws IOException {
    DurableFiles.replace(file, content.getBytes(StandardCharsets.UTF_8), file());
  }

  /** Makes the file names in a directory durable. */
  public static void forceDirectory(@Nullable Path directory) throws IOException {
    DurableFiles.forceDirectory(Objects.requireNonNull(directory));
  }
}
