/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestDatabase;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.operations.LockHolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

class PostgresRaisedErrorsTest extends RaisedErrorsContract {

  private static final Duration LONG = Duration.ofSeconds(60);

  private final TestPostgres server = TestPostgres.shared();

  @Override
  TestDatabase open(Path directory) {
    return TestDatabase.postgresql(server);
  }

  @Override
  List<String> sqlStates() {
    return List.of(
        "40001", "40P01", "55P03", "57P01", "53100", "53300", "08006", "25006", "XX001", "58030");
  }

  @Override
  void createFunction(String name, String sqlState) {
    TestPostgres.execute(
        database.owner(),
        "create function %s() returns int language plpgsql as $$ begin raise exception using errcode = '%s'; end $$"
            .formatted(name, sqlState));
  }

  @Test
  void soDoesOneThatEndsItsOwnSession() throws Exception {
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT, 1L, "tea", 1.0);
    Pending<Rows> failing =
        client.executeQuery("select pg_terminate_backend(pg_backend_pid())", Row.class);
    Pending<Long> after = client.executeUpdate(INSERT, 2L, "tea", 1.0);
    service.resume();
    assertThat(failure(failing).kind()).isEqualTo(SqlFailure.Kind.GIVEN_UP);
    assertThat(get(before) + get(after)).isEqualTo(2);
  }

  @Test
  void oneThatForbidsItsTransactionToWriteForbidsItToNobodyElse() throws Exception {
    TestPostgres.execute(
        database.owner(),
        "create function only_read() returns text language sql as"
            + " $$ select set_config('transaction_read_only', 'on', true) $$");
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT, 1L, "tea", 1.0);
    Pending<Rows> only = client.executeQuery("select only_read()", Row.class);
    Pending<Long> after = client.executeUpdate(INSERT, 2L, "tea", 1.0);
    service.resume();
    assertThat(get(only).size()).isEqualTo(1);
    assertThat(get(before) + get(after)).isEqualTo(2);
  }

  @Test
  void soDoesOneWhoseErrorIsRaisedAtTheCommit() throws Exception {
    createFunction("fail_40001", "40001");
    TestPostgres.execute(
        database.owner(),
        "create function fail_late() returns trigger language plpgsql as"
            + " $$ begin perform fail_40001(); return null; end $$",
        "create constraint trigger late after insert on other deferrable initially deferred"
            + " for each row when (new.id = 13) execute function fail_late()");
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 1L);
    Pending<Long> failing = client.executeUpdate(INSERT_OTHER, 13L);
    Pending<Long> after = client.executeUpdate(INSERT_OTHER, 2L);
    service.resume();
    assertThat(failure(failing).sqlState()).isEqualTo("40001");
    assertThat(get(before) + get(after)).isEqualTo(2);
  }

  @Test
  void aLockOfAnotherSessionIsWaitedForWithoutCountingAndItsHolderIsNamed() throws Exception {
    restart(builder().tries(1));
    pause(service, "so that both come together");
    Pending<Long> waiting;
    Pending<Long> second;
    try (Connection other = database.owner().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("set application_name = 'maintenance'");
      statement.execute("lock table item in access exclusive mode");
      waiting = client.executeUpdate(INSERT, 1L, "tea", 1.0);
      second = client.executeUpdate(INSERT, 2L, "coffee", 1.0);
      service.resume();
      await().until(() -> service.view().lockHolder() != null);
      assertThat(service.view().lockHolder())
          .returns((long) other.unwrap(PGConnection.class).getBackendPID(), LockHolder::session)
          .returns("maintenance", LockHolder::application);
      await().atMost(LONG).until(() -> service.view().lastError() != null);
      Instant first = service.view().lastError().at();
      Set<String> reasons = new HashSet<>();
      await()
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> {
            reasons.add(service.state().reason());
            return service.view().lastError().at().isAfter(first);
          });
      assertThat(reasons).as("also during the next attempt").hasSize(1);
      assertThat(service.state().reason()).contains("waits for a lock");
      assertThat(service.state().waitsForLock()).isTrue();
      assertThat(service.view().lockHolder()).isNotNull();
      assertThat(service.view().partitions().getFirst().waitsFor())
          .as("an operator must not fail it")
          .isNull();
      service.stop();
      assertThat(service.view().lockHolder()).as("another instance may work on it").isNull();
      service.start();
    }
    assertThat(get(waiting) + get(second)).isEqualTo(2);
    await().until(() -> service.view().lockHolder() == null);
  }

  @Test
  void aLockOnAForeignServerIsWaitedForWithoutCounting() throws Exception {
    TestPostgres.execute(
        server.superuser(),
        "create extension postgres_fdw",
        "do $$ begin execute format('create server far foreign data wrapper postgres_fdw options"
            + " (host ''127.0.0.1'', port %L, dbname %L, options ''-c lock_timeout=200'')',"
            + " inet_server_port(), current_database()); end $$",
        "create user mapping for public server far"
            + " options (user 'forebay_gateway', password_required 'false')",
        "create foreign table far_item (id bigint) server far options (table_name 'other')",
        "grant insert on far_item to forebay_gateway");
    restart(builder().tries(1));
    Pending<Long> waiting;
    try (Connection other = database.owner().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("lock table other in access exclusive mode");
      waiting = client.executeUpdate("insert into far_item (id) values (?)", 1L);
      await().atMost(LONG).until(() -> service.view().lastError() != null);
      Instant first = service.view().lastError().at();
      await().atMost(LONG).until(() -> service.view().lastError().at().isAfter(first));
      assertThat(service.state().waitsForLock()).isTrue();
    }
    assertThat(get(waiting)).isEqualTo(1);
  }

  @Test
  void aMessageThatTakesLongAndDoesNotWaitForALockFailsAfterSomeTries() throws Exception {
    restart(builder().tries(1));
    TestPostgres.execute(
        database.owner(),
        "create function impatient() returns int language plpgsql as"
            + " $$ begin perform pg_sleep(5); lock table item in row exclusive mode nowait; return 1; end $$");
    try (Connection other = database.owner().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("lock table item in access exclusive mode");
      Pending<Rows> failing = client.executeQuery("select impatient()", Row.class);
      assertThat(failure(failing))
          .returns(SqlFailure.Kind.GIVEN_UP, SqlFailure::kind)
          .returns("55P03", SqlFailure::sqlState);
    }
  }
}
