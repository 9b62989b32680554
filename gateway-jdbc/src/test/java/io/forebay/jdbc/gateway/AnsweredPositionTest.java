/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.jdbc.Results;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An out-queue that has nothing any more, as after retention while a gateway had nothing to do. */
class AnsweredPositionTest {

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

  /** It has no batch behind it that would have kept it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsAnsweredASecondTimeWhenTheOutQueueIsEmptied(boolean drains) throws Exception {
    shop.run(service -> {
      ShopOnDisk.send(service, 0, 20);
      if (drains) {
        assertThat(ShopOnDisk.drained(service)).isTrue();
      } else {
        awaitAnswered(20);
      }
    });
    assertThat(shop.database().rows("select to_position from forebay.outcome"))
        .as("without the outcomes that are no longer needed")
        .containsExactly("20");
    ShopOnDisk.delete(shop.queues().resolve("shop.out"));
    Files.delete(shop.queues().resolve("shop.in/consumers.properties"));
    shop.run(service -> {
      ShopOnDisk.send(service, 20, 21);
      await().atMost(ShopOnDisk.SOON).until(() -> service.position(0) == 21);
      assertThat(sources(service)).containsExactly(20L);
    });
  }

  @Test
  void whatWasCommittedAndNotAnsweredIsAnsweredAlthoughTheOutQueueIsEmpty() throws Exception {
    shop.run(service -> {
      ShopOnDisk.send(service, 0, 10);
      shop.awaitEffects(10);
      awaitAnswered(10);
      ShopOnDisk.send(service, 10, 20);
      shop.awaitEffects(20);
    });
    // as if it had died between the commit and the answers
    ShopOnDisk.delete(shop.queues().resolve("shop.out"));
    shop.execute(
        "update forebay.outcome set answered_position = from_position where to_position = 20");
    long from = Long.parseLong(answered());
    Files.deleteIfExists(
        shop.queues().resolve("shop.in/consumers.properties")); // it had not passed them either
    shop.run(service -> {
      ShopOnDisk.send(service, 20, 21);
      await().atMost(ShopOnDisk.SOON).until(() -> service.position(0) == 21);
      assertThat(sources(service)).isEqualTo(ShopOnDisk.numbers(from, 21));
    });
  }

  @Test
  void runsOfResultsKeepTheirPositionsWhenTheyAreWrittenAgain() throws Exception {
    shop.results(Results.RUNS);
    List<Long> before = new ArrayList<>();
    shop.run(service -> {
      for (int first = 0; first < 15; first += 5) {
        ShopOnDisk.send(service, first, first + 5);
        shop.awaitEffects(first + 5);
      }
      awaitAnswered(15);
      before.addAll(sources(service));
    });
    assertThat(before).as("the first of each run").hasSizeGreaterThan(2);
    // as if the loss of power had taken all that was not forced
    ShopOnDisk.delete(shop.queues().resolve("shop.out"));
    shop.execute("update forebay.outcome set answered_position = 0");
    Files.deleteIfExists(shop.queues().resolve("shop.in/consumers.properties"));
    shop.run(service -> {
      ShopOnDisk.send(service, 15, 16);
      await().atMost(ShopOnDisk.SOON).until(() -> service.position(0) == 16);
      List<Long> again = sources(service);
      List<Long> expected =
          new ArrayList<>(before.subList(before.indexOf(again.getFirst()), before.size()));
      expected.add(15L);
      assertThat(again).isEqualTo(expected);
    });
  }

  @Test
  void aDrainedQueueThatComesBackWithoutItsResultsPerformsNothingTwice() throws Exception {
    shop.run(service -> {
      ShopOnDisk.send(service, 0, 20);
      assertThat(ShopOnDisk.drained(service)).isTrue();
    });
    shop.run(
        MemoryBackend.open(),
        service -> {
          ShopOnDisk.send(service, 20, 25);
          shop.awaitEffects(25);
        });
    ShopOnDisk.delete(shop.queues().resolve("shop.out"));
    // a topic remembers nothing either
    Files.delete(shop.queues().resolve("shop.in/consumers.properties"));
    shop.perform(25, 30);
    assertThat(shop.effects()).isEqualTo(ShopOnDisk.numbers(0, 30));
  }

  private void awaitAnswered(long position) {
    await().atMost(ShopOnDisk.SOON).until(() -> Long.toString(position).equals(answered()));
  }

  private String answered() throws SQLException {
    return shop.database()
        .rows("select answered_position from forebay.outcome order by to_position desc")
        .getFirst();
  }

  private static List<Long> sources(JDBCService service) {
    List<Long> sources = new ArrayList<>();
    try (Tailer tailer = service.out().tailer(0)) {
      tailer.poll(
          1_000,
          (position, message) ->
              sources.add(Message.peek("shop.out", 0, position, message).source().orElseThrow()));
    }
    return sources;
  }
}
