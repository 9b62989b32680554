/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The directory of the histories, accessible only to the user of the process.
 *
 * @param path created when something is stored
 */
public record HistoryDirectory(Path path) {

  /** Creates it if it does not exist. */
  public void create() throws IOException {
    if (Files.isDirectory(path)) {
      return;
    }
    if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
      DurableFiles.createDirectories(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      DurableFiles.createDirectories(path);
    }
  }

  /** Whether it has a file of this name. */
  public boolean has(String file) {
    return Files.exists(path.resolve(file));
  }
}
