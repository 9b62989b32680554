/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import static io.forebay.chronicle.Rig.QUEUE;
import static io.forebay.chronicle.Rig.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chronicle.Rig;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stored files are accessible only to the owner of the process. */
final class PermissionsTest {

  @TempDir Path directory;

  @BeforeEach
  void needsPosix() {
    assumeTrue(
        directory.getFileSystem().supportedFileAttributeViews().contains("posix"),
        "the file system has no POSIX permissions");
  }

  private static void assertClosedToOthers(Path data) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(data)) {
      all = walk.toList();
    }
    assertThat(all).hasSizeGreaterThan(8);
    for (Path path : all) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .as(path.toString())
          .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
    }
  }

  @Test
  void othersCannotAccessDirectoriesAndFilesNotEvenThoseChronicleCreates() throws IOException {
    Path data = directory.resolve("made/by/us");
    Rig rig = new Rig(data);
    rig.options = Rig.options(Level.DISK);
    for (int i = 0; i < 2; i++) {
      try (ChronicleBackend backend = rig.open();
          MessageQueue queue = backend.open(QUEUE, 2)) {
        send(queue, i * 20L, i * 20L + 10);
        rig.pass(backend, Duration.ofSeconds(2));
        send(queue, i * 20L + 10, i * 20L + 20);
        rig.pass(backend, Duration.ofSeconds(2));
        assertClosedToOthers(data);
      }
      assertClosedToOthers(data);
    }
  }

  @Test
  void aDirectoryThatWasOpenToOthersIsClosed() throws IOException {
    Path data = Files.createDirectory(directory.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    new Rig(data).open().close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isEqualTo("rwx------");
  }
}
