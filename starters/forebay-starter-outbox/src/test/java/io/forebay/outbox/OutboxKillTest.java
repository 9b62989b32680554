/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.outbox.OutboxShop.Billing;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Each committed order has one bill, no other order has one, and the bills of a customer have the
 * order of the purchases, whatever is killed.
 */
class OutboxKillTest {

  /** How often each side is killed. */
  private static final int KILLS = Integer.getInteger("forebay.test.outbox.kills", 1);

  private static final List<String> CRASH_POINTS =
      List.of("outbox.accepted:9", "outbox.deleted:9", "outbox.accepted", "outbox.deleted");
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final String OWNER =
      "pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and classid::int = ?"
          + " and datname = current_database()";

  @TempDir Path data;

  private final Random random = new Random();
  private final Map<String, ChildProcess> processes = new HashMap<>();
  private int started;

  /**
   * Places orders on several threads, and prints how many. Its relay waits after the next read if
   * it gets the line {@code hold}, prints {@code holds}, and continues at the line {@code go}.
   */
  static final class Placing {

    private static final AtomicReference<CountDownLatch> held = new AtomicReference<>();

    public static void main(String[] arguments) throws Exception {
      OutboxShop shop =
          new OutboxShop(
              Billing.valueOf(arguments[0]),
              arguments[1],
              arguments[2],
              arguments[3],
              Placing::read);
      for (int i = 0; i < 3; i++) {
        Thread.ofPlatform().start(() -> placeAgain(shop));
      }
      for (Scanner input = new Scanner(System.in); ; ) {
        if (input.nextLine().equals("hold")) {
          held.set(new CountDownLatch(1));
        } else {
          held.getAndSet(null).countDown();
        }
      }
    }

    private static void read() {
      CountDownLatch until = held.get();
      if (until != null) {
        System.out.println("holds");
        try {
          until.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    private static void placeAgain(OutboxShop shop) {
      while (true) {
        try {
          shop.placeOrders();
        } catch (RuntimeException _) {
          // the database was killed
        }
      }
    }
  }

  @AfterEach
  void end() {
    processes.values().forEach(ChildProcess::close);
  }

  @ParameterizedTest
  @EnumSource
  void aKilledApplicationLosesAndDoublesNothing(Billing billing) throws Exception {
    String queues = data.resolve("queues").toString();
    try (TestPostgres postgres = TestPostgres.shared()) {
      OutboxShop.createTables(postgres);
      for (int kill = 0; kill < KILLS; kill++) {
        start(billing, postgres, queues, crashPoint(kill)).awaitEnd();
        kill(placing(start(billing, postgres, queues)));
      }
      assertEachOrderHasOneBill(billing, postgres, queues);
    }
  }

  private static String crashPoint(int kill) {
    return "-Dforebay.crash-point=" + CRASH_POINTS.get(kill % CRASH_POINTS.size());
  }

  @Test
  void aKilledDatabaseLosesAndDoublesNothing() throws Exception {
    String queues = data.resolve("queues").toString();
    try (TestPostgres postgres = TestPostgres.start()) {
      OutboxShop.createTables(postgres);
      ChildProcess application = placing(start(Billing.GATEWAY, postgres, queues));
      for (int kill = 0; kill < KILLS; kill++) {
        pause(application, 1_500);
        postgres.kill();
        postgres.restart();
      }
      kill(application);
      assertEachOrderHasOneBill(Billing.GATEWAY, postgres, queues);
    }
  }

  /** Each of the two sends; the one that owns the table also hands over. */
  @ParameterizedTest
  @EnumSource
  void aKilledProcessOfTwoLosesAndDoublesNothing(Billing billing) throws Exception {
    String queues = "kafka:" + TestBroker.shared();
    try (TestPostgres postgres = TestPostgres.shared()) {
      OutboxShop.createTables(postgres);
      start(billing, postgres, queues);
      for (int kill = 0; kill < KILLS; kill++) {
        ChildProcess owner = placing(owner(postgres));
        kill(placing(start(billing, postgres, queues)));
        placing(start(billing, postgres, queues));
        if (kill % 2 == 0) {
          takeOverWhileItAppends(owner, postgres);
        }
        kill(owner);
        ChildProcess next = placing(start(billing, postgres, queues, crashPoint(kill)));
        kill(owner(postgres));
        next.awaitEnd();
        start(billing, postgres, queues);
      }
      kill(owner(postgres));
      assertEachOrderHasOneBill(billing, postgres, queues);
    }
  }

  /** It has read rows when its session ends, and appends them when another process is the owner. */
  private void takeOverWhileItAppends(ChildProcess owner, TestPostgres postgres) {
    owner.ask("hold", "holds"::equals);
    new JdbcTemplate(postgres.superuser())
        .queryForList("select pg_terminate_backend(pid) from " + OWNER, OutboxSession.LOCK);
    assertThat(owner(postgres)).isNotSameAs(owner);
    pause(owner, 100);
    owner.send("go");
  }

  /** The process whose relay hands over. */
  private ChildProcess owner(TestPostgres postgres) {
    return await()
        .atMost(SOON)
        .until(
            () ->
                new JdbcTemplate(postgres.superuser())
                        .queryForList(
                            "select application_name from " + OWNER,
                            String.class,
                            OutboxSession.LOCK)
                        .stream()
                        .findFirst()
                        .map(processes::get)
                        .orElse(null),
            Objects::nonNull);
  }

  private ChildProcess start(
      Billing billing, TestPostgres postgres, String queues, String... options) {
    String name = "application-" + started++;
    ChildProcess process =
        ChildProcess.start(
            ChildProcess.java(
                ChildProcess.options(options),
                Placing.class,
                billing,
                postgres.url(),
                queues,
                name));
    processes.put(name, process);
    return process;
  }

  private static ChildProcess placing(ChildProcess process) {
    process.await("placed 20");
    return process;
  }

  private void pause(ChildProcess process, int mostMillis) {
    assertThat(process.endsWithin(Duration.ofMillis(random.nextInt(mostMillis)))).isFalse();
  }

  private void kill(ChildProcess process) {
    pause(process, 500);
    process.kill();
  }

  private static void assertEachOrderHasOneBill(
      Billing billing, TestPostgres postgres, String queues) throws Exception {
    try (OutboxShop shop = new OutboxShop(billing, postgres.url(), queues, "last", () -> {})) {
      await().atMost(SOON).until(shop::isHandedOver);
      assertThat(shop.drain(SOON)).isTrue();
    }
    JdbcTemplate jdbc = new JdbcTemplate(postgres.owner());
    List<Long> purchases = jdbc.queryForList("select id from purchase order by id", Long.class);
    assertThat(purchases).hasSizeGreaterThan(20);
    assertThat(jdbc.queryForList("select purchase from bill order by purchase", Long.class))
        .isEqualTo(purchases);
    assertThat(
            jdbc.queryForList(
                "select purchase from (select purchase, lag(purchase) over (partition by customer"
                    + " order by number) as earlier from bill) bill where purchase < earlier",
                Long.class))
        .as("after a later purchase of the same customer")
        .isEmpty();
  }
}
