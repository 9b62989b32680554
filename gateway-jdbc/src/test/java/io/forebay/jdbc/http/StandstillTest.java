/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.service.ServiceState;
import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The processes of PostgreSQL are suspended, so that it neither answers nor closes connections. */
class StandstillTest {

  @TempDir Path directory;

  @Test
  void aServiceReportsThatItsDatabaseDoesNotRespond() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(
        data,
        """
        statements:
          - name: orders.insert
            sql: insert into orders (id, item) values (:id, 'tea')
            params: [{name: id, type: long}]
        """);
    try (TestPostgres postgres = TestPostgres.shared()) {
      postgres.createTable("create table orders (id bigint primary key, item text)");
      try (RunningDoor door = RunningDoor.start(data, PostgresDoorTest.properties(postgres))) {
        String insert = "/api/v1/statements/orders.insert";
        assertThat(door.post("web", insert + "?wait=20s", "{\"id\":1}").status()).isEqualTo(200);
        List<Integer> pids = backends(postgres);
        assertThat(pids).isNotEmpty();
        pids.forEach(pid -> ChildProcess.signal("STOP", pid));
        String location;
        try {
          location = door.post("web", insert, "{\"id\":2}").header("Location");
          await()
              .untilAsserted(() -> {
                ServiceState state = door.service().view().state();
                assertThat(state.phase()).isEqualTo(ServiceState.Phase.RUNNING);
                assertThat(state.reason())
                    .matches("the current batch has run for \\d+ s \\(since [0-9:]{8} UTC\\): .*");
                assertThat(door.service().states().get(0).reason()).isNotEmpty();
              });
        } finally {
          pids.forEach(pid -> ChildProcess.signal("CONT", pid));
        }
        assertThat(door.get("web", location + "&wait=20s").text()).contains("\"count\":1");
        await().until(() -> door.service().view().state().reason().isEmpty());
      }
    }
  }

  private static List<Integer> backends(TestPostgres postgres) {
    return JdbcClient.create(postgres.owner())
        .sql(
            "select pid from pg_stat_activity where datname = current_database()"
                + " and usename = 'forebay_gateway'")
        .query(Integer.class)
        .list();
  }
}
