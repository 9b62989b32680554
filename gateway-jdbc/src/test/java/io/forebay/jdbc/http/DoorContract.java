/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.queue.Tailer;
import io.forebay.trace.TraceParent;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The behaviour of the door on every database. */
abstract class DoorContract {

  static final String CATALOGUE =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (id, item, quantity) values (:id, :item, :quantity)
          params:
            - {name: id, type: long}
            - {name: item, type: text}
            - {name: quantity, type: long, nullable: true}
        - name: orders.claim
          sql: insert into orders (item, id) values (:item, :id)
          explain: true
          params:
            - {name: id, type: long}
            - {name: item, type: text}
        - name: orders.rename
          sql: update orders set item = :item where id = :id and item <> :item
          params:
            - {name: item, type: text}
            - {name: id, type: long}
        - name: orders.all
          sql: select id, item, quantity from orders order by id
        - name: orders.ids
          sql: select id from orders
        - name: items.find
          sql: select item from orders where item = :item
          params:
            - {name: item, type: text}
        - name: lines.insert
          sql: insert into order_line (order_id, price) values (:order, :price)
          params:
            - {name: order, type: long}
            - {name: price, type: decimal}
        - name: types.insert
          sql: >
            insert into types (id, b, d, n, t, x, day, hour, made, seen, code)
            values (:id, :b, :d, :n, :t, :x, :day, :hour, :made, :seen, :code)
          params:
            - {name: id, type: long}
            - {name: b, type: boolean, nullable: true}
            - {name: d, type: double, nullable: true}
            - {name: n, type: decimal, nullable: true}
            - {name: t, type: text, nullable: true}
            - {name: x, type: bytes, nullable: true}
            - {name: day, type: date, nullable: true}
            - {name: hour, type: time, nullable: true}
            - {name: made, type: timestamp, nullable: true}
            - {name: seen, type: timestamptz, nullable: true}
            - {name: code, type: uuid, nullable: true}
        - name: types.all
          sql: select id, b, d, n, t, x, day, hour, made, seen, code from types order by id
      """;

  @TempDir Path directory;
  RunningDoor door;

  /** Creates the tables and returns the properties for connecting to them. */
  abstract List<String> database(Path data) throws Exception;

  @BeforeEach
  void open() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(data, CATALOGUE);
    List<String> properties = new ArrayList<>(database(data));
    door = RunningDoor.start(data, properties);
    await()
        .untilAsserted(() ->
            assertThat(door.get("web", "/api/v1/statements").text()).doesNotContain("unchecked"));
  }

  @AfterEach
  void close() {
    door.close();
  }

  Answer insert(String caller, long id, String item, String query, String... headers) {
    return door.post(
        caller,
        "/api/v1/statements/orders.insert" + query,
        "{\"id\":" + id + ",\"item\":" + RunningDoor.JSON.writeValueAsString(item) + "}",
        headers);
  }

  JsonNode orders() {
    return door.post("web", "/api/v1/statements/orders.all?wait=10s", "{}").body().get("rows");
  }

  @Test
  void acceptsAStatementAndReturnsTheAddressOfItsResult() {
    Answer accepted = insert("web", 1, "tea", "");

    assertThat(accepted.status()).isEqualTo(202);
    JsonNode body = accepted.body();
    assertThat(body.propertyNames())
        .containsExactly("id", "gateway", "partition", "position", "level");
    assertThat(accepted.header("Location"))
        .startsWith(
            "/api/v1/results/%s?gateway=main&partition=0&position=0&key="
                .formatted(body.get("id").asString()));
    assertThat(accepted.header("Idempotency-Key")).as("it cannot be sent again").isEmpty();
    Answer result = door.get("web", accepted.header("Location") + "&wait=10s");
    assertThat(result.status()).isEqualTo(200);
    assertThat(result.text())
        .isEqualTo(
            "{\"id\":\"%s\",\"state\":\"done\",\"count\":1}".formatted(body.get("id").asString()));
  }

  @Test
  void aStatementCarriesTheTraceOfItsRequest() {
    String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0";
    pause(door.service(), "so that the queue keeps them");
    insert("web", 1, "tea", "", "traceparent", trace + "1");
    insert("web", 2, "tea", "", "traceparent", trace + "0");
    List<TraceParent> traces = new ArrayList<>();
    try (Tailer tailer = door.service().in().tailer(0)) {
      tailer.poll(
          2, (position, bytes) -> traces.add(Message.peek("main.in", 0, position, bytes).trace()));
    }
    assertThat(traces).containsExactly(TraceParent.parse(trace + "1"), null);
  }

  @Test
  void answersWithTheResultIfItArrivesInTime() {
    assertThat(insert("web", 1, "tea", "?wait=10s").body().get("count").asLong()).isEqualTo(1);

    Answer rows = door.post("web", "/api/v1/statements/orders.all?wait=10000ms", "{}");
    assertThat(rows.status()).isEqualTo(200);
    assertThat(rows.body().get("columns").toString())
        .isEqualToIgnoringCase("[\"ID\",\"ITEM\",\"QUANTITY\"]");
    assertThat(rows.body().get("rows").toString()).isEqualTo("[[1,\"tea\",null]]");
  }

  @Test
  void answersWithTheFailureWithoutTheDatabasesMessage() {
    insert("web", 1, "tea", "?wait=10s");
    Answer failed = insert("web", 1, "coffee", "?wait=10s");

    assertThat(failed.status()).isEqualTo(200);
    JsonNode body = failed.body();
    assertThat(body.get("state").asString()).isEqualTo("failed");
    assertThat(body.get("error").get("kind").asString()).isEqualTo("CONSTRAINT");
    assertThat(body.get("error").get("sqlState").asString()).startsWith("23");
    assertThat(body.get("error").get("id")).isEqualTo(body.get("id"));
    assertThat(body.get("error").size()).isEqualTo(3);
    assertThat(failed.text()).doesNotContainIgnoringCase("orders").doesNotContain("coffee");
  }

  @Test
  void theFailureNamesConstraintAndTableIfTheCatalogueSaysSo() {
    insert("web", 1, "tea", "?wait=10s");
    String claim = "/api/v1/statements/orders.claim";
    String order = "{\"id\":1,\"item\":\"coffee\"}";
    String[] key = {"Idempotency-Key", "claim-1"};
    Answer failed = door.post("web", claim + "?wait=10s", order, key);

    JsonNode error = failed.body().get("error");
    assertThat(error.get("table").asString()).isEqualToIgnoringCase("orders");
    assertThat(error.get("constraint").asString()).containsIgnoringCase("pk").doesNotContain(" ");
    assertThat(error.has("column")).isFalse();
    assertThat(failed.text()).doesNotContain("coffee");
    assertThat(door.post("web", claim + "?wait=10s", order, key).text())
        .as("from the ledger")
        .isEqualTo(failed.text());
    Answer accepted = door.post("web", claim, order);
    assertThat(door.get("web", accepted.header("Location") + "&wait=10s").body().get("error"))
        .as("from the out-queue")
        .hasSize(5);

    String together =
        "{\"statements\":[{\"name\":\"orders.claim\",\"params\":"
            + order
            + "},{\"name\":\"lines.insert\",\"params\":{\"order\":1,\"price\":\"1\"}}]}";
    assertThat(door.post("web", "/api/v1/statements?wait=10s", together).body().get("error"))
        .as("one of them does not say so")
        .hasSize(3);
  }

  @Test
  void aParameterMayAppearSeveralTimesInTheText() {
    insert("web", 1, "tea", "?wait=10s");
    Answer renamed =
        door.post(
            "web", "/api/v1/statements/orders.rename?wait=10s", "{\"id\":1,\"item\":\"coffee\"}");
    assertThat(renamed.body().get("count").asLong()).isEqualTo(1);
    assertThat(orders().toString()).isEqualTo("[[1,\"coffee\",null]]");
  }

  @Test
  void aKeyHasOneEffectHoweverOftenItIsSent() {
    Answer first = insert("web", 1, "tea", "?wait=10s", "Idempotency-Key", "order-1");
    Answer again = insert("web", 1, "tea", "?wait=10s", "Idempotency-Key", "order-1");

    assertThat(again.text()).isEqualTo(first.text());
    assertThat(again.header("Idempotency-Key")).isEqualTo("order-1");
    assertThat(orders()).hasSize(1);
  }

  @Test
  void onlyAKeyThatTheSenderChoseIsStored() throws Exception {
    insert("web", 1, "tea", "?wait=10s", "Idempotency-Key", "order-1");
    Answer unkeyed = insert("web", 2, "tea", "");
    assertThat(end(unkeyed)).isEqualTo("done");
    Answer failed = insert("web", 2, "tea", "");
    assertThat(end(failed)).isEqualTo("CONSTRAINT");

    try (Connection connection = door.service().database().connect();
        ResultSet keys =
            connection.createStatement().executeQuery("select idem_key from forebay.request")) {
      assertThat(keys.next()).isTrue();
      assertThat(keys.getString(1)).isEqualTo("order-1");
      assertThat(keys.next()).isFalse();
    }
    assertThat(door.get("batch", unkeyed.header("Location")).status()).isEqualTo(404);
    String id = unkeyed.body().get("id").asString();
    assertThat(door.get("web", "/api/v1/results/" + id).problem())
        .as("without its position")
        .isEqualTo("unknown-result");
  }

  @Test
  void aKeyReusedForAnotherRequestIsRefusedAtOnceOrLater() {
    insert("web", 1, "tea", "?wait=10s", "Idempotency-Key", "order-1");

    Answer waited = insert("web", 2, "tea", "?wait=10s", "Idempotency-Key", "order-1");
    assertThat(waited.status()).isEqualTo(422);
    assertThat(waited.problem()).isEqualTo("key-reused");

    Answer accepted = insert("web", 3, "tea", "", "Idempotency-Key", "order-1");
    assertThat(accepted.status()).isEqualTo(202);
    Answer later = door.get("web", accepted.header("Location") + "&wait=10s");
    assertThat(later.body().path("error").path("kind").asString()).isEqualTo("KEY_REUSED");
    assertThat(orders()).hasSize(1);
  }

  @Test
  void keysOfDifferentClientsAreDifferent() {
    insert("web", 1, "tea", "?wait=10s", "Idempotency-Key", "order");
    insert("batch", 2, "tea", "?wait=10s", "Idempotency-Key", "order");
    assertThat(orders()).hasSize(2);
  }

  @Test
  void returnsAResultOnlyToTheSenderOfTheStatement() {
    String location = insert("web", 1, "tea", "").header("Location");
    assertThat(door.get("web", location + "&wait=10s").status()).isEqualTo(200);

    Answer others = door.get("batch", location + "&wait=1s");
    assertThat(others.status()).isEqualTo(404);
    assertThat(others.problem()).isEqualTo("unknown-result");
    pause(door.service(), "so that the next is pending");
    String pending = insert("web", 2, "tea", "").header("Location");
    assertThat(door.get("batch", pending).status()).isEqualTo(404);
    assertThat(door.get("web", pending).body().get("state").asString()).isEqualTo("pending");
    assertThat(door.get("web", pending + "&wait=20ms").body().get("state").asString())
        .isEqualTo("pending");
    door.service().resume();
    assertThat(door.get("web", pending + "&wait=10s").body().get("state").asString())
        .isEqualTo("done");
  }

  @Test
  void distinguishesAPendingResultFromAnUnknownOne() {
    String id = "018f3c4e-7d2a-8b11-9c55-0a1b2c3d4e5f";
    for (String query :
        List.of(
            "",
            "?partition=0&position=0",
            "?partition=0&position=7",
            "?partition=9&position=0",
            "?gateway=nowhere&partition=0&position=0")) {
      Answer unknown = door.get("web", "/api/v1/results/" + id + query);
      assertThat(unknown.status()).as(query).isEqualTo(404);
      assertThat(unknown.problem()).as(query).isEqualTo("unknown-result");
    }
    assertThat(door.get("web", "/api/v1/results/1-1-1-1-1").status()).isEqualTo(404);
    assertThat(door.get("web", "/api/v1/results/" + id + "?partition=x&position=1").problem())
        .isEqualTo("invalid-request");
  }

  @Test
  void statementsOfOneRequestCommitTogetherOrNotAtAll() {
    String order = "{\"name\":\"orders.insert\",\"params\":{\"id\":%d,\"item\":\"basket\"}}";
    String line = "{\"params\":{\"order\":%d,\"price\":%s},\"name\":\"lines.insert\"}";
    Answer both =
        door.post(
            "web",
            "/api/v1/statements?wait=10s",
            "{\"statements\":[" + order.formatted(1) + "," + line.formatted(1, "2.50") + "]}");
    assertThat(both.body().path("counts").toString()).isEqualTo("[1,1]");

    // the second refers to an order that does not exist
    Answer neither =
        door.post(
            "web",
            "/api/v1/statements",
            "{\"statements\":[" + order.formatted(2) + "," + line.formatted(99, "\"1\"") + "]}");
    assertThat(neither.status()).isEqualTo(202);
    Answer failed = door.get("web", neither.header("Location") + "&wait=10s");
    assertThat(failed.body().path("error").path("kind").asString()).isEqualTo("CONSTRAINT");
    assertThat(orders().toString()).isEqualTo("[[1,\"basket\",null]]");

    Answer one =
        door.post(
            "web", "/api/v1/statements?wait=10s", "{\"statements\":[" + order.formatted(3) + "]}");
    assertThat(one.body().path("count").asLong()).isEqualTo(1);
  }

  @Test
  void valuesOfEveryTypeAreReturnedUnchanged() {
    String body =
        """
        {"id":9007199254740993,"b":true,"d":0.1,"n":12.50,"t":"ü€😀\\u0001'\\"--","x":"AP8=",
         "day":"2026-02-28","hour":"13:30:00","made":"2026-03-01T13:30:00.123456",
         "seen":"2026-03-01T13:30:00+01:00","code":"018F3C4E-7d2a-7b11-9c55-0a1b2c3d4e5f"}\
        """;
    assertThat(door.post("web", "/api/v1/statements/types.insert?wait=10s", body).text())
        .contains("\"count\":1");
    assertThat(door.post("web", "/api/v1/statements/types.insert?wait=10s", "{\"id\":1}").text())
        .contains("\"count\":1");

    JsonNode rows =
        door.post("web", "/api/v1/statements/types.all?wait=10s", "").body().get("rows");
    JsonNode row = rows.get(1);
    assertThat(rows.get(0).toString())
        .isEqualTo("[1,null,null,null,null,null,null,null,null,null,null]");
    assertThat(row.get(0).asString()).isEqualTo("9007199254740993");
    assertThat(row.get(1).asBoolean()).isTrue();
    assertThat(row.get(2).asDouble()).isEqualTo(0.1);
    assertThat(row.get(3).asString()).isEqualTo("12.50");
    assertThat(row.get(4).asString()).isEqualTo("ü€😀\u0001'\"--");
    assertThat(row.get(5).asString()).isEqualTo("AP8=");
    assertThat(row.get(6).asString()).isEqualTo("2026-02-28");
    assertThat(row.get(7).asString()).startsWith("13:30");
    assertThat(row.get(8).asString()).isEqualTo("2026-03-01T13:30:00.123456");
    assertThat(java.time.OffsetDateTime.parse(row.get(9).asString()).toInstant())
        .isEqualTo("2026-03-01T12:30:00Z");
    assertThat(row.get(10).asString()).isEqualTo("018f3c4e-7d2a-7b11-9c55-0a1b2c3d4e5f");
  }

  @Test
  void sqlInAValueIsNotPerformed() {
    List<String> corpus =
        List.of(
            "'; drop table orders; --",
            "' or '1'='1",
            "\\'; delete from orders; --",
            "\"; select 1; --",
            "$1",
            "?",
            ":item",
            "{fn now()}",
            "1); commit; --",
            "/* */ union select 1",
            "x'00'",
            "%_\\%",
            "${jndi:ldap://x}",
            "#{T(java.lang.Runtime)}",
            "\u0001\u0002\t\n\r",
            "null",
            "<script>alert(1)</script>",
            "Robert'); drop table students;--");
    for (int i = 0; i < corpus.size(); i++) {
      Answer answer = insert("web", i, corpus.get(i), "?wait=10s");
      assertThat(answer.body().path("count").asLong()).as(corpus.get(i)).isEqualTo(1);
    }
    Set<String> found = new HashSet<>();
    orders().forEach(row -> found.add(row.get(1).asString()));
    assertThat(found).containsExactlyInAnyOrderElementsOf(new HashSet<>(corpus));
    Answer one =
        door.post("web", "/api/v1/statements/items.find?wait=10s", "{\"item\":\"' or '1'='1\"}");
    assertThat(one.body().get("rows")).hasSize(1);
  }

  @Test
  void listsTheCallersStatementsAndWhetherTheDatabaseAcceptsThem() {
    assertThat(door.get("web", "/api/v1/statements").body().get("statements"))
        .hasSize(9)
        .allSatisfy(each -> assertThat(each.get("state").asString()).isEqualTo("ready"));
    assertThat(door.get("guest", "/api/v1/statements").text())
        .isEqualTo(
            "{\"statements\":[{\"name\":\"items.find\",\"version\":1,"
                + "\"reference\":\"items.find@1:be88783a72312479\",\"gateway\":\"main\",\"kind\":\"query\","
                + "\"independent\":false,\"state\":\"ready\","
                + "\"params\":[{\"name\":\"item\",\"type\":\"text\",\"nullable\":false}]}]}");
  }

  String end(Answer accepted) {
    JsonNode result = door.get("web", accepted.header("Location") + "&wait=10s").body();
    JsonNode error = result.get("error");
    return error == null ? result.get("state").asString() : error.get("kind").asString();
  }

  @Test
  void aStatementWhoseTimeIsOverIsNotPerformed() {
    pause(door.service(), "so that statements wait");
    Answer late = insert("web", 1, "tea", "?deliver-by=20ms", "Idempotency-Key", "late");
    Answer early = insert("web", 2, "tea", "?deliver-by=1h");
    Answer lines =
        door.send(
            door.request("web", "/api/v1/statements/orders.insert?stream=s&deliver-by=20ms")
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString("{\"id\":3,\"item\":\"tea\"}\n")));
    assertThat(lines.text()).contains("\"complete\":true");
    await()
        .pollDelay(Duration.ofMillis(50))
        .untilAsserted(() -> assertThat(state(late)).isEqualTo("pending"));
    door.service().resume();

    assertThat(end(late)).isEqualTo("EXPIRED");
    assertThat(end(early)).isEqualTo("done");
    assertThat(end(insert("web", 1, "tea", "", "Idempotency-Key", "late"))).isEqualTo("EXPIRED");
    assertThat(orders().toString()).isEqualTo("[[2,\"tea\",null]]");
    assertThat(door.get("web", "/api/v1/streams/s").body().get("failed").asInt()).isEqualTo(1);
    for (String wrong : List.of("soon", "0s", "-1s", "1d", "2001-01-01T00:00:00Z", "999999999h")) {
      Answer refused = insert("web", 4, "tea", "?deliver-by=" + wrong);
      assertThat(refused.problem()).as(wrong).isEqualTo("invalid-request");
      assertThat(refused.body().get("detail").asString()).startsWith("deliver-by ");
    }
  }

  private String state(Answer accepted) {
    return door.get("web", accepted.header("Location")).body().get("state").asString();
  }

  void insertMany(int count) {
    String lines =
        LongStream.range(0, count)
            .mapToObj(id -> "{\"id\":%d,\"item\":\"%s\"}\n".formatted(id, "x".repeat(190)))
            .collect(Collectors.joining());
    Answer sent =
        door.send(
            door.request("web", "/api/v1/statements/orders.insert?level=performed")
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(lines)));
    assertThat(sent.text()).contains("\"complete\":true");
  }

  @Test
  void aResultBeyondALimitFailsAndNamesTheLimit() {
    insertMany(10_001);
    JsonNode tooLarge = door.post("web", "/api/v1/statements/orders.all?wait=10s", "{}").body();
    assertThat(tooLarge.at("/error/kind").asString()).isEqualTo("LIMIT");
    assertThat(tooLarge.at("/error/sqlState").asString()).isEqualTo("54000");
    assertThat(tooLarge.at("/error/detail").asString())
        .matches("the result is too large \\(at least 52\\d,\\d{3} bytes, limit=524,288\\); .*");

    JsonNode tooMany = door.post("web", "/api/v1/statements/orders.ids?wait=10s", "{}").body();
    assertThat(tooMany.at("/error/detail").asString())
        .isEqualTo("the result has too many rows (limit=10,000);" + " the query was rolled back");
    assertThat(insert("web", 10_001, "tea", "?wait=10s").body().get("state").asString())
        .as("the next statement")
        .isEqualTo("done");
  }
}
