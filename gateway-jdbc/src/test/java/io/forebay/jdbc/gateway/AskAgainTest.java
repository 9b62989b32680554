/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestDatabase;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A query whose result is too large for the ledger, and a process that ended between the commit and
 * the answer.
 */
class AskAgainTest {

  private static final String QUERY = "select repeat('x', 20000) as much, id from item";
  private static final String INSERT = "insert into item (id) values (?)";
  private static final Duration SOON = Duration.ofMillis(1);
  private static final int TRIES = 3;

  /** Ends the thread of the partition where the process would have ended. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /** What the driver does when it is asked. */
  private interface Driver {
    void ask() throws SQLException;
  }

  @TempDir Path directory;
  private final MemoryBackend backend = MemoryBackend.open();
  private final AtomicBoolean killed = new AtomicBoolean();
  private final AtomicInteger asked = new AtomicInteger();
  private TestDatabase database;
  private JDBCService service;
  private StatementClient client;
  private volatile Driver driver = () -> {};

  @BeforeEach
  void start() throws Exception {
    database = TestDatabase.hsqldb(directory);
    database.createTable("item", "id bigint");
    service =
        JDBCService.builder("shop")
            .queues(backend, 1)
            .dataSource(proxy(DataSource.class, database.gateway(), ""))
            .migrate(database.owner())
            .tries(TRIES)
            .options(ServiceOptions.defaults().withRetry(SOON, SOON))
            .build();
    service.start();
    client = service.createClient();
    GatewayFixture.get(client.executeUpdate(INSERT, 7L));
  }

  @AfterEach
  void stop() throws SQLException {
    client.close();
    service.close();
    backend.close();
    database.close();
  }

  private <T> T proxy(Class<T> type, T target, String sql) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (method.getName().startsWith("execute") && sql.equals(QUERY)) {
                asked.incrementAndGet();
                driver.ask();
              }
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (method.getName().equals("commit") && killed.getAndSet(false)) {
                throw new Killed();
              }
              return switch (result) {
                case Connection connection when target instanceof DataSource ->
                    proxy(Connection.class, connection, "");
                case PreparedStatement prepared ->
                    proxy(PreparedStatement.class, prepared, (String) arguments[0]);
                case null -> null;
                case Object other -> other;
              };
            }));
  }

  /** The query, committed in a process that ended before it answered, and another start. */
  private Pending<Rows> lost() {
    killed.set(true);
    Pending<Rows> query = client.executeQuery(QUERY, Row.class);
    await().until(() -> service.state().phase() == Phase.FAILED);
    assertThat(asked).hasValue(1);
    service.stop();
    service.start();
    return query;
  }

  private void failsInDoubt(Pending<Rows> query, String reason) throws Exception {
    SqlFailure failure = GatewayFixture.failure(query);
    assertThat(failure.kind()).isEqualTo(SqlFailure.Kind.IN_DOUBT);
    assertThat(failure.message()).contains("its large result was lost", reason);
    assertThat(asked).hasValueBetween(1 + TRIES, 2 + TRIES);
    assertThat(GatewayFixture.get(client.executeUpdate(INSERT, 8L))).as("the next").isEqualTo(1);
  }

  @Test
  void isAskedAgainAndAnswered() throws Exception {
    Row row = GatewayFixture.get(lost()).row(0);
    assertThat((String) row.get("much")).hasSize(20_000);
    assertThat(row.get("id")).isEqualTo(7L);
    assertThat(asked).hasValue(2);
  }

  @Test
  void isAskedOnceMoreWhenThatFailsForAReasonThatPasses() throws Exception {
    driver =
        () -> {
          if (asked.get() == 2) {
            throw new SQLException("for a test", "40001");
          }
        };
    assertThat(GatewayFixture.get(lost()).row(0).get("id")).isEqualTo(7L);
    assertThat(asked).hasValue(3);
  }

  @Test
  void isInDoubtAfterSomeTriesAndHoldsUpNobody() throws Exception {
    driver =
        () -> {
          if (asked.get() > 1) {
            throw new SQLException("for a test", "40001");
          }
        };
    failsInDoubt(lost(), "for a test");
  }

  @Test
  void isInDoubtWhenTheDriverIsToBlameAndHoldsUpNobody() throws Exception {
    driver =
        () -> {
          if (asked.get() > 1) {
            throw new IllegalMonitorStateException("with a value");
          }
        };
    failsInDoubt(lost(), "java.lang.IllegalMonitorStateException");
  }

  @Test
  void isInDoubtWhenTheStackOverflowsAndHoldsUpNobody() throws Exception {
    driver =
        () -> {
          if (asked.get() > 1) {
            throw new StackOverflowError();
          }
        };
    failsInDoubt(lost(), "java.lang.StackOverflowError");
  }
}
