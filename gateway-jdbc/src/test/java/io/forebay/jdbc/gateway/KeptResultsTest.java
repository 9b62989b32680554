/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.service.ServiceState.Phase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Large results of queries: after a process that ended between the commit and the answer, and for
 * senders that ask again.
 */
class KeptResultsTest extends GatewayFixture {

  private static final String QUERY = "select repeat('x', 450000) as much, count(*) as n from item";
  private static final String INSERT = "insert into item (id) values (?)";

  /** Ends the thread of the partition where the process would have ended. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  private final AtomicBoolean killed = new AtomicBoolean();
  private final AtomicInteger asked = new AtomicInteger();

  /** Bytes read from the ledger in this transaction, and the most in one transaction. */
  private final AtomicLong read = new AtomicLong();

  private final AtomicLong mostRead = new AtomicLong();

  /** The most bytes that one transaction kept as outcomes. */
  private final AtomicLong mostKept = new AtomicLong();

  @Override
  void createTables() throws SQLException {
    database.createTable("item", "id bigint");
  }

  @Override
  JDBCService.Builder builder() {
    return super.builder().dataSource(proxy(DataSource.class, database.gateway(), ""));
  }

  @BeforeEach
  void insertOne() throws Exception {
    get(client.executeUpdate(INSERT, 7L));
  }

  private <T> T proxy(Class<T> type, T target, String sql) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (method.getName().startsWith("execute") && sql.equals(QUERY)) {
                asked.incrementAndGet();
              }
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              switch (method.getName()) {
                case "getBytes" -> read.addAndGet(((byte[]) result).length);
                case "setObject" -> {
                  if (sql.contains("forebay.outcome") && arguments[1] instanceof byte[] kept) {
                    mostKept.accumulateAndGet(kept.length, Math::max);
                  }
                }
                case "commit", "rollback" ->
                    mostRead.accumulateAndGet(read.getAndSet(0), Math::max);
                default -> {}
              }
              if (method.getName().equals("commit") && killed.getAndSet(false)) {
                throw new Killed();
              }
              return switch (result) {
                case Connection connection when target instanceof DataSource ->
                    proxy(Connection.class, connection, "");
                case PreparedStatement prepared ->
                    proxy(PreparedStatement.class, prepared, (String) arguments[0]);
                case ResultSet rows when sql.contains("forebay.request") ->
                    proxy(ResultSet.class, rows, sql);
                case null -> null;
                case Object other -> other;
              };
            }));
  }

  private Pending<Rows> keyed(String key) {
    return client.keyed("sender", key).executeQuery(QUERY, Row.class);
  }

  private static long rows(Pending<Rows> query) throws Exception {
    Row row = get(query).row(0);
    assertThat((String) row.get("much")).hasSize(450_000);
    return (Long) row.get("n");
  }

  /**
   * The process ends when it has committed the query; then the data change, and it starts again.
   */
  private void survives(Pending<Rows> query) throws Exception {
    await().until(() -> service.state().phase() == Phase.FAILED);
    service.stop();
    try (Connection connection = database.owner().getConnection();
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setLong(1, 8);
      insert.execute();
    }
    service.start();
    assertThat(rows(query)).isEqualTo(1);
    assertThat(asked).hasValue(1);
  }

  @Test
  void aResultIsThatOfTheCommittedTransaction() throws Exception {
    killed.set(true);
    survives(client.executeQuery(QUERY, Row.class));
  }

  @Test
  void aKeyHasOneResult() throws Exception {
    killed.set(true);
    survives(keyed("a"));
    assertThat(rows(keyed("a"))).isEqualTo(1);
    assertThat(asked).hasValue(1);
  }

  @Test
  void aKeyThatABatchHasTwiceIsPerformedOnce() throws Exception {
    pause(service, "so that both come together");
    List<Pending<Rows>> both = List.of(keyed("a"), keyed("a"));
    service.resume();
    for (Pending<Rows> each : both) {
      assertThat(rows(each)).isEqualTo(1);
    }
    assertThat(asked).hasValue(1);
  }

  @Test
  void aTransactionKeepsResultsUpToALimit() throws Exception {
    pause(service, "so that all come together");
    List<Pending<Rows>> queries = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      queries.add(client.executeQuery(QUERY, Row.class));
      client.executeUpdate(INSERT, (long) i);
    }
    service.resume();
    for (int i = 0; i < 12; i++) {
      assertThat(rows(queries.get(i))).isEqualTo(1 + i);
    }
    assertThat(mostKept).hasValueBetween(900_000L, 1L << 20);
  }

  @Test
  void resultsOfKnownKeysAreLoadedUpToALimit() throws Exception {
    for (int i = 0; i < 12; i++) {
      rows(keyed("k" + i));
    }
    restart(builder()); // it does not know how large results are
    pause(service, "so that all come together");
    List<Pending<Rows>> again = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      again.add(keyed("k" + i));
      client.executeUpdate(INSERT, (long) i);
    }
    service.resume();
    for (Pending<Rows> each : again) {
      assertThat(rows(each)).isEqualTo(1);
    }
    assertThat(asked).hasValue(12);
    assertThat(mostRead).hasValueBetween(900_000L, 1_100_000L);
    assertThat(mostKept).hasValueBetween(900_000L, 1L << 20);
  }
}
