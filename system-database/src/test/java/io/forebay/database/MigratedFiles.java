/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/**
 * The files of an embedded database that has the tables of schema forebay, made once for the tests
 * of a JVM: the migrations take most of the CPU time of a short test.
 */
final class MigratedFiles {

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rw-------");

  private record File(String name, byte[] content) {}

  private MigratedFiles() {}

  private static final class Holder {
    static final List<File> FILES = make();
  }

  private static List<File> make() {
    try {
      Path directory = Files.createTempDirectory("migrated");
      try (EmbeddedDatabase database = EmbeddedDatabase.open(directory);
          Connection connection = database.gateway().getConnection()) {
        Migrations.run(database.owner(), connection.getMetaData().getUserName());
      }
      List<File> files = new ArrayList<>();
      try (Stream<Path> all = Files.list(directory)) {
        for (Path file : all.filter(Files::isRegularFile).toList()) {
          files.add(new File(file.getFileName().toString(), Files.readAllBytes(file)));
        }
      }
      FileSystemUtils.deleteRecursively(directory);
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Copies the files, unless the directory has files. */
  static void copyTo(Path directory) {
    try {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      try (Stream<Path> present = Files.list(directory)) {
        if (present.findAny().isPresent()) {
          return;
        }
      }
      for (File file : Holder.FILES) {
        Path target = directory.resolve(file.name());
        Files.createFile(target, PosixFilePermissions.asFileAttribute(PRIVATE));
        Files.write(target, file.content());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
