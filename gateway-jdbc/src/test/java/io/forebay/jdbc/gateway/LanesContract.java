/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.lane.Lane;
import io.forebay.jdbc.lane.Shares;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A gateway with a lane. */
abstract class LanesContract extends GatewayFixture {

  private static final int KEYS = 200;

  /** Takes effect only after the update with the previous number. */
  private static final String NEXT = "update item set price = ? where id = ? and price = ?";

  private Shares shares = new Shares();
  private ChronicleBackend disk;
  private JDBCService lane;
  private StatementClient bulk;

  @Override
  @BeforeEach
  void start() throws SQLException {
    disk =
        ChronicleBackend.open(
            directory.resolve("queues"),
            ChronicleBackend.Options.defaults().withMinFree(1 << 20, 0.001));
    super.start();
    startLane();
  }

  private void startLane() {
    lane =
        builder("shop-bulk").lane(new Lane("shop", "bulk", Set.of())).share(shares.add(3)).build();
    lane.start();
    bulk = lane.createClient();
  }

  @Override
  JDBCService.Builder builder() {
    return super.builder().share(shares.add(1));
  }

  @Override
  JDBCService.Builder builder(String name) {
    return super.builder(name).queues(disk, 1);
  }

  @Override
  @AfterEach
  void stop() throws SQLException {
    stopLane();
    super.stop();
    disk.close();
  }

  private void stopLane() {
    bulk.close();
    lane.close();
  }

  @Test
  void aKeyTakesEffectOnceInWhicheverLanesItIsSent() throws Exception {
    List<Pending<Long>> all = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      for (StatementClient each : List.of(client, bulk)) {
        all.add(each.keyed("web", "key-" + key).executeUpdate(INSERT, key, "tea", 1.5));
      }
    }
    for (Pending<Long> each : all) {
      assertThat(get(each)).isOne();
    }
    assertThat(rows()).isEqualTo(KEYS);
  }

  @Test
  void aKeyThatWasUsedInAnotherLaneIsRefusedForAnotherRequest() throws Exception {
    get(client.keyed("web", "key").executeUpdate(INSERT, 1, "tea", 1.5));
    assertThat(failure(bulk.keyed("web", "key").executeUpdate(INSERT, 2, "milk", 2.5)).kind())
        .isEqualTo(SqlFailure.Kind.KEY_REUSED);
    assertThat(rows()).isOne();
  }

  @Test
  void eachLaneKeepsItsOrderAcrossARestart() throws Exception {
    get(client.executeUpdate(INSERT, 1, "tea", 0.0));
    get(client.executeUpdate(INSERT, 2, "milk", 0.0));
    List<Future<Long>> after = new ArrayList<>();
    service.pause("to leave a backlog");
    lane.pause("to leave a backlog");
    for (int number = 1; number <= KEYS; number++) {
      client.partitionedBy("one").executeUpdate(NEXT, (double) number, 1, number - 1.0);
      bulk.partitionedBy("two").executeUpdate(NEXT, (double) number, 2, number - 1.0);
    }
    stopLane();
    shares = new Shares();
    restart(builder());
    startLane();
    for (int number = KEYS + 1; number <= 2 * KEYS; number++) {
      after.add(client.partitionedBy("one").executeUpdate(NEXT, (double) number, 1, number - 1.0));
      after.add(bulk.partitionedBy("two").executeUpdate(NEXT, (double) number, 2, number - 1.0));
    }
    for (Future<Long> each : after) {
      assertThat(each.get()).isOne();
    }
  }

  private long rows() throws SQLException {
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from item")) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
