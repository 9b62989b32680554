/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileExposureTest {

  @TempDir Path temporary;
  private Path directory;
  private Path file;

  @BeforeEach
  void create() throws IOException {
    directory = Files.createDirectory(temporary.resolve("etc"));
    file = Files.createFile(directory.resolve("catalogue.yaml"));
    mode(directory, "rwxr-xr-x");
    mode(file, "rw-r--r--");
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  @Test
  void othersMayReadAFileButNotChangeOrReplaceIt() throws IOException {
    assertThat(FileExposure.toChange(file)).isEmpty();
    mode(file, "rw-rw-r--");
    assertThat(FileExposure.toChange(file)).contains(file + " has mode rw-rw-r--");
    mode(file, "rw-r--r--");
    mode(directory, "rwxr-xrwx");
    assertThat(FileExposure.toChange(file)).contains(directory + " has mode rwxr-xrwx");
    Files.setAttribute(directory, "unix:mode", 01777);
    assertThat(FileExposure.toChange(file)).as("with the sticky bit, as /tmp").isEmpty();
  }

  @Test
  void othersMayReplaceADirectoryAboveTheFileOrALinkToIt() throws IOException {
    Path open = Files.createDirectory(temporary.resolve("open"));
    mode(open, "rwxrwxrwx");
    Path inner = Files.createDirectory(open.resolve("inner"));
    mode(inner, "rwxr-xr-x");
    Path link = Files.createSymbolicLink(inner.resolve("link"), file);
    assertThat(FileExposure.toChange(link)).contains(open + " has mode rwxrwxrwx");
    mode(open, "rwxr-xr-x");
    assertThat(FileExposure.toChange(link)).isEmpty();
  }

  @Test
  void othersHaveNoAccessToAPrivateDirectory() throws IOException {
    assertThat(FileExposure.toAccess(directory)).contains(directory + " has mode rwxr-xr-x");
    mode(directory, "rwx------");
    assertThat(FileExposure.toAccess(directory)).isEmpty();
    Path link = Files.createSymbolicLink(temporary.resolve("link"), directory);
    assertThat(FileExposure.toAccess(link)).isEmpty();
    assertThatThrownBy(() -> FileExposure.toAccess(temporary.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }

  /** Only root can give a file to another user. */
  @Test
  void anotherOwnerCanChangeAndRead() throws IOException {
    assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0));
    mode(directory, "rwx------");
    Files.setAttribute(directory, "unix:uid", 12345);
    assertThat(FileExposure.toChange(file)).contains(directory + " belongs to user 12345");
    assertThat(FileExposure.toAccess(directory)).contains(directory + " belongs to user 12345");
    Files.setAttribute(file, "unix:uid", 12345);
    assertThat(FileExposure.toChange(file)).contains(file + " belongs to user 12345");
  }
}
