/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** Each committed order has one bill, and no other order has one, whatever is killed. */
class OutboxKillTest {

  private static final int KILLS = 20;
  private static final List<String> CRASH_POINTS =
      List.of("outbox.accepted:9", "outbox.accepted", "outbox.deleted:9", "outbox.deleted");

  @TempDir Path data;

  private final Random random = new Random();

  /** Places orders on several threads, and prints how many. */
  static final class Placing {
    public static void main(String[] arguments) throws Exception {
      OutboxShop shop = new OutboxShop(arguments[0], Path.of(arguments[1]));
      for (int i = 0; i < 3; i++) {
        Thread.ofPlatform().start(() -> placeAgain(shop));
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

  @Test
  void aKilledApplicationLosesAndDoublesNothing() throws Exception {
    killApplications(3);
  }

  @Tag("proof")
  @Test
  void killedApplicationsLoseAndDoubleNothing() throws Exception {
    killApplications(KILLS);
  }

  private void killApplications(int kills) throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      OutboxShop.createTables(postgres);
      for (int kill = 0; kill < kills; kill++) {
        if (kill % 2 == 0) {
          String crashPoint = CRASH_POINTS.get(kill / 2 % CRASH_POINTS.size());
          try (ChildProcess child = start(postgres, "-Dforebay.crash-point=" + crashPoint)) {
            child.awaitEnd();
          }
        } else {
          try (ChildProcess child = start(postgres)) {
            child.await("placed 20");
            assertThat(child.endsWithin(Duration.ofMillis(random.nextInt(1_000)))).isFalse();
            child.kill();
          }
        }
      }
      assertEachOrderHasOneBill(postgres);
    }
  }

  @Test
  void aKilledDatabaseLosesAndDoublesNothing() throws Exception {
    killDatabases(2);
  }

  @Tag("proof")
  @Test
  void killedDatabasesLoseAndDoubleNothing() throws Exception {
    killDatabases(KILLS);
  }

  private void killDatabases(int kills) throws Exception {
    try (TestPostgres postgres = TestPostgres.start()) {
      OutboxShop.createTables(postgres);
      try (ChildProcess child = start(postgres)) {
        child.await("placed 20");
        for (int kill = 0; kill < kills; kill++) {
          assertThat(child.endsWithin(Duration.ofMillis(200 + random.nextInt(1_500)))).isFalse();
          postgres.kill();
          postgres.restart();
        }
        assertThat(child.endsWithin(Duration.ofSeconds(1))).isFalse();
        child.kill();
      }
      assertEachOrderHasOneBill(postgres);
    }
  }

  private ChildProcess start(TestPostgres postgres, String... options) {
    return ChildProcess.start(
        ChildProcess.java(
            ChildProcess.options(options), Placing.class, postgres.url(), data.resolve("queues")));
  }

  private void assertEachOrderHasOneBill(TestPostgres postgres) throws Exception {
    try (OutboxShop shop = new OutboxShop(postgres.url(), data.resolve("queues"))) {
      await().atMost(Duration.ofMinutes(2)).until(shop::isDone);
    }
    JdbcTemplate jdbc = new JdbcTemplate(postgres.owner());
    List<Long> orders = jdbc.queryForList("select id from orders order by id", Long.class);
    assertThat(orders).hasSizeGreaterThan(20);
    assertThat(jdbc.queryForList("select id from bill order by id", Long.class)).isEqualTo(orders);
  }
}
