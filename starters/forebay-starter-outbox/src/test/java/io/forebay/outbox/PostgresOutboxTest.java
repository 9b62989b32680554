/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.NoEvents;
import io.forebay.database.PgBouncer;
import io.forebay.database.TestPostgres;
import io.forebay.database.UnsafeDatabase;
import io.forebay.hosting.DefinedService;
import io.forebay.operations.StartRefused;
import io.forebay.queue.LateAcknowledgements;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.TransactionStatus;

class PostgresOutboxTest extends OutboxContract {

  private final TestPostgres postgres = TestPostgres.shared();
  private final List<String> executed = new ArrayList<>();
  private final List<Connection> opened = new ArrayList<>();

  @Override
  DataSource open() {
    return postgres.owner();
  }

  @AfterEach
  void drop() {
    postgres.close();
  }

  /** Sends in a transaction that excludes nobody, and commits it when told. */
  private final class OpenTransaction implements AutoCloseable {

    private final Connection connection = connect();

    OpenTransaction(int number) throws SQLException {
      connection.setAutoCommit(false);
      // as sent by another process: the same bytes
      transaction.executeWithoutResult((TransactionStatus status) -> {
        send("a", number);
        byte[] message =
            jdbc.queryForObject(
                "select message from forebay_outbox order by id desc limit 1", byte[].class);
        status.setRollbackOnly();
        insert(message);
      });
    }

    private Connection connect() {
      try {
        return database.getConnection();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    private void insert(byte[] message) {
      try (PreparedStatement insert =
          connection.prepareStatement(
              "insert into forebay_outbox (service, partition_number, message)"
                  + " values ('orders', 0, ?)")) {
        insert.setBytes(1, message);
        insert.executeUpdate();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    void commit() throws SQLException {
      connection.commit();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  private void sendAndHandOver(int number) {
    transaction.executeWithoutResult(_ -> send("a", number));
    handOver();
    handOver();
  }

  @Test
  void losesNoMessageThatCommitsAfterLaterOnes() throws Exception {
    sendAndHandOver(1);
    try (OpenTransaction early = new OpenTransaction(2);
        OpenTransaction late = new OpenTransaction(3)) {
      sendAndHandOver(4);
      sendAndHandOver(5);
      early.commit();
      sendAndHandOver(6);
      sendAndHandOver(7);
      late.commit();
      handOver();
    }
    awaitPlaced(1, 4, 5, 2, 6, 7, 3);
    assertThat(waiting()).isZero();
  }

  /** The relay would otherwise read all deleted rows again and again. */
  @Test
  void readsNoDeletedRowsAgainWhileATransactionOnlyReads() throws Exception {
    try (Connection reader = database.getConnection();
        Statement statement = reader.createStatement()) {
      reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      reader.setAutoCommit(false);
      statement.executeQuery("select count(*) from forebay_outbox");
      for (int i = 0; i < 20; i++) {
        sendAndHandOver(i);
      }
      relay.task().run();
      assertThat(relay.readStart()).isEqualTo(20);
    }
  }

  @Test
  void anotherProcessTakesOverWhenTheSessionOfTheOwnerEnds() {
    handOver();
    try (Relay other = relay()) {
      transaction.executeWithoutResult(_ -> send("a", 1));
      other.wake();
      other.task().run();
      assertThat(waiting()).as("the other one does not own the table").isEqualTo(1);
      relay.close();
      await()
          .untilAsserted(() -> {
            other.task().run();
            assertThat(waiting()).isZero();
          });
    }
    awaitPlaced(1);
  }

  /** Others hand over while it shuts down. */
  @Test
  void anotherProcessTakesOverWhenTheOwnerStops() {
    relay.start();
    transaction.executeWithoutResult(_ -> send("a", 1));
    await().untilAsserted(() -> assertThat(waiting()).isZero());
    relay.stop();
    transaction.executeWithoutResult(_ -> send("a", 2));
    try (Relay other = relay()) {
      await()
          .untilAsserted(() -> {
            other.task().run();
            assertThat(waiting()).isZero();
          });
    }
    awaitPlaced(1, 2);
  }

  @Test
  void aProcessThatIsNotTheOwnerNotifiesTheOwnerAfterTheCommit() throws Exception {
    handOver();
    try (Relay other = relay();
        Connection listener = database.getConnection();
        Statement statement = listener.createStatement()) {
      statement.execute("listen forebay_outbox");
      other.task().run();
      TransactionalCalls<Orders> there = new Outbox(database, other).calls(service);
      transaction.executeWithoutResult(_ -> {
        there.send(it -> it.place("a", 1));
        other.task().run();
      });
      PGConnection notified = listener.unwrap(PGConnection.class);
      assertThat(notified.getNotifications(1)).as("before the commit").isNullOrEmpty();
      other.task().run();
      assertThat(notified.getNotifications(60_000)).hasSize(1);
    }
    handOver();
    awaitPlaced(1);
  }

  /** Otherwise its own notifications would fill its memory: nothing reads them. */
  @Test
  void onlyTheOwnerListens() throws Exception {
    handOver();
    try (Relay other = relay(recorded(database))) {
      for (int i = 0; i < 3; i++) {
        other.wake();
        other.task().run();
      }
      assertThat(opened).hasSize(1);
      assertThat(opened.getFirst().unwrap(PGConnection.class).getNotifications()).isNullOrEmpty();
      assertThat(listens(opened.getFirst())).isFalse();
      relay.close();
      await()
          .untilAsserted(() -> {
            other.task().run();
            assertThat(listens(opened.getFirst())).isTrue();
          });
    }
  }

  private DataSource recorded(DataSource of) {
    return new DelegatingDataSource(of) {
      @Override
      public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        opened.add(connection);
        return connection;
      }
    };
  }

  /** Also before the table has statistics. */
  @Test
  void readsABacklogByItsIndexAndSortsNothing() throws Exception {
    transaction.executeWithoutResult(_ -> send("a", 1));
    jdbc.update(
        "insert into forebay_outbox (service, partition_number, message)"
            + " select service, partition_number, message from forebay_outbox,"
            + " generate_series(1, 50000)");
    try (Relay reading = relay(recorded(counted()))) {
      reading.task().run();
      String read =
          executed.stream().filter(it -> it.contains("where id >")).findFirst().orElseThrow();
      assertThat(plan(opened.getFirst(), read))
          .contains("Index Scan")
          .doesNotContain("Bitmap", "Sort");
    }
  }

  private static String plan(Connection session, String read) throws SQLException {
    try (PreparedStatement explain = session.prepareStatement("explain " + read)) {
      explain.setLong(1, 0);
      explain.setArray(2, session.createArrayOf("varchar", new String[] {"orders"}));
      StringBuilder plan = new StringBuilder();
      try (ResultSet line = explain.executeQuery()) {
        while (line.next()) {
          plan.append(line.getString(1)).append('\n');
        }
      }
      return plan.toString();
    }
  }

  private static boolean listens(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery("select exists (select from pg_listening_channels())")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  @Test
  void anIdleProcessQueriesTheDatabaseOnceASecondAtMost() {
    try (Relay owner = relay(counted());
        Relay other = relay(counted())) {
      transaction.executeWithoutResult(_ -> send("a", 1));
      for (int i = 0; i < 3; i++) {
        owner.wake();
        owner.task().run();
      }
      assertThat(waiting()).isZero();
      assertAtMostOneQueryASecond(owner);
      other.task().run();
      assertAtMostOneQueryASecond(other);
    }
  }

  private DataSource counted() {
    return new WatchedDataSource(database, executed::add);
  }

  private void assertAtMostOneQueryASecond(Relay of) {
    executed.clear();
    long begun = System.nanoTime();
    for (int i = 0; i < 1_000 || executed.isEmpty(); i++) {
      of.task().run();
    }
    assertThat(executed).hasSizeLessThanOrEqualTo((int) ((System.nanoTime() - begun) / 1e9) + 1);
  }

  @Test
  void refusesToStartBesideAProcessThatDoesNotShareItsQueues() throws Exception {
    relay.begin();
    try (Relay other = relay()) {
      assertThatThrownBy(other::begin)
          .isInstanceOf(StartRefused.class)
          .hasMessageContaining("queue of service orders is not shared");
    }
    relay.close();
    try (Relay next = relay()) {
      await().untilAsserted(() -> assertThatCode(next::begin).doesNotThrowAnyException());
    }
  }

  /** It lost its session, and the other one was started before it had a new one. */
  @Test
  void logsThatAProcessWasStartedThatDoesNotShareItsQueues() {
    handOver();
    endSessionOfTheOwner();
    try (Relay other = relay()) {
      await().untilAsserted(() -> assertThatCode(other::begin).doesNotThrowAnyException());
      await()
          .untilAsserted(() -> {
            relay.task().run();
            assertThat(logged.list)
                .anyMatch(it ->
                    it.getThrowableProxy() != null
                        && it.getThrowableProxy()
                            .getMessage()
                            .contains("queue of service orders is not shared"));
          });
    }
  }

  @ParameterizedTest
  @CsvSource({"off, on", "local, on", "on, on", "remote_apply, remote_apply"})
  void aTransactionThatSentIsDurableBeforeItIsVisible(String set, String becomes) {
    transaction.executeWithoutResult(_ -> {
      jdbc.execute("set local synchronous_commit = '" + set + "'");
      send("a", 1);
      assertThat(jdbc.queryForObject("show synchronous_commit", String.class)).isEqualTo(becomes);
    });
    handOver();
    awaitPlaced(1);
  }

  @Test
  void showsNoMessagesAsWaitingThatAnotherProcessMayHaveHandedOver() {
    String customer = "c".repeat(100_000);
    for (int i = 0; i < QUEUE_BYTES / 100_000 + 1; i++) {
      int number = i;
      transaction.executeWithoutResult(_ -> send(customer, number));
    }
    handOver();
    assertThat(relay.behind()).isPositive();
    endSessionOfTheOwner();
    await()
        .untilAsserted(() -> {
          relay.task().run();
          assertThat(relay.behind()).isZero();
        });
  }

  /** They could be 8 MiB for each service, for hours. */
  @Test
  void keepsNoMessagesWhileTheirQueueAcceptsLate() {
    LateAcknowledgements late = new LateAcknowledgements();
    try (DefinedService<Orders, NoEvents> slow =
            DefinedService.open(late.over(queues), definition("slow"), HostedProgress.none());
        Relay only = new Relay(database, () -> Map.of("slow", slow))) {
      late.hold();
      transaction.executeWithoutResult(
          _ -> new Outbox(database, only).calls(slow).send("a", it -> it.place("a", 1)));
      only.task().run();
      assertThat(waiting()).isEqualTo(1);
      await().untilAsserted(() -> assertThat(late.arraysInUse()).isZero());
    }
  }

  private void endSessionOfTheOwner() {
    assertThat(
            new JdbcTemplate(postgres.superuser())
                .queryForList(
                    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
                        + " and database = (select oid from pg_database where datname ="
                        + " current_database())",
                    Boolean.class))
        .containsExactly(true);
  }

  /** It has read rows, and does not know yet that its session has ended. */
  @Test
  void aTakeOverWhileTheOldOwnerStillAppendsKeepsTheOrder() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    CountDownLatch takenOver = new CountDownLatch(1);
    DataSource slow =
        WatchedDataSource.onRead(
            database,
            () -> {
              read.countDown();
              assertThatCode(takenOver::await).doesNotThrowAnyException();
            });
    try (Relay old = relay(slow);
        Relay next = relay()) {
      transaction.executeWithoutResult(_ -> send("a", 1));
      transaction.executeWithoutResult(_ -> send("a", 2));
      Thread appending = Thread.ofPlatform().start(old.task()::run);
      read.await();
      endSessionOfTheOwner();
      transaction.executeWithoutResult(_ -> send("a", 3));
      await()
          .untilAsserted(() -> {
            next.task().run();
            assertThat(waiting()).isZero();
          });
      takenOver.countDown();
      appending.join();
    }
    service.start();
    await()
        .untilAsserted(
            () -> assertThat(placed).extracting(Placed::number).containsExactly(1, 2, 3, 1, 2));
    assertThat(placed.stream().distinct()).as("the same ids").hasSize(3);
  }

  @Test
  void refusesAPoolerThatSharesSessions(@TempDir Path directory) throws Exception {
    PgBouncer.assumeThere();
    try (PgBouncer pooler = PgBouncer.start(directory, postgres, "transaction", 5)) {
      assertThatThrownBy(() -> OutboxTable.migrate(pooler.dataSource()))
          .isInstanceOf(UnsafeDatabase.class)
          .hasMessageContaining("pool_mode = session");
    }
  }
}
