/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

@TestInstance(Lifecycle.PER_CLASS)
class MigrationsTest {

  private static final String PROGRESS_COLUMNS =
      "(service, partition_id, queue_id, epoch, owner, drained)";

  private static final List<String> TABLES =
      TableRights.GATEWAY.rights().stream().map(TableRights.Right::table).toList();

  private EmbeddedDatabase hsqldb;
  private TestPostgres postgres;

  @BeforeAll
  void open(@TempDir Path directory) throws SQLException {
    hsqldb = EmbeddedDatabase.open(directory.resolve("hsqldb"));
    postgres = TestPostgres.shared();
  }

  @AfterAll
  void close() throws SQLException {
    hsqldb.close();
    postgres.close();
  }

  private DataSource owner(Dialect dialect) {
    return dialect == Dialect.HSQLDB ? hsqldb.owner() : postgres.owner();
  }

  private DataSource gateway(Dialect dialect) {
    return dialect == Dialect.HSQLDB ? hsqldb.gateway() : postgres.gateway();
  }

  private void migrate(Dialect dialect) throws SQLException {
    try (Connection connection = gateway(dialect).getConnection()) {
      Migrations.run(owner(dialect), connection.getMetaData().getUserName());
    }
  }

  @ParameterizedTest
  @EnumSource
  void theGatewayMayUseTheLedgerButNotAlterItsTables(Dialect dialect) throws SQLException {
    migrate(dialect);
    try (Connection connection = gateway(dialect).getConnection();
        Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        statement.executeUpdate("delete from forebay." + table);
      }
      statement.executeUpdate(
          "insert into forebay.progress "
              + PROGRESS_COLUMNS
              + " values ('orders', 0, 'q', 1, 'me', false)");
      assertThat(statement.executeUpdate("update forebay.progress set epoch = 2 where epoch = 1"))
          .isEqualTo(1);
      for (String forbidden :
          List.of(
              "drop table forebay.progress",
              "alter table forebay.progress drop column owner",
              "create table forebay.mine (a int)",
              "select name from forebay.token",
              "delete from forebay.token",
              "select password from forebay.admin_user",
              "delete from forebay.admin_user",
              "select actor from forebay.audit",
              "delete from forebay.audit",
              "delete from forebay.service_state",
              "delete from forebay." + quotedHistory(dialect))) {
        assertThatThrownBy(() -> statement.execute(forbidden))
            .as(forbidden)
            .isInstanceOf(SQLException.class);
      }
    }
  }

  private static String quotedHistory(Dialect dialect) {
    return dialect == Dialect.HSQLDB ? "\"flyway_schema_history\"" : "flyway_schema_history";
  }

  @ParameterizedTest
  @EnumSource
  void doesNothingAtTheNextStart(Dialect dialect) throws SQLException {
    migrate(dialect);
    try (Connection connection = gateway(dialect).getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "insert into forebay.outcome (service, partition_id, queue_id, to_position, outcomes)"
              + " values ('orders', 0, 'q', 9, "
              + bytes(dialect)
              + ")");
      migrate(dialect);
      assertThat(statement.executeUpdate("delete from forebay.outcome")).isEqualTo(1);
    }
  }

  private static String bytes(Dialect dialect) {
    return dialect == Dialect.HSQLDB ? "x'00ff'" : "'\\x00ff'";
  }

  @ParameterizedTest
  @EnumSource
  void refusesAHashOfInvalidLength(Dialect dialect) throws SQLException {
    migrate(dialect);
    try (Connection connection = gateway(dialect).getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() ->
              statement.executeUpdate(
                  "insert into forebay.request values ('c', 'k', "
                      + bytes(dialect)
                      + ", '00000000-0000-8000-8000-000000000000', 'orders', 0, 1, 'DONE', null,"
                      + " current_timestamp)"))
          .hasMessageMatching("(?is).*request_hash_length.*")
          .extracting(e -> ((SQLException) e).getSQLState().substring(0, 2))
          .isEqualTo("23");
    }
  }

  /** HSQLDB commits each DDL statement separately, so a kill can leave only some of them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void repeatsAMigrationThatAKillInterrupted(int missing, @TempDir Path directory)
      throws SQLException {
    try (EmbeddedDatabase cutOff = EmbeddedDatabase.open(directory.resolve("hsqldb"))) {
      Migrations.run(cutOff.owner(), "FOREBAY_GATEWAY");
      TestPostgres.execute(
          cutOff.owner(),
          "delete from forebay.\"flyway_schema_history\" where \"version\" is not null");
      List<String> last = TABLES.subList(TABLES.size() - missing, TABLES.size());
      for (String table : last) {
        TestPostgres.execute(cutOff.owner(), "drop table forebay." + table);
      }
      Migrations.run(cutOff.owner(), "FOREBAY_GATEWAY");
      for (String table : TABLES) {
        TestPostgres.execute(cutOff.gateway(), "delete from forebay." + table);
      }
    }
  }

  @Test
  void gatewaysMayStartAtTheSameTime() throws Exception {
    try (TestPostgres fresh = TestPostgres.shared();
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> starts = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        starts.add(
            threads.submit(() -> {
              Migrations.run(fresh.owner(), fresh.gatewayRole());
              return null;
            }));
      }
      for (Future<?> start : starts) {
        start.get();
      }
      TestPostgres.execute(fresh.gateway(), "delete from forebay.failed_message");
    }
  }

  @ParameterizedTest
  @EnumSource
  void greetsNobody(Dialect dialect) throws SQLException {
    Logger flyway = (Logger) LoggerFactory.getLogger("org.flywaydb");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    flyway.addAppender(lines);
    flyway.setLevel(Level.INFO);
    try {
      migrate(dialect);
    } finally {
      flyway.setLevel(null);
      flyway.detachAppender(lines);
    }
    assertThat(lines.list).isEmpty();
  }

  @Test
  void passesOnTheDriversErrorIfTheServerIsUnavailable() {
    PGSimpleDataSource away = new PGSimpleDataSource();
    away.setServerNames(new String[] {"127.0.0.1"});
    away.setPortNumbers(new int[] {1});
    away.setUser("forebay_owner");
    assertThatThrownBy(() -> Migrations.run(away, "forebay_gateway"))
        .isInstanceOf(SQLException.class)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("08001");
  }

  @Test
  void passesOnTheDatabasesErrorIfTheOwnerMayNotCreate() throws SQLException {
    try (TestPostgres fresh = TestPostgres.shared()) {
      assertThatThrownBy(() -> Migrations.run(fresh.gateway(), "forebay_owner"))
          .isInstanceOf(SQLException.class)
          .extracting(e -> ((SQLException) e).getSQLState())
          .isEqualTo("42501");
    }
  }

  @Test
  void passesOnTheDatabasesErrorIfTheRoleDoesNotExist() {
    assertThatThrownBy(() -> Migrations.run(postgres.owner(), "nobody_of_this_name"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("nobody_of_this_name");
  }

  @Test
  void grantsToTheRoleWithTheExactName() throws SQLException {
    String role = "Odd \"role\"; --" + System.nanoTime();
    String quoted = '"' + role.replace("\"", "\"\"") + '"';
    TestPostgres.execute(postgres.superuser(), "create role " + quoted + " login");
    try {
      Migrations.run(postgres.owner(), role);
      TestPostgres.execute(postgres.as(role), "delete from forebay.progress");
    } finally {
      TestPostgres.execute(postgres.superuser(), "drop owned by " + quoted, "drop role " + quoted);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "a\nb",
        "a\0",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void refusesInvalidRoleNames(String role) {
    assertThatThrownBy(() -> Migrations.run(postgres.owner(), role))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Nothing migrated");
  }
}
