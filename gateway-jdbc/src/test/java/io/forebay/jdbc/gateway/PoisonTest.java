/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestDatabase;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements that end the process, or break the driver, while they are performed. */
class PoisonTest {

  private static final String INSERT = "insert into item (id) values (?)";
  private static final String SLOW = "insert into item (id) values (?) /* slow */";
  private static final String POISON = "insert into item (id) values (? + 1000)";

  /** Ends the thread of the partition where the process would have ended. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /** An error of the database. */
  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    final String state;

    Refused(String state) {
      this.state = state;
    }
  }

  @TempDir Path directory;
  private final MemoryBackend backend = MemoryBackend.open();
  private TestDatabase database;
  private JDBCService service;
  private StatementClient client;

  /** Sees each statement before it is performed. */
  private volatile Consumer<String> driver = _ -> {};

  @BeforeEach
  void start() throws SQLException {
    database = TestDatabase.hsqldb(directory);
    database.createTable("item", "id bigint");
    service = gateway("shop", 1);
    pause(service, "until all statements are there");
    service.start();
    client = service.createClient();
  }

  private JDBCService gateway(String name, int partitions) {
    return JDBCService.builder(name)
        .queues(backend, partitions)
        .dataSource(WatchedDriver.over(database.gateway(), this::before))
        .migrate(database.owner())
        .options(ServiceOptions.defaults().withMaxBatch(64))
        .build();
  }

  @AfterEach
  void stop() throws SQLException {
    client.close();
    service.close();
    backend.close();
    database.close();
  }

  private void before(String sql) throws SQLException {
    try {
      driver.accept(sql);
    } catch (Refused e) {
      throw new SQLException("for a test", e.state, e);
    }
  }

  private List<Pending<Long>> send(int count, int poisonAt) {
    List<Pending<Long>> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sent.add(client.executeUpdate(i == poisonAt ? POISON : INSERT, (long) i));
    }
    return sent;
  }

  /** Starts it again each time its process ended; returns how often that was. */
  private int performAll(List<Pending<Long>> sent) {
    service.resume();
    for (int ended = 0; ; ended++) {
      await().until(() -> sent.stream().allMatch(Pending::isDone) || isFailed());
      if (!isFailed()) {
        return ended;
      }
      assertThat(ended).as("how often the process ended").isLessThan(60);
      service.stop();
      service.start();
      await().until(() -> service.state().phase() != Phase.STARTING);
    }
  }

  private boolean isFailed() {
    return service.state().phase() == Phase.FAILED;
  }

  private static SqlFailure failure(Pending<Long> pending) throws Exception {
    try {
      throw new AssertionError("it has a result: " + pending.get(120, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return ((SqlFailed) e.getCause()).failure();
    }
  }

  private void onlyOneFails(List<Pending<Long>> sent, int failing, SqlFailure.Kind kind)
      throws Exception {
    for (int i = 0; i < sent.size(); i++) {
      if (i == failing) {
        assertThat(failure(sent.get(i)).kind()).isEqualTo(kind);
      } else {
        assertThat(sent.get(i).get(120, TimeUnit.SECONDS)).isEqualTo(1);
      }
    }
    assertThat(database.rows("select count(*), count(distinct id) from item"))
        .containsExactly((sent.size() - 1) + "," + (sent.size() - 1));
  }

  private void diesOfPoison() {
    driver =
        sql -> {
          if (sql.equals(POISON)) {
            throw new Killed();
          }
        };
  }

  @Test
  void theMessageThatEndsTheProcessIsFoundAndFailsAndItsNeighboursTakeEffect() throws Exception {
    diesOfPoison();
    List<Pending<Long>> sent = send(100, 50);
    // After two ends each message is performed alone. The commits of those before it lower the
    // count to zero, and the message fails after six more ends.
    assertThat(performAll(sent)).as("how often the process ended").isEqualTo(2 + 6);
    onlyOneFails(sent, 50, SqlFailure.Kind.POISON);
    assertThat(database.rows("select kind from forebay.failed_message")).containsExactly("POISON");
    assertThat(database.rows("select attempts from forebay.outcome order by to_position desc"))
        .first()
        .isEqualTo("0");
  }

  @Test
  void theNextMessageFailsIfTheProcessEndsTwiceMore() throws Exception {
    diesOfPoison();
    List<Pending<Long>> sent = new ArrayList<>(send(50, -1));
    sent.addAll(send(1, 0));
    sent.addAll(send(2, 0));
    assertThat(performAll(sent)).as("how often the process ended").isEqualTo(2 + 6 + 2);
    assertThat(failure(sent.get(50)).kind()).isEqualTo(SqlFailure.Kind.POISON);
    assertThat(failure(sent.get(51)).kind()).isEqualTo(SqlFailure.Kind.POISON);
    assertThat(sent.get(52).get(120, TimeUnit.SECONDS)).isEqualTo(1);
  }

  /** The process ends while another partition performs, before the next message is performed. */
  @Test
  void theNextMessageIsPerformedAlthoughTheAnswerToTheCommitBeforeWasLost() throws Exception {
    AtomicReference<String> until = new AtomicReference<>("insert into forebay.failed_message");
    driver =
        sql -> {
          if (sql.equals(POISON)) {
            throw new Killed();
          }
          if (sql.startsWith(until.get())) {
            switch (until.get()) {
              case "insert into forebay.failed_message" -> until.set(WatchedDriver.COMMITTED);
              case WatchedDriver.COMMITTED -> {
                until.set(WatchedDriver.COMMIT);
                throw new Refused("08006");
              }
              case WatchedDriver.COMMIT -> until.set("update forebay.outcome set attempts");
              default -> {
                until.set("never");
                throw new Killed();
              }
            }
          }
        };
    List<Pending<Long>> sent = send(2, 0);
    performAll(sent);
    assertThat(until).hasValue("never");
    onlyOneFails(sent, 0, SqlFailure.Kind.POISON);
  }

  /** Five kills within the first batch, then each time after one batch was committed. */
  @Test
  void noMessageFailsWhenTheProcessIsKilledAgainAndAgainForOtherReasons() throws Exception {
    AtomicInteger kills = new AtomicInteger();
    AtomicInteger batches = new AtomicInteger();
    driver =
        sql -> {
          int until = kills.get() < 5 ? 1 : 2;
          if (sql.equals(INSERT) && kills.get() < 25 && batches.incrementAndGet() == until) {
            batches.set(0);
            kills.incrementAndGet();
            throw new Killed();
          }
        };
    List<Pending<Long>> sent = send(100, -1);
    assertThat(performAll(sent)).isEqualTo(25);
    for (Pending<Long> each : sent) {
      assertThat(each.get(120, TimeUnit.SECONDS)).isEqualTo(1);
    }
    assertThat(database.rows("select count(*), count(distinct id) from item"))
        .containsExactly("100,100");
  }

  @Test
  void startsThatPerformNothingAreNotCounted() throws Exception {
    service.resume();
    for (int i = 0; i < 10; i++) {
      await().until(() -> service.state().phase() == Phase.RUNNING);
      service.stop();
      service.start();
    }
    await().until(() -> service.state().phase() == Phase.RUNNING);
    assertThat(database.rows("select attempts from forebay.outcome order by to_position desc"))
        .first()
        .isEqualTo("0");
    assertThat(send(1, -1).getFirst().get(120, TimeUnit.SECONDS)).isEqualTo(1);
  }

  @Test
  void stopsInOrderAreNotCounted() throws Exception {
    driver =
        sql -> {
          if (sql.equals(INSERT)) {
            throw new Refused("55P03"); // another session has the row
          }
        };
    Pending<Long> sent = send(1, -1).getFirst();
    service.resume();
    for (int i = 0; i < 10; i++) {
      await().until(() -> service.state().phase() == Phase.WAITING);
      service.stop();
      assertThat(database.rows("select attempts from forebay.outcome order by to_position desc"))
          .first()
          .isEqualTo("0");
      service.start();
    }
    driver = _ -> {};
    assertThat(sent.get(120, TimeUnit.SECONDS)).isEqualTo(1);
  }

  /** Whether another thread is here at the same time. */
  private static boolean meet(Exchanger<String> process) {
    try {
      process.exchange("", 300, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Finds it with statements that take effect. */
  private String keyOf(int partition) {
    int key = 0;
    while (client.partitionedBy("" + key).executeUpdate(INSERT, 0L).receipt().partition()
        != partition) {
      key++;
    }
    return "" + key;
  }

  /** A process ends for all of its partitions. */
  @Test
  void theMessagesOfOtherPartitionsDoNotFailWithTheOneThatEndsTheProcess() throws Exception {
    client.close();
    service.close();
    service = gateway("stores", 2);
    pause(service, "until all statements are there");
    service.start();
    client = service.createClient();
    Exchanger<String> process = new Exchanger<>();
    driver =
        sql -> {
          boolean poison = sql.equals(POISON);
          if (poison || sql.equals(SLOW)) {
            boolean both = meet(process);
            if (poison || both) {
              throw new Killed();
            }
          }
        };
    Pending<Long> slow = client.partitionedBy(keyOf(0)).executeUpdate(SLOW, 1L);
    Pending<Long> poison = client.partitionedBy(keyOf(1)).executeUpdate(POISON, 2L);
    performAll(List.of(slow, poison));
    assertThat(slow.get(120, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(failure(poison).kind()).isEqualTo(SqlFailure.Kind.POISON);
  }

  @Test
  void aGatewayThatStopsWhileItWaitsToPerformAloneHoldsUpNoOther() throws Exception {
    diesOfPoison();
    send(1, 0);
    service.resume();
    await().until(this::isFailed);
    service.stop();
    service.start();
    await().until(this::isFailed);
    service.stop();

    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    driver =
        sql -> {
          if (sql.equals(SLOW)) {
            begun.countDown();
            awaitUninterruptibly(ends);
          }
        };
    try (JDBCService other = gateway("stores", 1);
        StatementClient stores = other.createClient()) {
      other.start();
      Pending<Long> slow = stores.executeUpdate(SLOW, 1L);
      awaitUninterruptibly(begun);
      service.start();
      await().until(() -> service.state().reason().contains("messages may have ended the process"));
      service.stop();
      ends.countDown();
      assertThat(slow.get(120, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(stores.executeUpdate(INSERT, 2L).get(120, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(120, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anErrorOfTheDriverFailsTheStatementThatCausesItAndNoOther() throws Exception {
    driver =
        sql -> {
          if (sql.equals(POISON)) {
            throw new StackOverflowError();
          }
        };
    List<Pending<Long>> sent = send(100, 50);
    assertThat(performAll(sent)).isZero();
    onlyOneFails(sent, 50, SqlFailure.Kind.OTHER);
    assertThat(failure(sent.get(50)).message()).contains("java.lang.StackOverflowError");
  }
}
