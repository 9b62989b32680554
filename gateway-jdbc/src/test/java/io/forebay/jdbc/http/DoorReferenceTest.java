/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The door of a gateway that accepts no SQL text, so that the door sends references. */
class DoorReferenceTest {

  private static final String INSERT = "/api/v1/statements/orders.insert";
  private static final String FIRST =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (item, id) values (:item, :id)
          params: [{name: id, type: long}, {name: item, type: text}]
        - name: orders.all
          sql: select id, item from orders order by id
      """;
  private static final String EDITED = FIRST.replace("(:item, :id)", "(upper(:item), :id)");
  private static final String SECOND =
      """
        - name: orders.insert
          version: 2
          sql: insert into orders (item, id) values (upper(:item), :id)
          params: [{name: id, type: long}, {name: item, type: text}]
      """;

  @TempDir Path directory;

  private RunningDoor start(String catalogue, String... more) throws IOException {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(data, catalogue);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES));
    properties.add("forebay.gateways.main.accept-text=false");
    properties.addAll(List.of(more));
    return RunningDoor.start(data, properties);
  }

  private Answer reload(RunningDoor door, String catalogue) throws IOException {
    RunningDoor.catalogue(directory.resolve("data"), catalogue);
    return door.post("web", "/api/v1/catalogue/reload", "");
  }

  private static String order(long id) {
    return "{\"id\":" + id + ",\"item\":\"tea\"}";
  }

  private static String orders(RunningDoor door) {
    return door.post("web", "/api/v1/statements/orders.all?wait=10s", "{}")
        .body()
        .path("rows")
        .toString();
  }

  @Test
  void sendsReferencesFromTheDoorAndFromTheProcess() throws Exception {
    try (RunningDoor door = start(FIRST)) {
      for (int i = 0; i < 2; i++) {
        Answer one = door.post("web", INSERT + "?wait=10s", order(1), "Idempotency-Key", "one");
        assertThat(one.body().path("count").asLong()).as(one.text()).isEqualTo(1);
      }
      Answer together =
          door.post(
              "web",
              "/api/v1/statements?wait=10s",
              """
              {"statements": [
                {"name": "orders.insert", "params": {"id": 2, "item": "rum"}},
                {"name": "orders.insert", "params": {"id": 3, "item": "gin"}}]}
              """);
      assertThat(together.body().path("counts").toString()).isEqualTo("[1,1]");
      assertThat(orders(door)).isEqualTo("[[1,\"tea\"],[2,\"rum\"],[3,\"gin\"]]");

      StatementClient client = door.bean(StatementClient.class);
      assertThatThrownBy(() -> client.executeQuery("select id from orders", Row.class))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("forebay.gateways.main.accept-text");
      StatementCatalogue catalogue = door.bean(StatementCatalogue.class);
      assertThat(
              client
                  .executeUpdate(catalogue.reference("orders.insert"), 4L, "tea")
                  .get()
                  .longValue())
          .isEqualTo(1);
      assertThat(client.executeUpdate("orders.insert@1", 5L, "tea").get().longValue()).isEqualTo(1);
      assertThat(door.get("web", "/api/v1/statements").text())
          .contains("\"version\":1,\"reference\":\"" + catalogue.reference("orders.insert") + "\"");
    }
  }

  @Test
  void waitingStatementsKeepTheirVersionWhileItExists() throws Exception {
    try (RunningDoor door = start(FIRST)) {
      pause(door.service(), "so that messages wait");
      String first = door.post("web", INSERT, order(1)).header("Location");
      assertThat(reload(door, FIRST + SECOND).status()).isEqualTo(200);
      String second = door.post("web", INSERT, order(2)).header("Location");
      door.service().resume();
      assertThat(door.get("web", first + "&wait=10s").body().path("count").asLong()).isEqualTo(1);
      assertThat(door.get("web", second + "&wait=10s").body().path("count").asLong()).isEqualTo(1);
      assertThat(orders(door)).isEqualTo("[[1,\"tea\"],[2,\"TEA\"]]");

      pause(door.service(), "so that messages wait");
      String third = door.post("web", INSERT, order(3)).header("Location");
      assertThat(reload(door, FIRST).status()).isEqualTo(200);
      door.service().resume();
      Answer gone = door.get("web", third + "&wait=10s");
      assertThat(gone.body().path("state").asString()).isEqualTo("failed");
      assertThat(gone.body().path("error").path("sqlState").asString()).isEqualTo("26000");
      Failures failures = door.bean(Failures.class);
      Failure failure = failures.list(null, null, 10).failures().getFirst();
      assertThat(failure.detail())
          .matches(
              "the catalogue of this instance has orders.insert in version 1 only;"
                  + " orders.insert@2:[0-9a-f]{16} was not performed");

      reload(door, FIRST + SECOND);
      failures.replay(failure.id(), "a test");
      await().untilAsserted(() -> assertThat(orders(door)).contains("[3,\"TEA\"]"));
    }
  }

  @Test
  void anEditedTextNeedsAnotherVersion() throws Exception {
    String waiting;
    try (RunningDoor door = start(FIRST, "forebay.backend=chronicle")) {
      Answer refused = reload(door, EDITED);
      assertThat(refused.status()).isEqualTo(422);
      assertThat(refused.text())
          .contains("version 1 has another text or other parameters", "give it another version");
      assertThat(door.post("web", INSERT + "?wait=10s", order(1)).text()).contains("\"count\":1");
      assertThat(orders(door)).isEqualTo("[[1,\"tea\"]]");
      pause(door.service(), "so that messages wait");
      waiting = door.post("web", INSERT, order(2)).header("Location");
    }
    try (RunningDoor door = start(EDITED, "forebay.backend=chronicle")) {
      Answer answer = door.get("web", waiting + "&wait=10s");
      assertThat(answer.body().path("error").path("sqlState").asString())
          .as("a message is not performed with another text than it was made for")
          .isEqualTo("26000");
      assertThat(orders(door)).isEqualTo("[[1,\"tea\"]]");
    }
  }
}
