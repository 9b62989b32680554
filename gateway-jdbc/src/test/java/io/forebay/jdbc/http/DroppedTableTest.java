/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.jdbc.http.RunningDoor.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The table of a statement is dropped while statements are sent. */
@ExtendWith(OutputCaptureExtension.class)
class DroppedTableTest {

  private static final String INSERT = "/api/v1/statements/orders.insert";
  private static final String TABLE = "create table orders (id bigint primary key, item text)";

  @TempDir Path directory;

  private static Answer insert(RunningDoor door, int id) {
    return door.post("web", INSERT + "?wait=30s", "{\"id\":%d,\"item\":\"secret\"}".formatted(id));
  }

  @Test
  void aStatementThatTheDatabaseNoLongerAcceptsIsLoggedAndRefusedUntilItDoes(CapturedOutput output)
      throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(
        data,
        """
        statements:
          - name: orders.insert
            sql: insert into orders (id, item) values (:id, :item)
            params: [{name: id, type: long}, {name: item, type: text}]
        """);
    try (TestPostgres postgres = TestPostgres.shared()) {
      postgres.createTable(TABLE);
      try (RunningDoor door = RunningDoor.start(data, PostgresDoorTest.properties(postgres))) {
        await().until(() -> door.get("web", "/api/v1/statements").text().contains("\"ready\""));
        assertThat(insert(door, 1).text()).contains("\"count\":1");
        assertThat(insert(door, 1).text()).contains("23505");
        JdbcClient.create(postgres.owner()).sql("drop table orders").update();
        assertThat(insert(door, 2).text()).contains("\"sqlState\":\"42P01\"");

        await()
            .untilAsserted(() ->
                assertThat(door.get("web", "/api/v1/statements").text())
                    .contains("\"state\":\"broken\"", "\"sqlState\":\"42P01\""));
        Answer refused = insert(door, 3);
        assertThat(refused.status()).as(refused.text()).isEqualTo(503);
        assertThat(refused.problem()).isEqualTo("statement-broken");

        postgres.createTable(TABLE);
        await().until(() -> insert(door, 4).status() == 200);
        assertThat(door.get("web", "/api/v1/statements").text()).doesNotContain("42P01");
      }
    }
    assertThat(output.getAll())
        .containsOnlyOnce("Statement failed: orders.insert of gateway main (SQLState 23505")
        .containsOnlyOnce("Statement failed: orders.insert of gateway main (SQLState 42P01")
        .contains(
            "statement orders.insert is broken", "statement orders.insert is no longer broken")
        .doesNotContain("secret", "insert into");
  }
}
