/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static io.forebay.jdbc.gateway.ShopOnDisk.assertRefused;
import static io.forebay.jdbc.gateway.ShopOnDisk.numbers;
import static io.forebay.jdbc.gateway.ShopOnDisk.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.Protocol;
import io.forebay.database.Migrations;
import io.forebay.database.TestDatabase;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.SqlFailed;
import io.forebay.operations.SetAside;
import io.forebay.queue.Level;
import io.forebay.queue.MissingMessages;
import io.forebay.service.ServiceState;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the queue that are older than the database, or belong to another one. */
class QueueWentBackTest {

  @TempDir Path directory;
  private ShopOnDisk shop;

  @BeforeEach
  void open() throws SQLException {
    shop = new ShopOnDisk(directory);
  }

  @AfterEach
  void close() throws SQLException {
    shop.close();
  }

  @Test
  void refusesStatementsWhenItsFilesAreOlderThanTheDatabaseAndLosesNothing() throws Exception {
    shop.perform(0, 20);
    copyTo("older");
    shop.perform(20, 30);
    copyTo("newest");
    restore("older");
    for (int start = 0; start < 2; start++) {
      shop.run(service -> assertRefused(service, "ends at 20", "performed 30"));
    }
    assertThat(shop.effects()).isEqualTo(numbers(0, 30));
    restore("newest");
    shop.perform(30, 40);
    assertThat(shop.effects()).isEqualTo(numbers(0, 40));
  }

  @Test
  void whatWasAcceptedWhileTheDatabaseWasAwayIsHeldAndPerformedOnceAtACommand() throws Exception {
    shop.perform(0, 20);
    copyTo("older");
    shop.perform(20, 30);
    restore("older");
    shop.away(true);
    shop.run(service -> send(service, 100, 105)); // at positions that count as performed
    shop.run(service -> {
      send(service, 105, 120); // and some behind
      shop.away(false);
      awaitFailed(service);
      assertRefused(service, "20 messages accepted since then", "from position 20", "performed 30");
    });
    assertThat(shop.effects()).isEqualTo(numbers(0, 30));
    shop.run(service -> assertRefused(service, "from position 20", "performed 30"));

    setAside(new MissingMessages(20, 29));
    shop.run(service -> {
      send(service, 200, 210);
      shop.awaitEffects(60);
    });
    assertThat(shop.effects())
        .containsExactlyElementsOf(
            Stream.of(numbers(0, 30), numbers(100, 120), numbers(200, 210))
                .flatMap(List::stream)
                .toList());
  }

  /** A service that answers nothing sends messages without statements. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void refusesAQueueThatHasOtherMessagesWhereTheDatabasePerformed(boolean statements)
      throws Exception {
    shop.perform(0, 20);
    copyTo("older");
    if (statements) {
      shop.perform(20, 30);
    } else {
      shop.run(service -> {
        sendWithoutStatements(service, 10);
        await().atMost(ShopOnDisk.SOON).until(() -> service.position(0) == 30);
      });
    }
    restore("older");
    String queue = shop.database().rows("select queue_id from forebay.progress").getFirst();
    try (TestDatabase other = TestDatabase.hsqldb(directory.resolve("other"))) {
      TestDatabase own = shop.use(other);
      Migrations.run(other.owner(), "FOREBAY_GATEWAY");
      shop.execute(
          ("insert into forebay.progress (service, partition_id, queue_id, epoch,"
                  + " owner, drained) values ('shop', 0, '%s', 1, 'test', false)")
              .formatted(queue));
      shop.continueAt(20);
      shop.run(service -> {
        pause(service, "so that they wait there");
        send(service, 120, 140);
      });
      shop.use(own);
    }
    shop.run(service -> assertRefused(service, "position 29", "is not the one"));
    assertThat(shop.effects()).isEqualTo(numbers(0, statements ? 30 : 20));
  }

  @Test
  void refusesADataDirectoryThatBelongsToAnotherDatabase() throws Exception {
    shop.perform(0, 20);
    ShopOnDisk.delete(shop.data());
    shop.run(service -> assertRefused(service, "has performed queue", "was started with queue"));
    assertThat(shop.effects()).isEqualTo(numbers(0, 20));
  }

  @Test
  void refusesAnotherQueueIfAPartitionThatOnlyTheFormerOneHadIsNotDrained() throws Exception {
    shop.run(service -> {
      send(service, 0, 20);
      assertThat(ShopOnDisk.drained(service)).isTrue();
    });
    shop.execute(
        "insert into forebay.progress (service, partition_id, queue_id, epoch, owner, drained)"
            + " select service, 1, queue_id, epoch, owner, false from forebay.progress");
    shop.execute(
        "insert into forebay.outcome (service, partition_id, queue_id, to_position)"
            + " select service, partition_id, queue_id, 7 from forebay.progress"
            + " where partition_id = 1");
    ShopOnDisk.delete(shop.data());
    shop.run(service ->
        assertRefused(service, "partition 1 of service shop has performed queue", "up to 7"));
  }

  @Test
  void atLevelProcessItGoesOnBehindWhatTheHostLostUnlessSomethingWasAcceptedMeanwhile()
      throws Exception {
    shop.level(Level.PROCESS);
    shop.perform(0, 20);
    copyTo("older");
    shop.perform(20, 30);
    restore("older");
    shop.perform(30, 40);
    assertThat(shop.effects()).isEqualTo(numbers(0, 40));

    restore("older");
    shop.away(true);
    shop.run(service -> {
      send(service, 100, 105);
      shop.away(false);
      awaitFailed(service);
      assertRefused(service, "from position 20", "performed 40");
    });
    assertThat(shop.effects()).isEqualTo(numbers(0, 40));
  }

  /** The operator decides to continue with the older files. */
  @Test
  void noPositionIsUsedTwiceByAQueueThatReturned() throws Exception {
    shop.perform(0, 20);
    copyTo("older");
    shop.perform(20, 29);
    shop.run(service -> fail(service, 1)); // at position 29
    for (int position = 29; position < 32; position++) {
      restore("older");
      long next = position + 1;
      shop.run(service -> assertRefused(service, "ends at 20", "performed " + next));
      setAside(new MissingMessages(20, position));
      shop.run(service -> fail(service, 1));
    }
    assertThat(shop.database().rows("select position from forebay.failed_message order by 1"))
        .containsExactly("29", "30", "31", "32");
    shop.run(service -> {
      send(service, 100, 110);
      shop.awaitEffects(39);
    });
  }

  private static void sendWithoutStatements(JDBCService service, int count) {
    try (Output<JDBCStatement> output = Protocol.of(JDBCStatement.class).output(service.in(), 0)) {
      for (int source = 0; source < count; source++) {
        output.empty(Message.of(0, source, UUID.randomUUID(), Instant.EPOCH));
      }
      output.publish();
    }
  }

  /** Has a statement fail, and waits for its result. */
  private static void fail(JDBCService service, long number) {
    try (StatementClient client = service.createClient()) {
      assertThatThrownBy(() ->
              client
                  .executeUpdate("insert into no_item values (?)", number)
                  .get(ShopOnDisk.SOON.toSeconds(), TimeUnit.SECONDS))
          .hasCauseInstanceOf(SqlFailed.class);
    }
  }

  /** As docs/operations.md says, "A queue returned to an older state". */
  private void setAside(MissingMessages missing) {
    shop.run(service -> {
      awaitFailed(service);
      assertThat(service.setAside(0)).containsExactly(new SetAside("shop.in", List.of(missing)));
    });
  }

  private static void awaitFailed(JDBCService service) {
    await()
        .atMost(ShopOnDisk.SOON)
        .until(() -> service.state().phase() == ServiceState.Phase.FAILED);
  }

  private void copyTo(String copy) throws IOException {
    ShopOnDisk.copy(shop.data(), directory.resolve(copy));
  }

  private void restore(String copy) throws IOException {
    ShopOnDisk.delete(shop.data());
    ShopOnDisk.copy(directory.resolve(copy), shop.data());
  }
}
