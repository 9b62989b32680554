/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The embedded database in a process whose files cannot grow beyond a limit. */
class FailingDiskTest {

  private static final int ROWS = 12_000;

  /** The rows of a memory table are only in the log; checkpoints move others to their own file. */
  @ParameterizedTest
  @ValueSource(strings = {"memory", "cached"})
  void nothingIsConfirmedThatTheFilesDoNotHold(String kind, @TempDir Path directory)
      throws Exception {
    List<String> command =
        new ArrayList<>(List.of("bash", "-c", "ulimit -f 8192; exec \"$0\" \"$@\""));
    command.addAll(
        ChildProcess.java(
                List.of("-XX:-UsePerfData"), Commits.class, directory.resolve("database"), kind)
            .command());
    List<String> lines;
    try (ChildProcess process = ChildProcess.start(new ProcessBuilder(command))) {
      process.awaitEnd(0);
      lines = process.lines();
    }
    long confirmed = lines.stream().filter(line -> line.equals("confirmed")).count();
    assertThat(lines.getLast()).isEqualTo("refused and failed");
    assertThat(confirmed).isBetween(100L, ROWS - 1L);
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory.resolve("database"));
        Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*), max(id) from t")) {
      row.next();
      assertThat(row.getLong(1)).isGreaterThanOrEqualTo(confirmed);
      assertThat(row.getLong(2)).isEqualTo(row.getLong(1) - 1);
    }
  }

  /** Commits row after row until that fails, tries again, and dies. */
  static final class Commits {

    public static void main(String[] args) throws Exception {
      EmbeddedDatabase database = EmbeddedDatabase.open(Path.of(args[0]));
      Connection connection = database.owner().getConnection();
      try (Statement statement = connection.createStatement()) {
        statement.execute("create " + args[1] + " table t (id bigint, filling varchar(1000))");
      }
      connection.setAutoCommit(false);
      PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?)");
      for (long id = 0; id < ROWS && commit(connection, insert, id); id++) {
        System.out.println("confirmed");
        if (args[1].equals("cached") && id % 1_000 == 0) {
          checkpoint(connection);
        }
      }
      boolean refused;
      try {
        database.gateway().getConnection();
        refused = false;
      } catch (SQLException e) {
        refused = true;
      }
      boolean failed = !commit(connection, insert, ROWS);
      System.out.println(refused && failed ? "refused and failed" : "performed");
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }

    private static void checkpoint(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("checkpoint"); // reports no failure
      }
    }

    private static boolean commit(Connection connection, PreparedStatement insert, long id) {
      try {
        insert.setLong(1, id);
        insert.setString(2, "x".repeat(1_000));
        insert.execute();
        connection.commit();
        return true;
      } catch (Exception e) {
        return false;
      }
    }
  }
}
