/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.service.ServiceState;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A table of the ledger is dropped between two starts. */
class MissingLedgerTest {

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"progress", "outcome", "request"})
  void aStartWithoutATableOfTheLedgerReportsWhichIsMissing(String table) throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(
        data,
        """
        statements:
          - name: orders.all
            sql: select id from orders
        """);
    String all = "/api/v1/statements/orders.all?wait=20s";
    try (TestPostgres postgres = TestPostgres.shared()) {
      postgres.createTable("create table orders (id bigint primary key)");
      try (RunningDoor door = RunningDoor.start(data, PostgresDoorTest.properties(postgres))) {
        assertThat(door.post("web", all, "{}").status()).isEqualTo(200);
      }
      JdbcClient.create(postgres.owner()).sql("drop table forebay." + table).update();
      try (RunningDoor door = RunningDoor.start(data, PostgresDoorTest.properties(postgres))) {
        await().until(() -> door.service().state().phase() == ServiceState.Phase.FAILED);
        assertThat(door.service().state().reason())
            .contains("schema forebay is damaged", "SQLState 42P01", "forebay." + table)
            .doesNotContain("does not respond");
      }
    }
  }
}
