/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.CapturedLog;
import io.forebay.database.DatabaseChecks;
import io.forebay.database.TestDatabase;
import io.forebay.database.TestPostgres;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A database that is away fails no statement, however often it was tried. */
class OutageTest extends GatewayFixture {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration TIMEOUT = Duration.ofSeconds(3);
  private static final String WAITING = "insert into other (id) values (wait_at_gate())";

  private final TestPostgres server = TestPostgres.start();

  @Override
  TestDatabase open(Path directory) {
    return new TestDatabase() {
      @Override
      public DataSource owner() {
        return server.owner();
      }

      @Override
      public DataSource gateway() {
        return server.gateway();
      }

      @Override
      public void createTable(String name, String columns) {
        server.createTable("create table " + name + " (" + columns + ")");
      }

      @Override
      public void close() {
        server.close();
      }
    };
  }

  @Override
  JDBCService.Builder builder() {
    Duration soon = Duration.ofMillis(20);
    return super.builder().tries(1).options(ServiceOptions.defaults().withRetry(soon, soon));
  }

  @Test
  void aStatementDuringWhichTheDatabaseIsKilledIsPerformedAtLast() throws Exception {
    isPerformedAtLast(1);
  }

  @Tag("proof")
  @Test
  void aStatementDuringWhichTheDatabaseIsKilledAgainAndAgainIsPerformedAtLast() throws Exception {
    isPerformedAtLast(4);
  }

  private void isPerformedAtLast(int kills) throws Exception {
    createGate();
    pause(service, "so that all come together");
    Pending<Long> before = client.executeUpdate(INSERT_OTHER, 1L);
    Pending<Long> waiting = client.executeUpdate(WAITING);
    Pending<Long> after = client.executeUpdate(INSERT_OTHER, 9L);
    service.resume();
    for (int i = 0; i < kills; i++) {
      await().atMost(LONG).ignoreExceptions().until(this::waitsAtGate);
      server.kill();
      await().atMost(LONG).until(() -> service.state().phase() == ServiceState.Phase.WAITING);
      server.restart();
    }
    TestPostgres.execute(database.owner(), "update gate set closed = false");
    assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(get(before) + get(after)).isEqualTo(2);
    assertThat(database.rows("select id from other order by id")).containsExactly("1", "7", "9");
    assertThat(database.rows("select count(*) from forebay.failed_message")).containsExactly("0");
  }

  private void createGate() throws SQLException {
    database.createTable("gate", "closed boolean");
    TestPostgres.execute(
        database.owner(),
        "insert into gate values (true)",
        "create function wait_at_gate() returns bigint language plpgsql as $$ begin"
            + " while (select closed from gate) loop perform pg_sleep(0.05); end loop;"
            + " return 7; end $$");
  }

  @Test
  void theReturnOfTheDatabaseIsShownWhileTheFirstBatchIsPerformed() throws Exception {
    createGate();
    server.kill();
    Pending<Long> waiting = client.executeUpdate(WAITING);
    await().atMost(LONG).until(() -> service.state().phase() == ServiceState.Phase.WAITING);
    assertThat(service.state().reason())
        .as("a message of the driver ends with a full stop")
        .doesNotContain(".)");
    server.restart();
    await().atMost(LONG).ignoreExceptions().until(this::waitsAtGate);
    assertThat(service.state().phase()).isEqualTo(ServiceState.Phase.RUNNING);
    assertThat(service.state().reason())
        .isEqualTo("the database responds again; performing the first batch");
    TestPostgres.execute(database.owner(), "update gate set closed = false");
    assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    await().until(() -> service.state().reason().isEmpty());
  }

  private boolean waitsAtGate() throws SQLException {
    try (Connection connection = server.superuser().getConnection()) {
      return !atGate(connection, "pid").isEmpty();
    }
  }

  /** Something about the session whose statement waits at the gate. */
  private static List<String> atGate(Connection observer, String column) throws SQLException {
    return DatabaseChecks.column(
        observer,
        "select %s::text from pg_stat_activity where state = 'active'".formatted(column)
            + " and query like ? and pid <> pg_backend_pid()",
        "%wait_at_gate%");
  }

  @Test
  void aStatementDuringWhichItsSessionStandsStillIsPerformed() throws Exception {
    isPerformedThough(
        1,
        observer ->
            ProcessHandle.of(Long.parseLong(atGate(observer, "pid").getFirst())).orElseThrow());
  }

  @Test
  void aStatementDuringWhichTheDatabaseStandsStillAgainIsPerformedAtLast() throws Exception {
    isPerformedThough(2, _ -> server.process());
  }

  /** What stands still, found by a connection. */
  private interface Process {
    ProcessHandle of(Connection observer) throws SQLException;
  }

  private void isPerformedThough(int standstills, Process process) throws Exception {
    restart(builder().statementTimeout(TIMEOUT));
    createGate();
    try (Connection observer = server.superuser().getConnection()) {
      Pending<Long> pending = client.executeUpdate(WAITING);
      List<String> tried = List.of();
      for (int i = 0; i < standstills; i++) {
        List<String> before = tried;
        tried =
            await()
                .until(
                    () -> atGate(observer, "query_start"),
                    now -> !now.isEmpty() && !now.equals(before));
        standsStill(process.of(observer));
      }
      TestPostgres.execute(database.owner(), "update gate set closed = false");
      assertThat(get(pending)).isEqualTo(1);
    }
    assertThat(database.rows("select id from other")).containsExactly("7");
    assertThat(database.rows("select count(*) from forebay.failed_message")).containsExactly("0");
  }

  /** Stops a process and what it started, for longer than a statement may take. */
  private static void standsStill(ProcessHandle process) throws Exception {
    signal("-STOP", Stream.of(process)); // it starts no other process now
    signal("-STOP", process.descendants());
    long stopped = System.nanoTime();
    await()
        .pollDelay(TIMEOUT.plus(TIMEOUT.dividedBy(2)))
        .until(() -> System.nanoTime() - stopped > TIMEOUT.toNanos());
    signal("-CONT", Stream.concat(Stream.of(process), process.descendants()));
  }

  private static void signal(String signal, Stream<ProcessHandle> processes) throws Exception {
    List<String> command = new ArrayList<>(List.of("kill", signal));
    processes.forEach(it -> command.add(Long.toString(it.pid())));
    new ProcessBuilder(command).start().waitFor(); // one of them may just have ended
  }

  @Test
  void anIdleSessionThatTheDatabaseEndedIsReplacedWithoutAWarning() throws Exception {
    get(client.executeUpdate(INSERT_OTHER, 1L));
    List<String> log = new ArrayList<>();
    try (CapturedLog _ = CapturedLog.of("io.forebay", log);
        Connection observer = server.superuser().getConnection()) {
      String others = " from pg_stat_activity where usename = 'forebay_gateway'";
      for (long id = 2; id < 4; id++) {
        DatabaseChecks.column(observer, "select pg_terminate_backend(pid)" + others);
        await().until(() -> DatabaseChecks.column(observer, "select pid" + others).isEmpty());
        assertThat(get(client.executeUpdate(INSERT_OTHER, id))).isEqualTo(1);
      }
      // The first statement of this batch reads the catalogue.
      DatabaseChecks.column(observer, "select pg_terminate_backend(pid)" + others);
      await().until(() -> DatabaseChecks.column(observer, "select pid" + others).isEmpty());
      String insert = "insert into item (id, name) values (?, ?)";
      pause(service, "so that both come together");
      Pending<Long> first = client.executeUpdate(insert, 1L, "tea");
      Pending<Long> second = client.executeUpdate(insert, 2L, "milk");
      service.resume();
      assertThat(get(first) + get(second)).isEqualTo(2);
    }
    assertThat(database.rows("select id from other order by id")).containsExactly("1", "2", "3");
    assertThat(log).noneMatch(line -> line.contains("unavailable"));
  }

  @Test
  void aDatabaseThatTakesNoChangesIsWaitedFor() throws Exception {
    get(client.executeUpdate(INSERT_OTHER, 1L));
    TestPostgres.execute(
        server.superuser(),
        "alter system set default_transaction_read_only = on",
        "select pg_reload_conf()");
    // the server takes the setting over a moment later
    List<Pending<Long>> sent = new ArrayList<>();
    await()
        .until(() -> {
          sent.add(client.executeUpdate(INSERT_OTHER, 2L + sent.size()));
          return service.state().reason().contains("(SQLState 25006)");
        });
    TestPostgres.execute(
        server.superuser(),
        "set default_transaction_read_only = off",
        "alter system reset default_transaction_read_only",
        "select pg_reload_conf()");
    for (Pending<Long> each : sent) {
      assertThat(get(each)).isEqualTo(1);
    }
  }
}
