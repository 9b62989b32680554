/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What other users of this host can do to a file or directory, by its owner and mode. Links are
 * followed. Where the file system has no owners and modes, nothing is reported.
 */
public final class FileExposure {

  private static final Path PROCESS = Path.of("/proc/self");
  private static final int ROOT = 0;
  private static final int STICKY = 01000;
  private static final int OTHERS_WRITE = 022;
  private static final int OTHERS = 077;

  private FileExposure() {}

  /**
   * How another user can change the file or replace it or a directory above it; empty if only root
   * and the user of this process can, or if it is mounted read-only.
   *
   * @throws IOException if it cannot be looked at
   */
  public static Optional<String> toChange(Path file) throws IOException {
    if (!hasModes(file) || Files.getFileStore(file).isReadOnly()) {
      return Optional.empty();
    }
    Optional<String> own = change(file, 0);
    if (own.isPresent()) {
      return own;
    }
    for (Path way : List.of(file.toRealPath(), file.toAbsolutePath())) { // of a link, both
      for (Path above = way.getParent(); above != null; above = above.getParent()) {
        Optional<String> found = change(above, STICKY);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  /** In a directory with this bit, only the owner of a file can replace it. */
  private static Optional<String> change(Path path, int unless) throws IOException {
    if (!isOwned(path)) {
      return Optional.of("%s belongs to user %s".formatted(path, Files.getOwner(path)));
    }
    int mode = mode(path);
    return (mode & OTHERS_WRITE) != 0 && (mode & unless) == 0
        ? Optional.of("%s has mode %s".formatted(path, shown(path)))
        : Optional.empty();
  }

  /**
   * How another user can read a directory or change it; empty if only root and the user of this
   * process can.
   *
   * @throws IOException if it cannot be looked at
   */
  public static Optional<String> toAccess(Path directory) throws IOException {
    if (!hasModes(directory)) {
      return Optional.empty();
    }
    if (!isOwned(directory)) {
      return Optional.of("%s belongs to user %s".formatted(directory, Files.getOwner(directory)));
    }
    return (mode(directory) & OTHERS) != 0
        ? Optional.of("%s has mode %s".formatted(directory, shown(directory)))
        : Optional.empty();
  }

  private static boolean hasModes(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix")
        && Files.exists(PROCESS);
  }

  private static boolean isOwned(Path path) throws IOException {
    int owner = (int) Files.getAttribute(path, "unix:uid");
    return owner == ROOT || owner == (int) Files.getAttribute(PROCESS, "unix:uid");
  }

  private static int mode(Path path) throws IOException {
    return (int) Files.getAttribute(path, "unix:mode");
  }

  private static String shown(Path path) throws IOException {
    Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
    mode.addAll(Files.getPosixFilePermissions(path));
    return PosixFilePermissions.toString(mode);
  }
}
