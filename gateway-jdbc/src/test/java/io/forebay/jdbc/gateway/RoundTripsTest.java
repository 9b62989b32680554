/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.hosting.Paused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureId;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** How often a batch waits for PostgreSQL. */
class RoundTripsTest {

  private static final int ROWS = 20;
  private static final String INSERT = "insert into t (id) values (?)";
  private static final AtomicInteger ROUND_TRIPS = new AtomicInteger();

  @ParameterizedTest
  @ValueSource(strings = {INSERT, INSERT + " on conflict (id) do update set id = excluded.id"})
  void aBatchOfPlainInsertsTakesTwo(String insert) throws Exception {
    List<Integer> roundTrips = ofBatches(insert);
    assertThat(roundTrips).as("progress and inserts; outcomes and commit").contains(2);
    assertThat(roundTrips).allSatisfy(each -> assertThat(each).isGreaterThanOrEqualTo(2));
    assertThat(roundTrips.stream().filter(each -> each == 2).count()).isGreaterThanOrEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update forebay.progress set epoch = epoch - 1",
        "update forebay.outcome set to_position = to_position + 1"
            + " where to_position = (select max(to_position) from forebay.outcome)"
      })
  void insertsSentWithTheLockAreRolledBackIfTheProgressIsNotAsExpected(String change)
      throws Exception {
    try (TestPostgres postgres = TestPostgres.shared();
        MemoryBackend backend = MemoryBackend.open()) {
      postgres.createTable("create table t (id bigint primary key)");
      try (JDBCService service =
              JDBCService.builder("shop")
                  .queues(backend, 1)
                  .dataSource(postgres.gateway())
                  .migrate(postgres.owner())
                  .build();
          StatementClient client = service.createClient()) {
        service.start();
        perform(service, client, INSERT, 0);
        TestPostgres.execute(postgres.superuser(), change);
        Paused.pause(service, "so that all come together");
        for (long id = ROWS; id < 2 * ROWS; id++) {
          client.executeUpdate(INSERT, id);
        }
        service.resume();
        await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> service.state().phase() == ServiceState.Phase.FAILED);
      }
      try (Connection connection = postgres.superuser().getConnection();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("select count(*) from t")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(ROWS);
      }
    }
  }

  @Test
  void aPageOfReplaysTakesNoMoreThanOne() throws Exception {
    open((service, client) -> {
      for (int i = 0; i <= 30; i++) {
        client.executeUpdate("insert into t (id) values (?)", 7L);
      }
      GatewayFailures failures = new GatewayFailures(service);
      await().until(() -> failures.count(Failure.State.OPEN, 100) == 30);
      Paused.pause(service, "so that nothing else asks the database");
      List<FailureId> ids =
          failures.list(new Failures.Filter("shop", null, null), null, 100).stream()
              .map(it -> FailureId.of(it.id()))
              .toList();
      replay(failures, ids.subList(0, 1)); // its statements are prepared later
      int ofOne = replay(failures, ids.subList(1, 2));
      assertThat(replay(failures, ids.subList(2, 30))).isLessThanOrEqualTo(ofOne + 1);
    });
  }

  private static int replay(GatewayFailures failures, List<FailureId> ids) {
    int before = ROUND_TRIPS.get();
    assertThat(failures.replay(ids, _ -> true, "olga"))
        .hasSize(ids.size())
        .allSatisfy(it -> assertThat(it.as()).isNotNull());
    return ROUND_TRIPS.get() - before;
  }

  private static List<Integer> ofBatches(String insert) throws Exception {
    List<Integer> roundTrips = new ArrayList<>();
    open((service, client) -> {
      for (int batch = 0; batch < 10; batch++) { // some also look up or delete
        roundTrips.add(perform(service, client, insert, batch * ROWS));
      }
    });
    return roundTrips;
  }

  private interface Work {
    void with(JDBCService service, StatementClient client) throws Exception;
  }

  private static void open(Work work) throws Exception {
    try (TestPostgres postgres = TestPostgres.shared();
        MemoryBackend backend = MemoryBackend.open()) {
      postgres.createTable("create table t (id bigint primary key)");
      PGSimpleDataSource counted = (PGSimpleDataSource) postgres.gateway();
      counted.setSocketFactory(Counting.class.getName());
      try (JDBCService service =
              JDBCService.builder("shop")
                  .queues(backend, 1)
                  .dataSource(counted)
                  .migrate(postgres.owner())
                  .build();
          StatementClient client = service.createClient()) {
        service.start();
        work.with(service, client);
      }
    }
  }

  private static int perform(JDBCService service, StatementClient client, String insert, long from)
      throws Exception {
    Paused.pause(service, "so that all come together");
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> service.state().phase() == ServiceState.Phase.PAUSED);
    List<Pending<Long>> pending = new ArrayList<>();
    for (long id = from; id < from + ROWS; id++) {
      pending.add(client.executeUpdate(insert, id));
    }
    int before = ROUND_TRIPS.get();
    service.resume();
    for (Pending<Long> each : pending) {
      assertThat(GatewayContract.get(each)).isEqualTo(1);
    }
    return ROUND_TRIPS.get() - before;
  }

  /** Counts how often something is read after something was written. */
  public static final class Counting extends SocketFactory {

    @Override
    public Socket createSocket() {
      return new Socket() {

        private volatile boolean written;

        @Override
        public InputStream getInputStream() throws IOException {
          return new FilterInputStream(super.getInputStream()) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
              if (written) {
                written = false;
                ROUND_TRIPS.incrementAndGet();
              }
              return super.read(bytes, offset, length);
            }
          };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
          return new FilterOutputStream(super.getOutputStream()) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              written = true;
              out.write(bytes, offset, length);
            }
          };
        }
      };
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }
  }
}
