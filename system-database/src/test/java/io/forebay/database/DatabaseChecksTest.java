/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forebay.queue.Level;
import io.forebay.testing.Ports;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.hsqldb.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

class DatabaseChecksTest {

  /** The violations of the database; an empty list if there are none. */
  private static List<String> violations(DataSource gateway, DataSource owner, Level level)
      throws SQLException {
    try (Connection connection = gateway.getConnection()) {
      connection.setAutoCommit(false);
      UnsafeDatabase refused =
          catchThrowableOfType(
              UnsafeDatabase.class, () -> DatabaseChecks.run(connection, owner, level));
      if (refused == null) {
        return List.of();
      }
      assertThat(refused.violations())
          .isNotEmpty()
          .allSatisfy(v -> assertThat(refused).hasMessageContaining(v));
      return refused.violations();
    }
  }

  private static List<String> violations(TestPostgres postgres, String role) throws SQLException {
    return violations(postgres.as(role), postgres.owner(), Level.DISK);
  }

  private static TestPostgres migrated(TestPostgres postgres) throws SQLException {
    Migrations.run(postgres.owner(), postgres.gatewayRole());
    return postgres;
  }

  @Test
  void acceptsPostgresqlSetUpAsInTheGuide() throws SQLException {
    try (TestPostgres postgres = migrated(TestPostgres.shared())) {
      assertThat(violations(postgres, postgres.gatewayRole())).isEmpty();
    }
  }

  @Test
  void reportsAllViolationsAtOnce() throws SQLException {
    try (TestPostgres postgres =
        migrated(TestPostgres.start(Map.of("fsync", "off", "full_page_writes", "off")))) {
      assertThat(violations(postgres, "postgres"))
          .satisfiesExactly(
              v -> assertThat(v).startsWith("fsync is off").contains("fsync = on"),
              v -> assertThat(v).startsWith("full_page_writes is off"),
              v ->
                  assertThat(v)
                      .contains("postgres is a superuser", "(superuser)", "docs/start.md"));
      assertThat(violations(postgres, postgres.gatewayRole())).hasSize(2);
    }
  }

  @Test
  void refusesADatabaseThatCannotStoreEveryTextBeforeItCreatesAnything() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared()) {
      TestPostgres.execute(
          postgres.superuser(),
          "create database latin owner forebay_owner encoding 'LATIN1' locale 'C' template template0");
      PGSimpleDataSource owner = (PGSimpleDataSource) postgres.owner();
      owner.setDatabaseName("latin");
      try {
        assertThatThrownBy(() -> Migrations.run(owner, postgres.gatewayRole()))
            .isInstanceOf(UnsafeDatabase.class)
            .hasMessageContainingAll("LATIN1", "encoding 'UTF8'");
        try (Connection connection = owner.getConnection()) {
          assertThat(
                  DatabaseChecks.column(
                      connection, "select nspname from pg_namespace where nspname = 'forebay'"))
              .isEmpty();
        }
      } finally {
        TestPostgres.execute(postgres.superuser(), "drop database latin");
      }
    }
  }

  @Test
  void refusesTheOwnerAsGateway() throws SQLException {
    try (TestPostgres postgres = migrated(TestPostgres.shared())) {
      assertThat(violations(postgres, "forebay_owner"))
          .singleElement()
          .asString()
          .contains("forebay_owner owns", "schema forebay");
    }
  }

  @Test
  void refusesARoleThatMayActOnTheHostOrIsAMemberOfTheOwner() throws SQLException {
    try (TestPostgres postgres = migrated(TestPostgres.shared())) {
      String role = "climber_" + System.nanoTime();
      TestPostgres.execute(
          postgres.superuser(),
          "create role " + role + " login noinherit",
          "grant pg_write_server_files to " + role);
      try {
        assertThat(violations(postgres, role))
            .singleElement()
            .asString()
            .contains("may act on the host", "pg_write_server_files");
        TestPostgres.execute(
            postgres.superuser(),
            "revoke pg_write_server_files from " + role,
            "grant forebay_owner to " + role);
        assertThat(violations(postgres, role))
            .singleElement()
            .asString()
            .contains("member of the owner of");
      } finally {
        TestPostgres.execute(postgres.superuser(), "drop role " + role);
      }
    }
  }

  @Test
  void refusesARoleThatOwnsATableOfTheLedger() throws SQLException {
    try (TestPostgres postgres = migrated(TestPostgres.shared())) {
      TestPostgres.execute(
          postgres.superuser(), "alter table forebay.progress owner to " + postgres.gatewayRole());
      assertThat(violations(postgres, postgres.gatewayRole()))
          .singleElement()
          .asString()
          .contains("one of its tables");
    }
  }

  @Test
  void refusesARoleThatCanAccessSystemTables() throws SQLException {
    try (TestPostgres postgres = migrated(TestPostgres.shared())) {
      TestPostgres.execute(
          postgres.owner(),
          "grant insert on forebay.token to forebay_gateway",
          "grant select on forebay.audit to public",
          "grant update on forebay.service_state to forebay_gateway",
          "grant update on forebay.batch_job_execution to forebay_gateway");
      assertThat(violations(postgres, postgres.gatewayRole()))
          .singleElement()
          .asString()
          .contains("may read or change", "(audit, service_state, token)", "public");
    }
  }

  @Test
  void refusesAnEmbeddedUserThatCanAccessSystemTables(@TempDir Path directory) throws SQLException {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      Migrations.run(database.owner(), "FOREBAY_GATEWAY");
      database.grantAll("forebay.token");
      try (Connection connection = database.gateway().getConnection()) {
        assertThatThrownBy(() -> DatabaseChecks.run(connection, database.owner(), Level.DISK))
            .hasMessageContaining("(token)");
      }
    }
  }

  @Test
  void leavesNoOpenTransaction() throws SQLException {
    try (TestPostgres postgres = migrated(TestPostgres.shared());
        Connection connection = postgres.gateway().getConnection()) {
      connection.setAutoCommit(false);
      DatabaseChecks.run(connection, postgres.owner(), Level.DISK);
      // The driver refuses this while a transaction is open.
      assertThatCode(() -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void theEmbeddedDatabaseIsSafe(@TempDir Path directory) throws SQLException {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      Migrations.run(database.owner(), "FOREBAY_GATEWAY");
      assertThat(violations(database.gateway(), database.owner(), Level.DISK)).isEmpty();
    }
  }

  @Test
  void aDatabaseThatWritesCommitsLaterIsUnsafe(@TempDir Path directory) throws SQLException {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      Migrations.run(database.owner(), "FOREBAY_GATEWAY");
      TestPostgres.execute(
          database.owner(), "set files write delay 100 millis", "set files log false");
      assertThat(violations(database.gateway(), database.owner(), Level.PROCESS))
          .satisfiesExactly(
              v -> assertThat(v).contains("up to 100 ms", "SET FILES WRITE DELAY FALSE"),
              v -> assertThat(v).contains("SET FILES LOG TRUE"));
      TestPostgres.execute(database.owner(), "SET FILES WRITE DELAY FALSE", "SET FILES LOG TRUE");
      assertThat(violations(database.gateway(), database.owner(), Level.PROCESS)).isEmpty();
    }
  }

  @Test
  void refusesHsqldbWithDefaultSettings(@TempDir Path directory) throws SQLException {
    DataSource administrator = hsqldb("jdbc:hsqldb:file:" + directory.resolve("db"), "SA");
    try {
      assertThat(violations(administrator, administrator, Level.DISK))
          .satisfiesExactly(
              v -> assertThat(v).contains("up to 500 ms after they were confirmed"),
              v -> assertThat(v).contains("SA has role DBA"));
    } finally {
      TestPostgres.execute(administrator, "shutdown");
    }
  }

  @Test
  void acceptsADatabaseInMemoryOnlyForAQueueInMemory() throws SQLException {
    DataSource owner = hsqldb("jdbc:hsqldb:mem:checks", "SA");
    DataSource gateway = hsqldb("jdbc:hsqldb:mem:checks", "GATEWAY");
    TestPostgres.execute(owner, "create user GATEWAY password ''");
    try {
      Migrations.run(owner, "GATEWAY");
      assertThat(violations(gateway, owner, Level.MEMORY)).isEmpty();
      assertThat(violations(gateway, owner, Level.PROCESS))
          .singleElement()
          .asString()
          .contains("the database is in memory", "level PROCESS");
    } finally {
      TestPostgres.execute(owner, "shutdown");
    }
  }

  @Test
  void detectsADatabaseInMemoryBehindAServer(@TempDir Path directory) throws SQLException {
    Server server = new Server();
    server.setSilent(true);
    server.setLogWriter(null);
    server.setErrWriter(null);
    server.setAddress("127.0.0.1");
    server.setPort(Ports.free());
    server.setDatabaseName(0, "memory");
    server.setDatabasePath(0, "mem:served");
    server.setDatabaseName(1, "files");
    server.setDatabasePath(1, "file:" + directory.resolve("db") + ";hsqldb.write_delay=false");
    server.start();
    try {
      for (String name : List.of("memory", "files")) {
        DataSource administrator =
            hsqldb("jdbc:hsqldb:hsql://127.0.0.1:" + server.getPort() + "/" + name, "SA");
        List<String> violations = violations(administrator, administrator, Level.DISK);
        assertThat(violations).last().asString().contains("role DBA");
        assertThat(violations).hasSize(name.equals("memory") ? 2 : 1);
      }
    } finally {
      server.shutdownWithCatalogs(1);
    }
  }

  @Test
  void refusesAUserThatOwnsTheSchemaOrMayWriteFiles(@TempDir Path directory) throws SQLException {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      TestPostgres.execute(
          database.owner(),
          "create role shopkeeper",
          "create schema forebay authorization shopkeeper",
          "grant shopkeeper to FOREBAY_GATEWAY",
          "grant script_ops to FOREBAY_GATEWAY");
      assertThat(violations(database.gateway(), database.owner(), Level.DISK))
          .singleElement()
          .asString()
          .contains("SCRIPT_OPS");
      TestPostgres.execute(database.owner(), "revoke script_ops from FOREBAY_GATEWAY restrict");
      assertThat(violations(database.gateway(), database.owner(), Level.DISK))
          .singleElement()
          .asString()
          .contains("owns schema FOREBAY");
    }
  }

  @Test
  void refusesAnOwnerThatCannotReadTheSettings(@TempDir Path directory) throws SQLException {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory)) {
      assertThat(violations(database.gateway(), database.gateway(), Level.DISK))
          .singleElement()
          .asString()
          .contains("is not an administrator");
    }
  }

  private static DataSource hsqldb(String url, String user) {
    JDBCDataSource dataSource = new JDBCDataSource();
    dataSource.setUrl(url);
    dataSource.setUser(user);
    dataSource.setPassword("");
    return dataSource;
  }
}
