/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.service.ServiceState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that was restored from an older copy, as docs/operations.md has it. */
class DatabaseWentBackTest {

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
  void detectsADatabaseThatWentBackAndRepeatsLostStatementsOnCommand() throws Exception {
    shop.perform(0, 20);
    shop.closeDatabase();
    ShopOnDisk.copy(directory.resolve("database"), directory.resolve("backup"));
    shop.openDatabase();
    shop.perform(20, 30);
    shop.closeDatabase();
    ShopOnDisk.delete(directory.resolve("database"));
    ShopOnDisk.copy(directory.resolve("backup"), directory.resolve("database"));
    shop.openDatabase();
    assertThat(shop.effects()).isEqualTo(ShopOnDisk.numbers(0, 20));
    for (int start = 0; start < 2; start++) {
      shop.run(service ->
          ShopOnDisk.assertRefused(
              service,
              "the database returned to an older state",
              "performed up to 20",
              "result for position 29"));
    }

    Path passed = shop.queues().resolve("shop.in/consumers.properties");
    Files.move(passed, directory.resolve("passed"));
    shop.run(service ->
        ShopOnDisk.assertRefused(
            service, "the database returned to an older state", "result for position 29"));
    Files.move(directory.resolve("passed"), passed, StandardCopyOption.REPLACE_EXISTING);

    Files.move(shop.queues().resolve("shop.out"), directory.resolve("shop.out"));
    shop.run(service ->
        ShopOnDisk.assertRefused(
            service,
            "the database returned to an older state",
            "performed up to 20",
            "before position 30"));
    Files.delete(passed);
    shop.perform(30, 35);
    assertThat(shop.effects()).isEqualTo(ShopOnDisk.numbers(0, 35));
  }

  @Test
  void detectsALaggingStandbyThatTakesOverWhileItRuns() throws Exception {
    shop.run(service -> {
      ShopOnDisk.send(service, 0, 20);
      shop.awaitEffects(20);
      shop.continueAt(10);
      ShopOnDisk.send(service, 20, 21);
      await()
          .atMost(ShopOnDisk.SOON)
          .until(() -> service.state().phase() == ServiceState.Phase.FAILED);
      ShopOnDisk.assertRefused(
          service, "the database returned to an older state (its progress is 10, it was 20)");
    });
  }

  @Test
  void detectsALaggingStandbyThatKnowsOnlyAnEarlierOwner() throws Exception {
    shop.run(service -> {
      ShopOnDisk.send(service, 0, 20);
      shop.awaitEffects(20);
      shop.continueAt(10);
      shop.execute("update forebay.progress set epoch = epoch - 1");
      ShopOnDisk.send(service, 20, 21);
      await()
          .atMost(ShopOnDisk.SOON)
          .until(() -> service.state().phase() == ServiceState.Phase.FAILED);
      ShopOnDisk.assertRefused(service, "the database returned to an older state");
    });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update forebay.outcome set to_position = to_position + 1000",
        "delete from forebay.outcome",
        "delete from forebay.progress"
      })
  void performsNothingBehindAProgressThatWasChangedByHand(String change) {
    shop.run(service -> {
      ShopOnDisk.send(service, 0, 20);
      shop.awaitEffects(20);
      pause(service, "so that nothing is stored meanwhile");
      shop.execute(change);
      ShopOnDisk.send(service, 20, 21);
      service.resume();
      await()
          .atMost(ShopOnDisk.SOON)
          .until(() -> service.state().phase() == ServiceState.Phase.FAILED);
      ShopOnDisk.assertRefused(service, "changed by hand");
    });
    assertThat(shop.effects()).isEqualTo(ShopOnDisk.numbers(0, 20));
  }

  @Test
  void startsNotWithoutTheProgressOfItsQueue() {
    shop.perform(0, 20);
    shop.execute("delete from forebay.outcome");
    shop.run(service -> ShopOnDisk.assertRefused(service, "is missing", "changed by hand"));
  }
}
