/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates the files of an embedded database in a temporary directory, and moves them to their place
 * when they are complete: HSQLDB cannot reopen a database whose creation was interrupted by a kill.
 */
final class NewDatabase {

  /**
   * Files that exist only in a complete database. HSQLDB replaces the script by writing {@code
   * .script.new} first.
   */
  private static final List<String> SIGNS = List.of(".script", ".script.new", ".data");

  private final Path directory;
  private final String name;
  private final Path unfinished;

  /**
   * @param name the base name of its files
   */
  NewDatabase(Path directory, String name) {
    this.directory = directory;
    this.name = name;
    this.unfinished = directory.resolve("new");
  }

  /** Whether the database does not exist yet or was only partly created. */
  boolean isMissing() throws IOException {
    for (String sign : SIGNS) {
      if (Files.exists(directory.resolve(name + sign))) {
        return false;
      }
    }
    Path log = directory.resolve(name + ".log");
    return Files.notExists(log) || Files.size(log) == 0;
  }

  /** Creates the database. It is on disk when this method returns. */
  void create(Connector connector) throws IOException, SQLException {
    deleteUnfinished();
    Files.createDirectory(unfinished);
    try (Connection connection = connector.connect(unfinished.resolve(name));
        Statement statement = connection.createStatement()) {
      statement.execute("shutdown");
    }
    String last = name + SIGNS.getFirst();
    try (Stream<Path> files = Files.list(unfinished)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        force(file);
        if (!file.endsWith(last)) {
          move(file);
        }
      }
    }
    DurableFiles.forceDirectory(directory);
    move(unfinished.resolve(last));
    DurableFiles.forceDirectory(directory);
    deleteUnfinished();
  }

  private void move(Path file) throws IOException {
    Files.move(file, directory.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void force(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  private void deleteUnfinished() throws IOException {
    if (Files.exists(unfinished)) {
      try (Stream<Path> files = Files.walk(unfinished)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** Connects to the database whose files begin with this path, which creates it. */
  @FunctionalInterface
  interface Connector {
    Connection connect(Path files) throws SQLException;
  }
}
