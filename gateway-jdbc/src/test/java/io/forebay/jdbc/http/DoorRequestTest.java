/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.jdbc.http.RunningDoor.Answer;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Valid and invalid requests. */
class DoorRequestTest {

  private static final String CATALOGUE =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (id, item, quantity) values (:id, :item, :quantity)
          key: item
          params:
            - {name: id, type: long}
            - {name: item, type: text}
            - {name: quantity, type: long, nullable: true}
        - name: orders.all
          sql: select id, item, quantity from orders order by id
        - name: all.types
          sql: >
            select :b, :l, :d, :n, :t, :x, :day, :hour, :made, :seen, :code, :j from orders
            where id in (unnest(:ids))
          params:
            - {name: b, type: boolean}
            - {name: l, type: long}
            - {name: d, type: double}
            - {name: n, type: decimal}
            - {name: t, type: text}
            - {name: x, type: bytes}
            - {name: day, type: date}
            - {name: hour, type: time}
            - {name: made, type: timestamp}
            - {name: seen, type: timestamptz}
            - {name: code, type: uuid}
            - {name: j, type: json, nullable: true}
            - {name: ids, type: list of long}
        - name: broken
          sql: select nothing from nowhere where a = :a
          params: [{name: a, type: text}]
        - name: elsewhere.insert
          gateway: other
          sql: insert into orders (id, item) values (:id, 'else')
          params: [{name: id, type: long}]
      """;

  private static final String INSERT = "/api/v1/statements/orders.insert";
  private static final String TEA = "{\"id\":%d,\"item\":\"tea\"}";

  @TempDir static Path directory;
  private static RunningDoor door;

  @BeforeAll
  static void open() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(data, CATALOGUE);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, HsqldbDoorTest.TABLES));
    properties.addAll(
        List.of(
            "forebay.gateways.main.partitions=4",
            "forebay.gateways.other.partitions=1",
            "forebay.door.max-body=4KB"));
    DoorLimits limits =
        new DoorLimits(Duration.ofSeconds(10), Duration.ofSeconds(20), 2, 10, 1 << 20, 1 << 20);
    door = RunningDoor.start(data, properties, limits);
    await()
        .untilAsserted(() ->
            assertThat(door.get("web", "/api/v1/statements").text())
                .contains("broken", "\"state\":\"broken\"")
                .doesNotContain("unchecked"));
  }

  @AfterAll
  static void close() {
    door.close();
  }

  /** Checks what a problem must and must not contain. */
  private static void assertProblem(Answer answer, int status, String name) {
    assertThat(answer.text()).isNotEmpty();
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.problem()).isEqualTo(name);
    assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    JsonNode body = answer.body();
    assertThat(body.get("status").asInt()).isEqualTo(status);
    assertThat(body.get("title").asString()).isNotBlank();
    assertThat(body.get("detail").asString()).isNotBlank();
    assertThat(body.get("instance").asString()).startsWith("/");
    assertThat(answer.text())
        .doesNotContainIgnoringCase("insert into")
        .doesNotContainIgnoringCase("exception")
        .doesNotContainIgnoringCase("hsql");
  }

  @Test
  void reportsEveryInvalidFieldWithoutItsValue() {
    Answer answer =
        door.post(
            "web",
            INSERT,
            "{\"id\":\"secret1\",\"quantity\":1.5,\"colour\":\"secret2\",\"a/b\":[{}]}");

    assertProblem(answer, 400, "invalid-parameters");
    assertThat(answer.text()).doesNotContain("secret");
    Map<String, String> errors = new LinkedHashMap<>();
    answer
        .body()
        .get("errors")
        .forEach(each -> errors.put(each.get("field").asString(), each.get("message").asString()));
    assertThat(errors)
        .containsEntry("/id", "must be a whole number from -2^63 to 2^63-1")
        .containsEntry("/quantity", "must be a whole number from -2^63 to 2^63-1")
        .containsEntry("/colour", "is not a parameter of this statement")
        .containsEntry("/a~1b", "is not a parameter of this statement")
        .containsEntry("/item", "is missing")
        .hasSize(5);
    assertThat(door.post("web", INSERT, "{\"id\":1,\"id\":2,\"item\":null}").text())
        .contains(
            "\"/id\",\"message\":\"appears twice\"", "\"/item\",\"message\":\"must not be null\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "b; true; false | 1, \"true\", null, [], {}",
        "l; 1; -9223372036854775808 | 9223372036854775808, 1.0, 1e2, \"1\", true, [1]",
        "d; 1; -1.5e-3 | \"1\", 1e999, true",
        "n; 1.50; \"1e5\" | \"\", \"1,5\", \"NaN\", 1e1001, \"0x1\", \" 1\", true",
        "t; \"\"; \"\\u00fc\\ud83d\\ude00\" | 1, \"\\ud800\", \"\\ud800a\", \"\\ude00\", []",
        "x; \"AP8=\"; \"\" | \"A\", \"AP8=\\n\", 1",
        "day; \"2026-02-28\"; \"0001-01-01\" | \"2026-02-30\", \"+12026-01-01\", \"0000-12-31\", \"-0001-01-01\", \"28.2.2026\", 20260228",
        "hour; \"13:30\"; \"13:30:00.123456\" | \"25:00\", \"13:30:00.1234567\", \"13\", 13",
        "made; \"2026-03-01T13:30:00\"; \"2026-03-01T13:30\" | \"2026-03-01\", \"2026-03-01T13:30:00Z\", \"9999-12-31T23:59:59.999999999\", \"0000-12-31T00:00:00\"",
        "seen; \"2026-03-01T13:30:00Z\"; \"2026-03-01T13:30+01:00\" | \"2026-03-01T13:30:00\", \"9999-12-31T23:59:59.9999999Z\", \"9999-12-31T23:00:00-01:00\", \"0001-01-01T00:00:00+01:00\", 0",
        "code; \"018f3c4e-7d2a-7b11-9c55-0a1b2c3d4e5f\"; \"018F3C4E-7D2A-7B11-9C55-0A1B2C3D4E5F\" | \"1-1-1-1-1\", \"\"",
        "ids; []; [1,2] | 1, [null], [\"1\"], [[1]], [1,{\"a\":[2]}], {}",
      })
  void acceptsOnlyValuesOfTheDeclaredType(String param, String values, String rest) {
    String[] halves = (values + ";" + rest).split(" \\| ");
    for (String good : halves[0].split(";")) {
      if (!good.isBlank()) {
        assertThat(types(param, good.strip()).status()).as(param + "=" + good).isEqualTo(202);
      }
    }
    for (String bad : halves[1].split(", ")) {
      Answer answer = types(param, bad.strip());
      assertProblem(answer, 400, "invalid-parameters");
      assertThat(answer.body().get("errors")).as(param + "=" + bad).hasSize(1);
      assertThat(answer.body().get("errors").get(0).get("field").asString()).isEqualTo("/" + param);
    }
  }

  private static Answer types(String param, String value) {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("b", "true");
    values.put("l", "1");
    values.put("d", "1.5");
    values.put("n", "1.5");
    values.put("t", "\"t\"");
    values.put("x", "\"AP8=\"");
    values.put("day", "\"2026-03-01\"");
    values.put("hour", "\"13:30:00\"");
    values.put("made", "\"2026-03-01T13:30:00\"");
    values.put("seen", "\"2026-03-01T13:30:00Z\"");
    values.put("code", "\"018f3c4e-7d2a-7b11-9c55-0a1b2c3d4e5f\"");
    values.put("j", "{\"a\": [1.50, \"\\u00e4\", null]}");
    values.put("ids", "[1]");
    values.put(param, value);
    List<String> members = new ArrayList<>();
    values.forEach((name, each) -> members.add("\"" + name + "\":" + each));
    return door.post("web", "/api/v1/statements/all.types", "{" + String.join(",", members) + "}");
  }

  @Test
  void invalidJsonIsRefusedWithItsPlace() {
    for (String body :
        List.of(
            "{",
            "[",
            "tea",
            "{\"id\":1}{",
            "{'id':1}",
            "{\"id\":01}",
            "{\"id\":NaN}",
            "\"\\x\"",
            "{\"id\":1} x",
            "{\"id\":1,}",
            "/**/{}",
            "{\"id\":" + "[".repeat(50) + "]".repeat(50) + "}",
            "{\"id\":" + "1".repeat(2_000) + "}",
            "{\"" + "n".repeat(300) + "\":1}")) {
      Answer answer = door.post("web", INSERT, body);
      assertProblem(answer, 400, "malformed-json");
    }
    assertThat(door.post("web", INSERT, "{\n\"id\": x}").body().get("line").asInt()).isEqualTo(2);
    assertProblem(door.post("web", INSERT, "1"), 400, "invalid-parameters");
    assertProblem(door.post("web", INSERT, "null"), 400, "invalid-parameters");
  }

  @Test
  void acceptsAndReturnsOnlyJson() {
    String body = TEA.formatted(1);
    for (String type :
        List.of(
            "text/plain",
            "application/xml",
            "application/*",
            "x",
            "application/json;charset=iso-8859-1",
            "application/x-www-form-urlencoded")) {
      assertProblem(
          door.send(
              door.request("web", INSERT)
                  .header("Content-Type", type)
                  .POST(BodyPublishers.ofString(body))),
          415,
          "unsupported-media-type");
    }
    assertProblem(
        door.send(door.request("web", INSERT).POST(BodyPublishers.ofString(body))),
        415,
        "unsupported-media-type");
    assertProblem(
        door.post("web", INSERT, body, "Content-Encoding", "gzip"), 415, "unsupported-media-type");
    assertProblem(door.post("web", INSERT, body, "Accept", "text/html"), 406, "not-acceptable");
    assertProblem(door.post("web", INSERT, body, "Accept", "x"), 406, "not-acceptable");
    for (String accept : List.of("application/*", "text/html, */*;q=0.1")) {
      assertThat(door.post("web", INSERT, TEA.formatted(7), "Accept", accept).status())
          .isEqualTo(202);
    }
  }

  @Test
  void aTooLargeBodyIsRefusedEvenWithoutContentLength() {
    String large = "{\"id\":1,\"item\":\"" + "x".repeat(5_000) + "\"}";
    assertProblem(door.post("web", INSERT, large), 413, "too-large");
    byte[] bytes = large.getBytes(StandardCharsets.UTF_8);
    assertProblem(
        door.send(
            door.request("web", INSERT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)))),
        413,
        "too-large");
    byte[] small = TEA.formatted(8).getBytes(StandardCharsets.UTF_8);
    assertThat(
            door.send(
                    door.request("web", INSERT)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(small))))
                .status())
        .isEqualTo(202);
  }

  @Test
  void unknownMethodsAreAnsweredWithProblemsAndUnknownPathsByTheApplication() {
    assertThat(door.get("web", "/api/v1/nothing").text()).contains("timestamp");
    Answer get = door.get("web", INSERT);
    assertProblem(get, 405, "method-not-allowed");
    assertThat(get.header("Allow")).isEqualTo("POST");
    assertProblem(
        door.send(door.request("web", "/api/v1/statements").DELETE()), 405, "method-not-allowed");
    assertProblem(door.post("web", "/api/v1/statements/nothing", "{}"), 404, "unknown-statement");
    assertProblem(door.post("", INSERT, "{}"), 401, "unauthenticated");
    assertProblem(door.get("", "/api/v1/statements"), 401, "unauthenticated");
  }

  @Test
  void callersWithoutTheGrantDoNotLearnWhetherAStatementExists() {
    assertProblem(door.post("guest", INSERT, TEA.formatted(1)), 403, "not-permitted");
    Answer nothing = door.post("guest", "/api/v1/statements/nothing", "{}");
    assertThat(nothing.text().replace("nothing", "orders.insert"))
        .isEqualTo(door.post("guest", INSERT, "{}").text());
    assertProblem(
        door.post(
            "guest",
            "/api/v1/statements",
            "{\"statements\":[{\"name\":\"orders.insert\",\"params\":" + TEA.formatted(1) + "}]}"),
        403,
        "not-permitted");
  }

  @Test
  void aStatementThatTheDatabaseRefusesIsRefused() {
    assertProblem(
        door.post("web", "/api/v1/statements/broken", "{\"a\":\"x\"}"), 503, "statement-broken");
  }

  @Test
  void waitAndKeyAreChecked() {
    for (String wait : List.of("x", "-1", "", "5m", "1.5s", "99999999999999999999")) {
      assertProblem(
          door.post("web", INSERT + "?wait=" + wait, TEA.formatted(1)), 400, "invalid-request");
    }
    Answer longer = door.post("web", INSERT + "?wait=21", TEA.formatted(1));
    assertProblem(longer, 400, "invalid-request");
    assertThat(longer.body().get("longestMillis").asLong()).isEqualTo(20_000);
    assertThat(door.post("web", INSERT + "?wait=0", TEA.formatted(9)).status()).isEqualTo(202);
    for (String key : List.of("x".repeat(256), "")) {
      assertProblem(
          door.post("web", INSERT, TEA.formatted(1), "Idempotency-Key", key),
          400,
          "invalid-request");
    }
    assertProblem(door.post("c".repeat(256), INSERT, TEA.formatted(1)), 403, "not-permitted");
  }

  @Test
  void limitsTheNumberOfWaitingRequests() throws Exception {
    pause(door.service(), "so that all wait");
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int id = 100 + i;
      waiting.add(
          CompletableFuture.supplyAsync(
              () -> door.post("web", INSERT + "?wait=15s", TEA.formatted(id))));
    }
    try {
      await()
          .untilAsserted(() -> {
            Answer third =
                door.get("web", "/api/v1/results/" + java.util.UUID.randomUUID() + "?wait=1s");
            assertProblem(third, 429, "too-many-waiting");
            assertThat(third.header("Retry-After")).isEqualTo("1");
          });
      assertThat(door.post("web", INSERT, TEA.formatted(110)).status()).isEqualTo(202);
    } finally {
      door.service().resume();
    }
    for (CompletableFuture<Answer> each : waiting) {
      assertThat(each.get().body().get("state").asString()).isEqualTo("done");
    }
    assertThat(door.post("web", INSERT + "?wait=15s", TEA.formatted(111)).status()).isEqualTo(200);
  }

  @Test
  void statementsWithTheSamePartitionKeyGoToOnePartitionInOrder() {
    List<Integer> partitions = new ArrayList<>();
    long last = -1;
    for (int i = 0; i < 10; i++) {
      JsonNode accepted = door.post("web", INSERT, TEA.formatted(200 + i)).body();
      partitions.add(accepted.get("partition").asInt());
      assertThat(accepted.get("position").asLong()).isGreaterThan(last);
      last = accepted.get("position").asLong();
    }
    int expected = io.forebay.queue.Partitioner.partition("tea", 4);
    assertThat(partitions).containsOnly(expected);
  }

  @Test
  void onlyUpdatesOfOneGatewayAndOneKeyCommitTogether() {
    String order = "{\"name\":\"orders.insert\",\"params\":{\"id\":%d,\"item\":\"%s\"}}";
    String tea = order.formatted(300, "tea");
    assertProblem(together(tea, "{\"name\":\"orders.all\"}"), 400, "not-together");
    assertProblem(
        together(tea, "{\"name\":\"elsewhere.insert\",\"params\":{\"id\":1}}"),
        400,
        "not-together");
    assertProblem(together(tea, order.formatted(301, "coffee")), 400, "not-together");
    String small = "{\"name\":\"all.types\"}";
    Answer tooMany = together(Collections.nCopies(101, small).toArray(String[]::new));
    assertProblem(tooMany, 400, "not-together");
    assertThat(tooMany.body().get("limit").asInt()).isEqualTo(100);
    for (String body :
        List.of(
            "{}",
            "1",
            "{\"statements\":[]}",
            "{\"statements\":{}}",
            "{\"statements\":[1]}",
            "{\"statements\":[{}]}",
            "{\"statements\":[{\"params\":{}}]}",
            "{\"statements\":[" + tea + "],\"x\":1}",
            "{\"statements\":[{\"name\":1}]}",
            "{\"statements\":[{\"name\":\"orders.insert\",\"params\":[]}]}")) {
      assertProblem(door.post("web", "/api/v1/statements", body), 400, "invalid-parameters");
    }
    Answer wrong =
        together(tea, "{\"params\":{\"id\":true,\"item\":\"tea\"},\"name\":\"orders.insert\"}");
    assertProblem(wrong, 400, "invalid-parameters");
    assertThat(wrong.body().get("errors").get(0).get("field").asString())
        .isEqualTo("/statements/1/params/id");
  }

  private static Answer together(String... statements) {
    return door.post(
        "web", "/api/v1/statements", "{\"statements\":[" + String.join(",", statements) + "]}");
  }

  @Test
  void writesAnOpenApiDocument() {
    Answer answer = door.get("web", "/api/v1/openapi.json");
    ParseOptions options = new ParseOptions();
    SwaggerParseResult parsed = new OpenAPIV3Parser().readContents(answer.text(), null, options);

    assertThat(parsed.getMessages()).isEmpty();
    OpenAPI document = parsed.getOpenAPI();
    assertThat(document.getOpenapi()).isEqualTo("3.1.0");
    assertThat(document.getPaths())
        .containsOnlyKeys(
            INSERT,
            "/api/v1/statements/orders.all",
            "/api/v1/statements/all.types",
            "/api/v1/statements/broken",
            "/api/v1/statements/elsewhere.insert",
            "/api/v1/statements",
            "/api/v1/streams/{stream}",
            "/api/v1/results",
            "/api/v1/results/{id}");
    Schema<?> body =
        document
            .getPaths()
            .get(INSERT)
            .getPost()
            .getRequestBody()
            .getContent()
            .get("application/json")
            .getSchema();
    assertThat(body.getRequired()).containsExactly("id", "item");
    List<?> quantity = body.getProperties().get("quantity").getAnyOf();
    assertThat(((Schema<?>) quantity.getFirst()).get$ref()).isEqualTo("#/components/schemas/long");
    assertThat(((Schema<?>) quantity.getLast()).getTypes()).isEqualTo(Set.of("null"));
    assertThat(document.getComponents().getSchemas())
        .as("a schema for each type")
        .containsKeys("boolean", "long", "double", "decimal", "text", "bytes", "date", "time")
        .containsKeys("timestamp", "timestamptz", "uuid", "json");
    assertThat(((Schema<?>) body.getAdditionalProperties()).getBooleanSchemaValue()).isFalse();
    Answer guests = door.get("guest", "/api/v1/openapi.json");
    assertThat(
            new OpenAPIV3Parser()
                .readContents(guests.text(), null, options)
                .getOpenAPI()
                .getPaths())
        .containsOnlyKeys("/api/v1/streams/{stream}", "/api/v1/results", "/api/v1/results/{id}");
  }

  @Test
  void everyRequestIsAnsweredWithAResultOrAProblem() {
    Random random = new Random(42);
    List<String> seeds =
        List.of(
            TEA.formatted(1),
            "{\"statements\":[{\"name\":\"orders.insert\",\"params\":{\"id\":1,\"item\":\"tea\"}}]}",
            "{\"b\":true,\"l\":1,\"d\":1e3,\"n\":\"1.5\",\"t\":\"\\u00e4\",\"x\":\"AP8=\",\"ids\":[1,2,{}],\"j\":{\"a\":[]}}",
            "");
    List<String> paths =
        List.of(
            INSERT,
            "/api/v1/statements",
            "/api/v1/statements/all.types",
            "/api/v1/statements/orders.all");
    for (int i = 0; i < 2_000; i++) {
      byte[] body = mutated(seeds.get(random.nextInt(seeds.size())), random);
      String path = paths.get(random.nextInt(paths.size()));
      Answer answer =
          door.send(
              door.request("web", path)
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofByteArray(body)));
      String said = i + ": " + path + " " + new String(body, StandardCharsets.ISO_8859_1);
      assertThat(answer.status()).as(said).isBetween(200, 499);
      if (answer.status() >= 300) {
        assertProblem(answer, answer.status(), answer.problem());
      }
    }
  }

  private static byte[] mutated(String seed, Random random) {
    byte[] alphabet =
        "{}[]\":,\\0123456789-+.eEtruefalsn \u0000\n/*".getBytes(StandardCharsets.UTF_8);
    List<Byte> bytes = new ArrayList<>();
    for (byte each : seed.getBytes(StandardCharsets.UTF_8)) {
      bytes.add(each);
    }
    for (int edits = random.nextInt(4); edits > 0; edits--) {
      int at = random.nextInt(bytes.size() + 1);
      byte some =
          random.nextInt(4) == 0
              ? (byte) random.nextInt()
              : alphabet[random.nextInt(alphabet.length)];
      switch (random.nextInt(3)) {
        case 0 -> bytes.add(at, some);
        case 1 -> {
          if (at < bytes.size()) {
            bytes.remove(at);
          }
        }
        default -> {
          if (at < bytes.size()) {
            bytes.set(at, some);
          }
        }
      }
    }
    byte[] result = new byte[bytes.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = bytes.get(i);
    }
    return result;
  }
}
