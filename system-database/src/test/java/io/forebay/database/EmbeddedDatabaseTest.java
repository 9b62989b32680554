/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedDatabaseTest {

  private @TempDir Path directory;

  @Test
  void keepsWhatWasCommittedWhenTheProcessIsKilled() throws Exception {
    for (int kill = 1; kill <= 3; kill++) {
      long confirmed = 0;
      try (ChildProcess process = ChildProcess.start(Writer.class, directory)) {
        int enough = 200 * kill;
        process.until(() -> process.lines().size() >= enough);
        process.kill();
        for (String line : process.lines()) {
          // The last line may have been cut.
          confirmed = line.isEmpty() ? confirmed : Math.max(confirmed, Long.parseLong(line));
        }
      }
      try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
        assertThat(number(database, "select count(*) from t"))
            .isEqualTo(number(database, "select max(a) from t"))
            .isGreaterThanOrEqualTo(confirmed);
      }
    }
  }

  @Test
  void opensAfterTheFirstProcessWasKilledAtOnce() throws Exception {
    try (ChildProcess process = ChildProcess.start(Holder.class, directory)) {
      assertThat(process.await("")).isEqualTo("open");
      process.kill();
    }
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      assertThat(
              number(
                  database,
                  "select count(*) from information_schema.system_properties where"
                      + " (property_name, property_value) in (('hsqldb.write_delay', 'false'),"
                      + " ('hsqldb.tx', 'MVCC'), ('hsqldb.default_table_type', 'CACHED'),"
                      + " ('hsqldb.log_size', '50'), ('hsqldb.lock_file', 'false'),"
                      + " ('hsqldb.defrag_limit', '50'),"
                      + " ('hsqldb.digest', 'SHA-256'))"))
          .isEqualTo(7);
      assertThatCode(() -> database.gateway().getConnection().close()).doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"new/database.properties", "database.properties"})
  void isCreatedAgainAfterAnInterruptedCreation(String written) throws Exception {
    Path unfinished = directory.resolve(written);
    Files.createDirectories(unfinished.getParent());
    Files.writeString(unfinished, "modified=yes\ntx_timestamp=0\nversion=2.7.4\n");
    EmbeddedDatabase.open(directory).close();
    assertThat(directory.resolve("new")).doesNotExist();
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      assertThat(number(database, "select 1 from (values (0))")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"database.script", "database.data"})
  void doesNotReplaceADatabaseThatLostAFile(String lost) throws Exception {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      TestPostgres.execute(database.owner(), "create table t (a int)", "insert into t values (7)");
    }
    Path file = directory.resolve(lost);
    byte[] bytes = Files.readAllBytes(file);
    Files.delete(file);
    assertThatThrownBy(() -> EmbeddedDatabase.open(directory)).isInstanceOf(SQLException.class);
    Files.write(file, bytes);
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      assertThat(number(database, "select a from t")).isEqualTo(7);
    }
  }

  @Test
  void namesTheProcessThatLocksTheDirectory() throws Exception {
    try (ChildProcess process = ChildProcess.start(Holder.class, directory)) {
      assertThat(process.await("")).isEqualTo("open");
      assertThatThrownBy(() -> EmbeddedDatabase.open(directory))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("process " + process.pid())
          .hasMessageContaining(directory.toRealPath().toString());
    }
    EmbeddedDatabase.open(directory).close();
  }

  @Test
  void aSecondOpeningInTheSameProcessIsRefusedAndKeepsTheLock() throws Exception {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      assertThatThrownBy(
              () -> EmbeddedDatabase.open(directory.resolve("../" + directory.getFileName())))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("this process, " + ProcessHandle.current().pid());
      try (ChildProcess process = ChildProcess.start(Holder.class, directory)) {
        assertThat(process.await("")).contains("is open already");
      }
      assertThat(number(database, "select 1 from (values (0))")).isEqualTo(1);
    }
  }

  @Test
  void onlyThisUserOfTheOperatingSystemCanReadIt() throws Exception {
    Path inner = directory.resolve("a/b");
    EmbeddedDatabase.open(inner).close();
    assertThat(Files.getPosixFilePermissions(inner))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    assertThat(Files.getPosixFilePermissions(inner.resolve("credentials")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));

    Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("rwx--x---"));
    assertThatThrownBy(() -> EmbeddedDatabase.open(inner))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("0700");
  }

  @Test
  void bothUsersHaveGeneratedPasswords() throws Exception {
    List<String> passwords = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      try (EmbeddedDatabase database = EmbeddedDatabase.open(directory.resolve(name))) {
        for (String user : List.of("SA", "FOREBAY_GATEWAY")) {
          assertThatThrownBy(() -> DriverManager.getConnection(database.url(), user, ""))
              .isInstanceOf(SQLException.class)
              .hasMessageContaining("authorization");
        }
        assertThat(database.url()).doesNotContain("password");
      }
      Properties credentials = new Properties();
      credentials.load(Files.newBufferedReader(directory.resolve(name).resolve("credentials")));
      passwords.add(credentials.getProperty("owner"));
      passwords.add(credentials.getProperty("gateway"));
    }
    assertThat(passwords).doesNotHaveDuplicates().allSatisfy(p -> assertThat(p).hasSize(43));
  }

  @Test
  void theGatewayMayDoWhatItWasGranted() throws Exception {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory);
        Connection gateway = database.gateway().getConnection();
        Statement statement = gateway.createStatement()) {
      TestPostgres.execute(
          database.owner(),
          "create schema shop",
          "create table shop.orders (a int)",
          "create table \"Odd\" (a int)");
      assertThatThrownBy(() -> statement.execute("insert into shop.orders values (1)"))
          .isInstanceOf(SQLException.class);
      database.grantAll("shop.orders");
      database.grantAll("\"Odd\"");
      statement.execute("insert into shop.orders values (1)");
      statement.execute("insert into \"Odd\" values (1)");
      assertThatThrownBy(() -> statement.execute("drop table shop.orders"))
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> statement.execute("script")).hasMessageContaining("admin rights");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "t to public", "a.b.c", "t;", "\"a\"\"", "shop.", "t --"})
  void refusesToGrantOnInvalidTableNames(String table) throws Exception {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      assertThatThrownBy(() -> database.grantAll(table))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("nothing was granted");
    }
  }

  @Test
  void closingLeavesNothingToReplayAndReopeningFindsAllData() throws Exception {
    EmbeddedDatabase database = EmbeddedDatabase.open(directory);
    TestPostgres.execute(database.owner(), "create table t (a int)", "insert into t values (7)");
    database.close();
    database.close();
    assertThat(directory.resolve("database.log")).doesNotExist();
    try (EmbeddedDatabase again = EmbeddedDatabase.open(directory)) {
      assertThat(number(again, "select a from t")).isEqualTo(7);
    }
  }

  @Test
  void refusesConnectionsAfterItWasClosed() throws Exception {
    EmbeddedDatabase database = EmbeddedDatabase.open(directory);
    try (Connection open = database.gateway().getConnection()) {
      database.close();
      assertThatThrownBy(() -> open.createStatement().execute("values (1)"))
          .isInstanceOf(SQLException.class);
    }
    assertThatThrownBy(() -> database.owner().getConnection())
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("is closed");
    // If it had been reopened, its properties would contain modified=yes.
    assertThat(Files.readString(directory.resolve("database.properties"))).contains("modified=no");
  }

  @Test
  void refusesToStartWithoutThePasswordsOrWhenOthersMayReadThem() throws Exception {
    EmbeddedDatabase.open(directory).close();
    Path credentials = directory.resolve("credentials");
    Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> EmbeddedDatabase.open(directory)).hasMessageContaining("0600");
    Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-------"));

    String complete = Files.readString(credentials);
    Files.writeString(credentials, "owner=x\n");
    assertThatThrownBy(() -> EmbeddedDatabase.open(directory)).hasMessageContaining("no entries");
    Files.delete(credentials);
    assertThatThrownBy(() -> EmbeddedDatabase.open(directory))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no file credentials");
    assertThat(credentials).doesNotExist();

    Files.writeString(credentials, complete);
    Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-------"));
    EmbeddedDatabase.open(directory).close();
  }

  @Test
  void refusesADirectoryWithASemicolon() {
    assertThatThrownBy(() -> EmbeddedDatabase.open(directory.resolve("a;shutdown=true")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("semicolon");
  }

  private static long number(EmbeddedDatabase database, String query) throws SQLException {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Opens the database and keeps it open until the process is killed. */
  static final class Holder {
    public static void main(String[] arguments) throws Exception {
      try {
        EmbeddedDatabase.open(Path.of(arguments[0]));
        System.out.println("open");
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage());
      }
      TimeUnit.MINUTES.sleep(1);
    }
  }

  /**
   * Commits one number after the other and prints each one after its commit, until the process is
   * killed.
   */
  static final class Writer {
    public static void main(String[] arguments) throws Exception {
      EmbeddedDatabase database = EmbeddedDatabase.open(Path.of(arguments[0]));
      TestPostgres.execute(database.owner(), "create table if not exists t (a bigint primary key)");
      database.grantAll("t");
      long next = number(database, "select coalesce(max(a), 0) + 1 from t");
      try (Connection connection = database.gateway().getConnection()) {
        Sessions.prepare(connection, Duration.ZERO, Duration.ZERO);
        try (PreparedStatement insert = connection.prepareStatement("insert into t values (?)")) {
          for (long a = next; ; a++) {
            insert.setLong(1, a);
            insert.executeUpdate();
            connection.commit();
            System.out.write((a + "\n").getBytes(UTF_8));
            System.out.flush();
          }
        }
      }
    }
  }
}
