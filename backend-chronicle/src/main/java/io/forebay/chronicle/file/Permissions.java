/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Restricts stored files to the owner of the process, where the file system supports owners. */
public final class Permissions {

  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private Permissions() {}

  /** Creates the directory and its parents, and denies others access even if it already existed. */
  public static void ownDirectory(Path directory) throws IOException {
    DurableFiles.createPrivateDirectories(directory);
    own(directory, "rwx------");
  }

  static void ownFile(Path file) throws IOException {
    own(file, "rw-------");
  }

  private static void own(Path path, String mode) throws IOException {
    if (POSIX) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
  }
}
