/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestDatabase;
import io.forebay.database.TestPostgres;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import java.sql.SQLException;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an instance knows of the partitions that others perform. */
class ProgressRowsTest {

  private static final String SESSIONS =
      " from pg_stat_activity where usename = 'forebay_gateway' and datname = current_database()";

  private final TestDatabase database = TestDatabase.postgresql();
  private final GatewayDatabase prepared =
      new GatewayDatabase(database.gateway(), database.owner(), () -> Level.MEMORY);
  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue in = backend.open("shop.in", 3);
  private final ProgressRows rows = new ProgressRows("shop", prepared, in);

  @AfterEach
  void close() throws SQLException {
    rows.close();
    backend.close();
    database.close();
  }

  private void performed(int partition, String queue, long next, long answered) {
    prepared.prepare();
    TestPostgres.execute(
        database.owner(),
        "insert into forebay.progress (service, partition_id, queue_id, epoch, owner, drained)"
            + " values ('shop', %d, '%s', 1, 'another', false) on conflict do nothing"
                .formatted(partition, queue),
        "insert into forebay.outcome (service, partition_id, queue_id, to_position,"
            + " answered_position) values ('shop', %d, '%s', %d, %d)"
                .formatted(partition, queue, next, answered));
  }

  private void awaitNext(long position) {
    await().until(() -> rows.next(0, OptionalLong.empty()).equals(OptionalLong.of(position)));
  }

  @Test
  void knowsTheProgressOfItsQueueAndIgnoresThatOfAnother() {
    performed(0, in.identity(), 7, 5);
    performed(1, "another", 9, 9);
    awaitNext(7);
    assertThat(rows.answered(0)).isEqualTo(5);
    assertThat(rows.next(1, OptionalLong.of(0))).isEmpty();
    assertThat(rows.answered(1)).isZero();
    assertThat(rows.next(2, OptionalLong.of(4))).as("nobody has performed it").hasValue(4);
    assertThat(rows.answered(2)).isZero();
  }

  @Test
  void readsAgainWithAnotherSessionAndEndsWithItsThread() throws Exception {
    assertThat(rows.next(0, OptionalLong.of(0))).as("not read yet").isEmpty();
    await("which also prepares the database").until(prepared::isReady);
    performed(0, in.identity(), 7, 5);
    awaitNext(7);
    TestPostgres.execute(
        database.gateway(),
        "select pg_terminate_backend(pid)" + SESSIONS + " and pid <> pg_backend_pid()");
    performed(0, in.identity(), 8, 5);
    awaitNext(8);
    rows.close();
    await().until(() -> database.rows("select pid" + SESSIONS).isEmpty());
    await()
        .until(() ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(it -> it.getName().equals("forebay-progress-shop")));
  }
}
