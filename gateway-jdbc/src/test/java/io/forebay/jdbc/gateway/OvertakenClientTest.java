/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.queue.memory.MemoryBackend;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A client that reads results more slowly than a small out-queue keeps them. */
class OvertakenClientTest extends GatewayFixture {

  private static final String INSERT = "insert into item (id) values (?)";
  private static final String LARGE = "select repeat('x', 200000) as text from item where id = 1";

  OvertakenClientTest() {
    super(MemoryBackend.open(2 << 20, InstantSource.system()));
  }

  @Override
  void createTables() throws SQLException {
    database.createTable("item", "id bigint");
  }

  @Test
  void resultsDeletedBeforeTheyAreReadFailTheirFuturesAndLaterOnesComplete() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    pause(service, "so that the client is held by the first result");
    Pending<Long> first = client.executeUpdate(INSERT, 1L);
    first.thenRun(() -> awaitUninterruptibly(held));
    List<Pending<Rows>> queries = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      queries.add(client.executeQuery(LARGE, Row.class));
    }
    service.resume();
    long last = queries.getLast().receipt().position();
    await().until(() -> service.position(0) > last);
    held.countDown();

    assertThat(first.get(120, TimeUnit.SECONDS)).isEqualTo(1);
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> queries.getFirst().get(120, TimeUnit.SECONDS))
        .havingCause()
        .isInstanceOf(ResultMissed.class)
        .withMessageContaining("was deleted before this client read it")
        .withMessageContaining("the statement was performed");
    assertThat(queries.getLast().get(120, TimeUnit.SECONDS).size()).isEqualTo(1);
    assertThat(client.executeUpdate(INSERT, 2L).get(120, TimeUnit.SECONDS)).isEqualTo(1);
    await().untilAsserted(() -> assertThat(client.outstanding()).isZero());
    assertThat(queries).allMatch(Pending::isDone);
  }

  @Test
  void aResultIsLookedForWhileOthersAreDeleted() throws Exception {
    client.executeUpdate(INSERT, 1L).get(120, TimeUnit.SECONDS);
    Receipt first = null;
    for (int round = 0; round < 5; round++) {
      List<Pending<Rows>> queries = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        queries.add(client.executeQuery(LARGE, Row.class));
      }
      Receipt receipt = queries.getFirst().receipt();
      first = first == null ? receipt : first;
      while (service.position(0) <= queries.getLast().receipt().position()) {
        assertThat(client.result(receipt, new ResultLog(new ArrayList<>(), null)))
            .isIn(true, false);
      }
    }
    assertThat(client.result(first, new ResultLog(new ArrayList<>(), null))).isFalse();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
