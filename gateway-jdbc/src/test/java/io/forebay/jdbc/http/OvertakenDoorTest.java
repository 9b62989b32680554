/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.http.RunningDoor.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small out-queue deletes results before a slow door reads them. */
class OvertakenDoorTest {

  private static final int REQUESTS = 30;

  @TempDir Path directory;

  @Test
  void requestsWhoseResultsWereDeletedGetTheStoredOnesAndLaterRequestsTheirOwn() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(
        data,
        """
        statements:
          - name: orders.large
            sql: select repeat('x', 200000) as text from orders where id = 1
          - name: orders.insert
            sql: insert into orders (id, item) values (:id, 'tea')
            params: [{name: id, type: long}]
        """);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES));
    properties.add("forebay.gateways.main.accept-text=true");
    DoorLimits limits =
        new DoorLimits(
            Duration.ofSeconds(10), Duration.ofSeconds(60), 1_000, 10, 1 << 20, 64 << 20);
    CountDownLatch held = new CountDownLatch(1);
    try (RunningDoor door =
            RunningDoor.start(data, properties, limits, RunningDoor.SmallQueues.class);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      assertThat(insert(door, 1).body().get("count").asLong()).isEqualTo(1);
      StatementClient client = door.bean(StatementClient.class);
      holdReading(door, client, held);
      List<Future<Answer>> waiting = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        String key = "key-" + i;
        waiting.add(
            callers.submit(() ->
                door.post(
                    "web",
                    "/api/v1/statements/orders.large?wait=60s",
                    "{}",
                    "Idempotency-Key",
                    key)));
      }
      await().until(() -> client.outstanding() > REQUESTS);
      door.service().resume();
      await()
          .until(() -> door.service().position(0) == door.service().in().stats(0).end().orElse(-1));
      held.countDown();

      for (Future<Answer> answer : waiting) {
        assertThat(answer.get().status()).isEqualTo(200);
        assertThat(answer.get().body().get("rows").get(0).get(0).asString()).hasSize(200_000);
      }
      assertThat(insert(door, 2).body().get("count").asLong()).isEqualTo(1);
    } finally {
      held.countDown();
    }
  }

  private static Answer insert(RunningDoor door, int id) {
    return door.post("web", "/api/v1/statements/orders.insert?wait=60s", "{\"id\":" + id + "}");
  }

  /** Blocks the thread that reads results at the next result. */
  private static void holdReading(RunningDoor door, StatementClient client, CountDownLatch held) {
    pause(door.service(), "so that all wait when the first result comes");
    client
        .executeUpdate("insert into orders (id, item) values (10, 'tea')")
        .thenRun(() -> {
          try {
            held.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }
}
