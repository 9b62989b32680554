/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.http.RunningDoor.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which lane of a gateway performs what a caller sends. */
class LanesTest {

  private static final String CATALOGUE =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (id, item) values (:id, :item)
          params:
            - {name: id, type: long}
            - {name: item, type: text}
        - name: orders.clean
          lane: slow
          sql: delete from orders where id = :id
          params:
            - {name: id, type: long}
      """;
  private static final String TABLES =
      "create table orders (id bigint primary key, item varchar(200) not null);";
  private static final String INSERT = "/api/v1/statements/orders.insert";
  private static final String CLEAN = "/api/v1/statements/orders.clean";
  private static final String TOGETHER =
      """
      {"statements": [{"name": "orders.clean", "params": {"id": 1}},
        {"name": "orders.insert", "params": {"id": 1, "item": "tea"}}]}\
      """;

  @TempDir Path directory;
  private Path data;
  private List<String> properties;
  private RunningDoor door;

  @BeforeEach
  void open() throws Exception {
    data = directory.resolve("data");
    RunningDoor.catalogue(data, CATALOGUE);
    properties = new ArrayList<>(HsqldbDoorTest.own(data, TABLES));
    properties.add("forebay.backend=chronicle");
    properties.add("forebay.chronicle.min-free=1MB");
    properties.add("forebay.gateways.main.lanes.slow.weight=1");
    properties.add("forebay.gateways.main.lanes.bulk.callers=loader");
    door = RunningDoor.start(data, properties);
  }

  @AfterEach
  void close() {
    door.close();
  }

  private static String order(long id) {
    return "{\"id\":" + id + ",\"item\":\"tea\"}";
  }

  private String gatewayOf(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer.body().get("gateway").asString();
  }

  private String stream(String caller, String path, String... lines) {
    return door.send(
            door.request(caller, path)
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(String.join("\n", lines))))
        .text();
  }

  @Test
  void theLaneIsThatOfTheCallerOrElseThatOfTheStatement() {
    assertThat(gatewayOf(door.post("web", INSERT, order(1)))).isEqualTo("main");
    assertThat(gatewayOf(door.post("web", CLEAN, "{\"id\":1}"))).isEqualTo("main-slow");
    assertThat(gatewayOf(door.post("loader", INSERT, order(2)))).isEqualTo("main-bulk");
    assertThat(gatewayOf(door.post("loader", CLEAN, "{\"id\":2}"))).isEqualTo("main-bulk");
    assertThat(door.get("web", "/api/v1/statements").body().get("statements").get(1).get("lane"))
        .hasToString("\"slow\"");
  }

  @Test
  void aResultIsFoundAtItsLocation() {
    String location = door.post("loader", INSERT, order(1)).header("Location");
    assertThat(location).contains("gateway=main-bulk");
    assertThat(door.get("loader", location + "&wait=10s").body().get("state").asString())
        .isEqualTo("done");
  }

  @Test
  void statementsOfTwoLanesDoNotCommitTogether() {
    Answer refused = door.post("web", "/api/v1/statements", TOGETHER);
    assertThat(refused.problem()).isEqualTo("not-together");
    assertThat(gatewayOf(door.post("loader", "/api/v1/statements", TOGETHER)))
        .isEqualTo("main-bulk");
  }

  @Test
  void aStreamStaysInOneLane() {
    String insert = "{\"name\":\"orders.insert\",\"params\":" + order(1) + "}";
    String clean = "{\"name\":\"orders.clean\",\"params\":{\"id\":1}}";
    assertThat(stream("web", "/api/v1/statements", insert, clean))
        .contains("\"accepted\":1,\"refused\":1", "\"gateway\":\"main-slow\"");
    assertThat(stream("web", "/api/v1/statements?gateway=main-slow", insert, clean))
        .contains("\"accepted\":1,\"refused\":1", "\"gateway\":\"main\"");
    assertThat(stream("loader", "/api/v1/statements?gateway=main&stream=s", insert, clean))
        .contains("\"accepted\":2,\"refused\":0");
    assertThat(
            door.get("loader", "/api/v1/streams/s?performed=2&wait=10s")
                .body()
                .get("gateway")
                .asString())
        .isEqualTo("main-bulk");
  }

  @Test
  void aCallerReceivesTheResultsOfItsLane() {
    String id = door.post("loader", INSERT, order(1)).body().get("id").asString();
    for (String query : List.of("", "&gateway=main-bulk")) {
      Answer page = door.get("loader", "/api/v1/results?from=start&wait=10s" + query);
      assertThat(page.body().get("results").get(0).get("id").asString()).isEqualTo(id);
    }
    assertThat(door.get("loader", "/api/v1/results?from=start&gateway=main").body().get("results"))
        .isEmpty();
  }

  @Test
  void aKeyTakesEffectOnceAlsoIfItsCallerMovesToAnotherLane() {
    String wait = INSERT + "?wait=10s";
    Answer first = door.post("web", wait, order(1), "Idempotency-Key", "order-1");
    assertThat(first.body().get("state").asString()).as(first.text()).isEqualTo("done");
    door.close();
    properties.add("forebay.gateways.main.lanes.slow.callers=web");
    door = RunningDoor.start(data, properties);
    Answer again = door.post("web", wait, order(1), "Idempotency-Key", "order-1");
    assertThat(again.header("Location")).contains("gateway=main-slow");
    assertThat(again.text()).isEqualTo(first.text());
    Answer other = door.post("web", wait, order(2), "Idempotency-Key", "order-1");
    assertThat(other.problem()).as(other.text()).isEqualTo("key-reused");
  }
}
