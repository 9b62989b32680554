/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HsqldbGatewayTest extends GatewayContract {

  @Test
  void noRoutineOrTriggerCanChangeTheSessionOfOtherStatements() {
    for (String change :
        List.of(
            "set schema information_schema",
            "set role none",
            "set time zone interval '3:00' hour to minute",
            "set transaction read only",
            "set session characteristics as transaction isolation level serializable",
            "declare local temporary table seen (a int)")) {
      for (String owner :
          List.of(
              "procedure p() modifies sql data", "trigger t after insert on item for each row")) {
        assertThatThrownBy(
                () -> {
                  try (Connection connection = database.owner().getConnection();
                      Statement statement = connection.createStatement()) {
                    statement.execute("create %s begin atomic %s; end".formatted(owner, change));
                  }
                })
            .as("%s in a %s", change, owner)
            .isInstanceOf(SQLException.class);
      }
    }
  }

  @Test
  void aPartitionThatEndsLeavesNoSession() throws Exception {
    get(client.executeUpdate(INSERT_OTHER, 0L));
    int before = sessions();
    for (long start = 1; start <= 5; start++) {
      service.stop();
      service.start();
      get(client.executeUpdate(INSERT_OTHER, start));
    }
    assertThat(sessions()).isLessThan(before + 5);
  }

  private int sessions() throws SQLException {
    return database.rows("select session_id from information_schema.system_sessions").size();
  }

  @Test
  void theFileOfTheDatabaseDoesNotGrowByWhatWasDeleted() throws Exception {
    SetClock time = new SetClock();
    restart(builder().clock(time.clock()).resultsKept(Duration.ofHours(1)));
    database.createTable("large", "id bigint, filling varchar(2000)");
    String insert = "insert into large values (?, repeat('x', 2000))";
    for (int round = 1; round <= 50; round++) {
      List<Pending<Long>> sent = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        sent.add(client.keyed("shop", round + "-" + i).executeUpdate(insert, (long) i));
      }
      for (Pending<Long> each : sent) {
        get(each);
      }
      get(client.executeUpdate("delete from large"));
      time.pass(Duration.ofHours(20));
      try (Connection connection = database.owner().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("checkpoint");
      }
    }
    assertThat(database.rows("select count(*) from forebay.request").getFirst())
        .satisfies(count -> assertThat(Integer.parseInt(count)).isBetween(1_000, 4_000));
    assertThat(Files.size(directory.resolve("database.data"))).isLessThanOrEqualTo(32 << 20);
  }
}
