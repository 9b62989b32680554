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
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PostgresDoorTest extends DoorContract {

  private final TestPostgres postgres = TestPostgres.shared();

  @Override
  List<String> database(Path data) {
    postgres.createTable(
        "create table orders (id bigint primary key, item varchar(200) not null, quantity bigint)");
    postgres.createTable(
        "create table order_line (order_id bigint not null references orders (id), price decimal(10, 2))");
    postgres.createTable(
        "create table types (id bigint primary key, b boolean, d double precision, n decimal(10, 2),"
            + " t text, x bytea, day date, hour time(6), made timestamp(6), seen timestamptz(6), code uuid)");
    return properties(postgres);
  }

  static List<String> properties(TestPostgres postgres) {
    return List.of(
        "forebay.gateways.main.datasource.url=" + postgres.url(),
        "forebay.gateways.main.datasource.username=forebay_gateway",
        "forebay.gateways.main.datasource.password=trusted",
        "forebay.gateways.main.owner.url=" + postgres.url(),
        "forebay.gateways.main.owner.username=forebay_owner",
        "forebay.gateways.main.owner.password=trusted");
  }

  @Test
  void listsAndJsonAreWhatPostgresqlMakesOfThem() throws Exception {
    RunningDoor.catalogue(
        directory.resolve("data"),
        CATALOGUE
            + """
              - name: lists.find
                sql: select id from orders where id = any(:ids) order by id
                params: [{name: ids, type: list of long}]
              - name: json.has
                sql: select :j::jsonb ?? :key
                params: [{name: j, type: json}, {name: key, type: text}]
              - name: json.echo
                sql: select :j::jsonb, :ids::bigint[]
                params: [{name: j, type: json}, {name: ids, type: list of long}]
            """);
    assertThat(door.post("web", "/api/v1/catalogue/reload", "").status()).isEqualTo(200);
    for (int id = 1; id <= 3; id++) {
      door.post("web", "/api/v1/statements/orders.insert", "{\"id\":" + id + ",\"item\":\"tea\"}");
    }
    String find = "/api/v1/statements/lists.find?wait=10s";
    assertThat(door.post("web", find, "{\"ids\":[3,1,9]}").body().path("rows").toString())
        .isEqualTo("[[1],[3]]");
    assertThat(door.post("web", find, "{\"ids\":[]}").body().path("rows").toString())
        .isEqualTo("[]");
    assertThat(
            door.post(
                    "web",
                    "/api/v1/statements/json.has?wait=10s",
                    "{\"j\":{\"a\":1},\"key\":\"a\"}")
                .body()
                .path("rows")
                .toString())
        .isEqualTo("[[true]]");
    assertThat(
            door.post(
                    "web",
                    "/api/v1/statements/json.echo?wait=10s",
                    "{\"j\" : {\"a\":[1.50,\"\\u00e4}\",null]} ,\"ids\":[1]}")
                .text())
        .endsWith("\"rows\":[[{\"a\": [1.50, \"ä}\", null]},[1]]]}");
  }

  @Test
  void aStatementThatThePostgresqlDriverCannotBindIsRefusedAlone() throws Exception {
    String numbered =
        CATALOGUE
            + """
              - name: numbered
                sql: select id from orders where id = :id or id = $2
                params: [{name: id, type: long}]
            """;
    RunningDoor.catalogue(directory.resolve("data"), numbered);
    Answer refused = door.post("web", "/api/v1/catalogue/reload", "");
    assertThat(refused.status()).as(refused.text()).isEqualTo(422);
    assertThat(refused.text()).contains("numbered", "$2", "a name such as :item");
    try (RunningDoor again = RunningDoor.start(directory.resolve("data"), properties(postgres))) {
      await()
          .untilAsserted(() ->
              assertThat(again.get("web", "/api/v1/statements").text())
                  .doesNotContain("unchecked")
                  .containsOnlyOnce("\"broken\""));
    }
  }

  @Test
  void aParameterWithoutATypeIsRefusedWithWhatToWrite() throws Exception {
    RunningDoor.catalogue(
        directory.resolve("data"),
        CATALOGUE
            + """
              - name: orders.search
                sql: select id from orders where :item is null or item = :item
                params: [{name: item, type: text, nullable: true}]
            """);
    assertThat(door.post("web", "/api/v1/catalogue/reload", "").text())
        .contains("orders.search", "42P18", "cast(:name as ...)");
  }

  @Test
  void aQueryThatWritesReturnsItsRows() throws Exception {
    RunningDoor.catalogue(
        directory.resolve("data"),
        CATALOGUE
            + """
              - name: orders.add
                sql: with added as (insert into orders (id, item) values (1, 'tea') returning id) select id from added
                kind: query
            """);
    assertThat(door.post("web", "/api/v1/catalogue/reload", "").status()).isEqualTo(200);
    assertThat(door.post("web", "/api/v1/statements/orders.add?wait=10s", "{}").body().get("rows"))
        .hasToString("[[1]]");
    assertThat(orders()).hasSize(1);
  }

  /** The last of them wait longer for a connection than the database may take for an answer. */
  @Test
  void manyResultsAreLookedUpAtTheSameTimeThoughEachTakesLong() throws Exception {
    String location =
        door.post(
                "web",
                "/api/v1/statements/orders.insert?wait=10s",
                "{\"id\":1,\"item\":\"tea\"}",
                "Idempotency-Key",
                "one")
            .header("Location");
    TestPostgres.execute(
        postgres.owner(),
        "alter table forebay.request enable row level security",
        "create policy slow on forebay.request using (pg_sleep(1.4) is not null)");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Answer>> many =
          IntStream.range(0, 20)
              .mapToObj(_ -> threads.submit(() -> door.get("web", location)))
              .toList();
      for (Future<Answer> each : many) {
        assertThat(each.get().status()).as(each.get().text()).isEqualTo(200);
      }
    }
  }

  @AfterEach
  void drop() {
    door.close();
    postgres.close();
  }
}
