/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** A file that only the operating-system user of this process can read. */
final class PrivateFile {

  static final Set<PosixFilePermission> MODE =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
  private static final Set<PosixFilePermission> PRIVATE_DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private PrivateFile() {}

  /**
   * Replaces the file. The new one survives a power failure when this returns; after a crash it is
   * either the old or the new one.
   */
  static void write(Path file, byte[] content) {
    try {
      DurableFiles.createDirectories(
          DurableFiles.directoryOf(file), PosixFilePermissions.asFileAttribute(PRIVATE_DIRECTORY));
      DurableFiles.replace(file, content, PosixFilePermissions.asFileAttribute(MODE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
