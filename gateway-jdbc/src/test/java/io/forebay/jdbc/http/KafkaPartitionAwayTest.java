/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TwoBrokers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway on two brokers with a partition each, without replicas; one of them is killed. */
@Tag("proof")
class KafkaPartitionAwayTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;
  private final TestPostgres postgres = TestPostgres.shared();
  private int id;

  @Test
  void statementsOfTheOtherPartitionsAreAcknowledgedAndAnsweredMeanwhile() throws Exception {
    postgres.createTable("create table orders (id bigint primary key, item varchar(200) not null)");
    RunningDoor.catalogue(
        directory.resolve("door"),
        """
        statements:
          - name: orders.insert
            sql: insert into orders (id, item) values (:id, :item)
            key: item
            params:
              - {name: id, type: long}
              - {name: item, type: text}
        """);
    List<String> properties = new ArrayList<>(PostgresDoorTest.properties(postgres));
    properties.add("forebay.backend=kafka");
    properties.add("forebay.gateways.main.partitions=2");
    try (TwoBrokers brokers =
        TwoBrokers.start(directory, List.of("forebay.main.in", "forebay.main.out"))) {
      properties.add("forebay.kafka.properties.bootstrap.servers=" + brokers.bootstrap());
      performsBeside(brokers.other(), properties);
    } finally {
      postgres.close();
    }
  }

  private void performsBeside(BrokerProcess other, List<String> properties) throws Exception {
    try (RunningDoor door = RunningDoor.start(directory.resolve("door"), properties)) {
      await().atMost(PATIENCE).until(() -> door.service().view().accepts());
      String healthy = itemOf(door, 0);
      String away = itemOf(door, 1);
      other.kill();
      CompletableFuture<Answer> waiting =
          CompletableFuture.supplyAsync(
              () -> insert(door, away, "?wait=30s"), Thread::startVirtualThread);
      long until = System.nanoTime() + Duration.ofSeconds(12).toNanos();
      Duration longest = Duration.ZERO;
      while (System.nanoTime() < until) {
        long begin = System.nanoTime();
        Answer answer = insert(door, healthy, "");
        longest = max(longest, Duration.ofNanos(System.nanoTime() - begin));
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        Answer result = door.get("web", answer.header("Location") + "&wait=5s");
        assertThat(result.body().path("state").asString()).as(result.text()).isEqualTo("done");
      }
      System.out.printf("acknowledged within %d ms%n", longest.toMillis());
      assertThat(longest).isLessThan(Duration.ofSeconds(1));
      Answer refused = insert(door, away, "");
      assertThat(refused.problem()).as(refused.text()).isEqualTo("queue-unavailable");

      other.restart();
      await().atMost(PATIENCE).until(() -> insert(door, away, "?wait=5s").status() == 200);
      assertThat(waiting.get(60, TimeUnit.SECONDS).status()).isIn(200, 202, 503);
    }
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /** An item whose statements go to a partition. */
  private String itemOf(RunningDoor door, int partition) {
    for (int i = 0; i < 100; i++) {
      Answer answer = insert(door, "item-" + i, "?wait=30s");
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      if (answer.header("Location").contains("partition=" + partition)) {
        return "item-" + i;
      }
    }
    throw new AssertionError("no item of partition " + partition);
  }

  private Answer insert(RunningDoor door, String item, String query) {
    int own;
    synchronized (this) {
      own = ++id;
    }
    return door.post(
        "web",
        "/api/v1/statements/orders.insert" + query,
        "{\"id\":%d,\"item\":\"%s\"}".formatted(own, item));
  }
}
