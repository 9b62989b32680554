/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.testing.ChildProcess;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The embedded database in a process that cannot write a file of cached tables, once, and is told
 * so as Linux tells it. HSQLDB forces the file again and continues.
 */
@Tag("proof")
class LostWriteTest {

  /** More than the cache holds. */
  private static final int ROWS = 150_000;

  private static final Path COMPILER = Path.of("/usr/bin/cc");

  private @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"database.data", "database.backup"})
  void nothingIsConfirmedAfterwardsAndARestartFindsAllThatWas(String file) throws Exception {
    assumeThat(COMPILER).isExecutable();
    Path source = directory.resolve("lost-write.c");
    Path library = directory.resolve("lost-write.so");
    try (InputStream content = LostWriteTest.class.getResourceAsStream("lost-write.c")) {
      Files.copy(Objects.requireNonNull(content), source);
    }
    ChildProcess.run(
        COMPILER.toString(),
        "-shared",
        "-fPIC",
        "-o",
        library.toString(),
        source.toString(),
        "-ldl");

    Path since = directory.resolve("since");
    Path files = directory.resolve("database");
    ProcessBuilder commits = ChildProcess.java(List.of("-Xmx512m"), Commits.class, files, since);
    commits.environment().put("LD_PRELOAD", library.toString());
    commits.environment().put("LOST_FILE", file);
    commits.environment().put("LOST_SINCE", since.toString());
    assertThat(ChildProcess.run(commits))
        .contains("connection refused")
        .doesNotContain("committed");

    try (EmbeddedDatabase database = EmbeddedDatabase.open(files);
        Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*), max(id) from t")) {
      row.next();
      assertThat(row.getInt(1)).isEqualTo(row.getInt(2) + 1).isGreaterThanOrEqualTo(2_000);
    }
  }

  /** Loses the write between two commits, with a checkpoint and full cache behind it. */
  static final class Commits {

    public static void main(String[] arguments) throws Exception {
      EmbeddedDatabase database = EmbeddedDatabase.open(Path.of(arguments[0]));
      Connection connection = database.owner().getConnection();
      try (Statement statement = connection.createStatement()) {
        statement.execute("create table t (id int primary key, filling varchar(100))");
        connection.setAutoCommit(false);
        insert(connection, 0, 2_000);
        statement.execute("checkpoint");
        Files.createFile(Path.of(arguments[1]));
        insert(connection, 2_000, ROWS);
        System.out.println("committed");
      } catch (SQLException | IllegalStateException e) {
        System.out.println("refused: " + e.getMessage());
      }
      try {
        database.owner().getConnection();
      } catch (SQLException e) {
        System.out.println("connection refused");
      }
      database.close();
    }

    private static void insert(Connection connection, int from, int to) throws SQLException {
      try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?)")) {
        for (int id = from; id < to; id++) {
          insert.setInt(1, id);
          insert.setString(2, "x".repeat(100));
          insert.execute();
        }
      }
      connection.commit();
    }
  }
}
