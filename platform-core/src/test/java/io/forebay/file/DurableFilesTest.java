/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DurableFilesTest {

  @TempDir Path directory;

  @Test
  void anInterruptedThreadReplacesAFileAndStaysInterrupted() throws IOException {
    Path file = directory.resolve("some/new/directory/file");
    try {
      Thread.currentThread().interrupt();
      DurableFiles.createDirectories(file.getParent());
      DurableFiles.replace(file, new byte[] {1});
      DurableFiles.replace(file, new byte[] {2, 3});
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    assertThat(file).hasBinaryContent(new byte[] {2, 3});
    assertThat(directory.resolve("some/new/directory/file.new")).doesNotExist();
  }

  @Test
  void aFileWithItsPermissionsReplacesWhatAKilledProcessLeft() throws IOException {
    Path file = directory.resolve("file");
    Files.write(directory.resolve("file.new"), new byte[100]);
    DurableFiles.replace(
        file,
        new byte[] {1},
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    assertThat(file).hasBinaryContent(new byte[] {1});
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void aMissingDirectoryIsAnError() {
    Path file = directory.resolve("missing/file");
    assertThatThrownBy(() -> DurableFiles.replace(file, new byte[0]))
        .isInstanceOf(NoSuchFileException.class);
  }
}
