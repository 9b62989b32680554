/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.database.TestPostgres;
import io.forebay.hosting.AnswerReceiver;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.hosting.ServiceQueues;
import io.forebay.operations.StartRefused;
import io.forebay.service.Service;
import io.forebay.spring.hosting.JdbcAnswerTransactions;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A receiver whose progress is stored in its own transactions gets each answer once. */
class AnswersOnceTest {

  private static final Duration SOON = Duration.ofSeconds(120);
  private static final int CALLS = 4_000;
  private static final int KILLS = 6;

  interface Numbers {
    void square(long number);
  }

  interface Squares {
    void squared(long square);
  }

  @TempDir Path directory;
  private final TestPostgres postgres = TestPostgres.shared();
  private final JdbcTemplate table = new JdbcTemplate(postgres.owner());

  @BeforeEach
  void createTables() {
    table.execute("create table received (square bigint not null)");
    table.execute(
        "create table forebay_received (queue varchar(300) not null, partition_number int not null,"
            + " position bigint not null, primary key (queue, partition_number))");
    table.execute("grant select, insert, update on received, forebay_received to forebay_gateway");
  }

  @AfterEach
  void close() {
    postgres.close();
  }

  /** A service on files, and a receiver that inserts each answer. */
  private static final class Shop implements AutoCloseable {

    private static final ServiceDefinition<Numbers, Squares> DEFINITION =
        ServiceDefinition.of(
            "numbers",
            Numbers.class,
            Squares.class,
            squares -> number -> squares.squared(number * number));

    private final HikariDataSource database = new HikariDataSource();
    private final ChronicleBackend backend;
    private final HostedService<Numbers, Squares> service;
    private final AnswerReceiver<Squares> receiver;

    Shop(Path data, String url, Squares first) {
      database.setJdbcUrl(url);
      database.setUsername("forebay_gateway");
      database.setPassword("trusted");
      JdbcTemplate jdbc = new JdbcTemplate(database);
      backend = ChronicleBackend.open(data);
      ServiceQueues queues = ServiceQueues.open(backend, "numbers", 1);
      service =
          new HostedService<>(
              new Service<>(
                  "numbers",
                  new Service.End<>(queues.in(), DEFINITION.calls()),
                  new Service.End<>(queues.out(), DEFINITION.answers()),
                  DEFINITION.factory(),
                  DEFINITION.options()));
      Squares inserts =
          square -> {
            jdbc.update("insert into received (square) values (?)", square);
            first.squared(square);
          };
      receiver =
          new AnswerReceiver<>(
              DEFINITION,
              queues.out(),
              data,
              List.of(inserts),
              new JdbcAnswerTransactions(database, new JdbcTransactionManager(database)));
      receiver.start();
      service.start();
    }

    void send(int calls) throws Exception {
      try (Writer<Numbers> writer = service.createWriter()) {
        for (long i = 1; i <= calls; i++) {
          writer.calls().square(i);
        }
        writer.await(SOON);
      }
    }

    @Override
    public void close() {
      receiver.close();
      service.close();
      backend.close();
      database.close();
    }
  }

  /** Receives until it is killed. */
  static final class Receiving {
    public static void main(String[] arguments) throws Exception {
      Shop shop = new Shop(Path.of(arguments[0]), arguments[1], _ -> {});
      shop.send(Integer.parseInt(arguments[2]));
      Thread.sleep(SOON.multipliedBy(2));
    }
  }

  private int received() {
    return table.queryForObject("select count(*) from received", Integer.class);
  }

  private void awaitEachOnce(int calls) {
    await().atMost(SOON).until(() -> received() >= calls);
    assertThat(table.queryForObject("select count(distinct square) from received", Integer.class))
        .isEqualTo(calls);
    assertThat(received()).isEqualTo(calls);
  }

  @Test
  void theChangesOfAReceiverTakeEffectOnceAfterAKill() {
    survive(1);
  }

  @Tag("proof")
  @Test
  void theChangesOfAReceiverTakeEffectOnceHoweverOftenItIsKilled() {
    survive(KILLS);
  }

  private void survive(int kills) {
    Random random = new Random(42);
    for (int life = 0; life < kills; life++) {
      int until = received() + random.nextInt(CALLS / KILLS);
      try (ChildProcess child =
          ChildProcess.start(
              Receiving.class, directory.resolve("d"), postgres.url(), life == 0 ? CALLS : 0)) {
        child.until(() -> received() > until);
        child.kill();
      }
    }
    try (Shop _ = new Shop(directory.resolve("d"), postgres.url(), _ -> {})) {
      awaitEachOnce(CALLS);
    }
  }

  @Test
  void anAnswerWhoseReceiverThrowsLeavesNothingAndADeadlockIsTriedAgain() throws Exception {
    int[] deadlocks = {0};
    Squares defective =
        square -> {
          if (square == 9) {
            throw new IllegalStateException("a defect");
          }
          if (square == 16 && deadlocks[0]++ == 0) {
            throw new PessimisticLockingFailureException("a deadlock");
          }
        };
    try (Shop shop = new Shop(directory.resolve("d"), postgres.url(), defective)) {
      shop.receiver.close(); // so that all answers are in its first transaction
      shop.send(5);
      await().atMost(SOON).until(() -> shop.service.position(0) == 5);
    }
    try (Shop _ = new Shop(directory.resolve("d"), postgres.url(), defective)) {
      await().atMost(SOON).until(() -> received() == 4);
      assertThat(table.queryForList("select square from received order by 1", Long.class))
          .containsExactly(1L, 4L, 16L, 25L);
      assertThat(deadlocks[0]).isEqualTo(2);
    }
  }

  @Test
  void aStartWithoutTheTableOfPositionsIsRefusedWithItsStatement() {
    JdbcAnswerTransactions transactions =
        new JdbcAnswerTransactions(postgres.owner(), new JdbcTransactionManager(postgres.owner()));
    transactions.mustBeUsable();
    table.execute("drop table forebay_received");
    assertThatThrownBy(transactions::mustBeUsable)
        .isInstanceOf(StartRefused.class)
        .hasMessageContainingAll("forebay_received", "does not exist", "create table");
  }

  @Test
  void answersWaitUntilTheTableOfPositionsIsThere() throws Exception {
    table.execute("alter table forebay_received rename to elsewhere");
    try (Shop shop = new Shop(directory.resolve("d"), postgres.url(), _ -> {})) {
      shop.send(5);
      await().during(Duration.ofMillis(500)).until(() -> received() == 0);
      table.execute("alter table elsewhere rename to forebay_received");
      awaitEachOnce(5);
    }
  }
}
