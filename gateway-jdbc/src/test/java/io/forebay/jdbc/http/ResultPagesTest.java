/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.http.RunningDoor.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** All results of a caller, in pages. Each test is a caller of its own. */
class ResultPagesTest {

  private static final String CATALOGUE =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (id, item) values (:id, :item)
          key: id
          params:
            - {name: id, type: long}
            - {name: item, type: text}
        - name: orders.find
          sql: select item from orders where id = :id
          params:
            - {name: id, type: long}
      """;
  private static final String TABLES =
      "create table orders (id bigint primary key, item varchar(200) not null);";
  private static final int PARTITIONS = 2;

  @TempDir static Path directory;
  private static RunningDoor door;

  @BeforeAll
  static void open() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(data, CATALOGUE);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, TABLES));
    properties.add("forebay.backend=chronicle");
    properties.add("forebay.chronicle.min-free=1MB");
    properties.add("forebay.gateways.main.partitions=" + PARTITIONS);
    door = RunningDoor.start(data, properties);
    await()
        .untilAsserted(() ->
            assertThat(door.get("web", "/api/v1/statements").text()).doesNotContain("unchecked"));
  }

  @AfterAll
  static void close() {
    door.close();
  }

  private static Answer insert(String caller, long id) {
    return door.post(
        caller,
        "/api/v1/statements/orders.insert?wait=10s",
        "{\"id\":" + id + ",\"item\":\"tea\"}");
  }

  private static void stream(String caller, String name, long from, long to) {
    String lines =
        LongStream.rangeClosed(from, to)
            .mapToObj(id -> "{\"id\":" + id + ",\"item\":\"tea\"}\n")
            .collect(Collectors.joining());
    Answer answer =
        door.send(
            door.request(caller, "/api/v1/statements/orders.insert?level=performed&stream=" + name)
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(lines)));
    assertThat(answer.text()).contains("\"complete\":true");
  }

  private static JsonNode page(String caller, String query) {
    Answer answer = door.get(caller, "/api/v1/results" + query);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.body();
  }

  private static String end(String caller) {
    return page(caller, "").get("next").asString();
  }

  /** Reads pages from a position until one is empty. */
  private static List<JsonNode> all(String caller, String from, String query) {
    List<JsonNode> all = new ArrayList<>();
    String next = from;
    while (true) {
      JsonNode page = page(caller, "?from=" + next + query);
      if (page.get("results").isEmpty()) {
        return all;
      }
      page.get("results").forEach(all::add);
      next = page.get("next").asString();
    }
  }

  @Test
  void aPageHasTheResultsFromAPositionAndTheNextPosition() {
    String begin = end("pages");
    Answer sent = insert("pages", 1_001);
    Answer failed = insert("pages", 1_001);
    String find = "/api/v1/statements/orders.find?wait=10s";
    door.post("pages", find, "{\"id\":1001}", "Idempotency-Key", "look");

    List<JsonNode> results = all("pages", begin, "&wait=1s&limit=1");

    assertThat(results).hasSize(3);
    assertThat(results)
        .extracting(it -> it.get("state").asString())
        .containsExactlyInAnyOrder("done", "failed", "done");
    JsonNode first =
        results.stream()
            .filter(it -> it.get("id").asString().equals(sent.body().get("id").asString()))
            .findFirst()
            .orElseThrow();
    assertThat(first.get("count").asLong()).isEqualTo(1);
    assertThat(first.has("key")).isFalse();
    assertThat(results).extracting(it -> it.path("key").asString("")).contains("look");
    assertThat(sent.header("Location"))
        .contains("partition=" + first.get("partition"), "position=" + first.get("position"));
    assertThat(results).extracting(it -> it.get("id")).contains(failed.body().get("id"));
    assertThat(results).anyMatch(it -> it.path("rows").toString().equals("[[\"tea\"]]"));
    assertThat(all("pages", begin, "")).isEqualTo(results);
  }

  @Test
  void aRequestThatWaitsIsAnsweredWithTheNextResult() {
    String begin = end("waits");
    CompletableFuture<JsonNode> waiting =
        CompletableFuture.supplyAsync(() -> page("waits", "?from=" + begin + "&wait=20s"));
    insert("waits", 2_001);

    JsonNode page = waiting.join();

    assertThat(page.get("results")).hasSize(1);
    assertThat(page("waits", "?from=" + page.get("next").asString()).get("results")).isEmpty();
  }

  @Test
  void resultsOfOthersAreNotShown() {
    String begin = end("one");
    insert("other", 3_001);
    insert("one", 3_002);

    assertThat(all("one", begin, "&wait=1s")).hasSize(1);
    assertThat(all("nobody", "start", "")).isEmpty();
  }

  @Test
  void aCallerThatIsFarBehindGetsEachResultOnceAndThoseOfAStreamInOrder() {
    String begin = end("behind");
    insert("behind", 10_000);
    stream("behind", "s", 10_001, 15_000);

    List<JsonNode> results = all("behind", begin, "&stream=s&wait=1s");

    assertThat(results.stream().map(it -> it.get("line").asLong()).sorted().toList())
        .isEqualTo(LongStream.rangeClosed(1, 5_000).boxed().toList());
    for (int partition = 0; partition < PARTITIONS; partition++) {
      int number = partition;
      assertThat(
              results.stream()
                  .filter(it -> it.get("partition").asInt() == number)
                  .map(it -> it.get("line").asLong()))
          .isNotEmpty()
          .isSorted();
    }
    assertThat(all("behind", "start", "")).hasSize(5_001);
  }

  @Test
  void whatCannotBeReadIsAProblem() {
    assertThat(door.get("web", "/api/v1/results?from=yesterday").problem())
        .isEqualTo("invalid-request");
    assertThat(door.get("web", "/api/v1/results?limit=0").problem()).isEqualTo("invalid-request");
    assertThat(door.get("web", "/api/v1/results?gateway=none").problem())
        .isEqualTo("invalid-request");
    String end = end("web");
    String mark = end.substring(0, end.indexOf('-'));
    assertThat(door.get("web", "/api/v1/results?from=" + mark + "-999999.0").problem())
        .isEqualTo("queue-unavailable");
    Answer replaced = door.get("web", "/api/v1/results?from=00000000-0.0");
    assertThat(replaced.status()).isEqualTo(410);
    assertThat(replaced.problem()).isEqualTo("results-expired");
    assertThat(door.get("", "/api/v1/results").status()).isEqualTo(401);
  }
}
