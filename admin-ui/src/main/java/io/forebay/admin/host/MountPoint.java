/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the mount point of the volume of a directory. */
final class MountPoint {

  private MountPoint() {}

  /** Returns the highest parent directory on the same volume, for display. */
  static String of(Path directory, FileStore volume) {
    Path at = directory.toAbsolutePath();
    try {
      if (!Files.getFileStore(at).equals(volume)) {
        return volume.name();
      }
      while (at.getParent() != null && Files.getFileStore(at.getParent()).equals(volume)) {
        at = at.getParent();
      }
    } catch (IOException e) {
      return volume.name();
    }
    return at.toString();
  }
}
