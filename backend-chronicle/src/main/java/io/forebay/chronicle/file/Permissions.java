/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Restricts stored files to the owner of the process, where the file system supports owners. */
public final class Permissions {

  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private Permissions() {}

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
}
