/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What callers and an operator did with version 0.1.0, and what a later version must know of it:
 * statements that were performed, one that failed, and statements that wait behind a pause.
 */
final class GoldenHistory {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int PERFORMED = 10;
  private static final int ALL = 20;

  private final Path file;

  /**
   * @param file what the callers of the history know
   */
  GoldenHistory(Path file) {
    this.file = file;
  }

  void write(KafkaInstance instance) throws Exception {
    JsonNode created =
        JSON.readTree(
            instance
                .post(
                    instance.token(),
                    "/api/v1/tokens",
                    "{\"name\": \"golden\", \"role\": \"admin\", \"statements\": [\"*\"]}",
                    null)
                .body());
    String token = created.path("token").asString();
    ObjectNode known = JSON.createObjectNode().put("token", token);
    ArrayNode results = known.putArray("results");
    for (int id = 0; id < PERFORMED; id++) {
      results.add(result(instance, token, id(ok(instance.add(token, id), 200))));
    }
    HttpResponse<String> failed = add(instance, token, 0, "again");
    results.add(result(instance, token, id(ok(failed, 200))));
    ok(
        instance.post(
            token,
            "/api/v1/services/main/pause",
            "{\"reason\": \"golden\", \"until\": \"never\"}",
            null),
        200);
    instance.awaitState(token, "paused");
    ArrayNode waiting = known.putArray("waiting");
    for (int id = PERFORMED; id < ALL; id++) {
      waiting.add(JSON.readTree(ok(add(instance, token, id, "event-" + id), 202).body()));
    }
    Files.writeString(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(known) + "\n");
  }

  void check(KafkaInstance instance) throws Exception {
    JsonNode known = JSON.readTree(Files.readString(file));
    String token = known.path("token").asString();
    assertThat(known.path("results")).hasSize(PERFORMED + 1);
    for (JsonNode result : known.path("results")) {
      assertThat(result(instance, token, result.path("id").asString())).isEqualTo(result);
    }
    JsonNode failures = instance.json(token, "/api/v1/failed?service=main").path("failures");
    assertThat(failures).hasSize(1);
    String failure = failures.get(0).path("id").asString();
    String arguments =
        ok(instance.post(token, "/api/v1/failed/" + failure + "/values", "", null), 200).body();
    assertThat(JSON.readTree(arguments).at("/calls/0/values/0/value").asString()).isEqualTo("0");

    instance.awaitState(token, "paused");
    JsonNode waiting = known.path("waiting");
    assertThat(waiting).hasSize(ALL - PERFORMED);
    for (JsonNode receipt : waiting) {
      assertThat(instance.json(token, path(receipt)).path("state").asString()).isEqualTo("pending");
    }
    ok(instance.post(token, "/api/v1/services/main/resume", "{\"reason\": \"golden\"}", null), 200);
    for (JsonNode receipt : waiting) {
      JsonNode result = instance.json(token, path(receipt) + "&wait=20s");
      assertThat(result.path("count").asInt()).as("%s", result).isEqualTo(1);
    }
    assertThat(JSON.readTree(ok(instance.add(token, 0), 200).body()))
        .isEqualTo(known.path("results").get(0));
    ok(instance.add(token, ALL), 200);
    JsonNode rows =
        JSON.readTree(
            ok(instance.post(token, "/api/v1/statements/events.all?wait=20s", "{}", null), 200)
                .body());
    assertThat(rows.path("rows").toString())
        .isEqualTo(
            IntStream.rangeClosed(0, ALL)
                .mapToObj(it -> List.of(it))
                .toList()
                .toString()
                .replace(" ", ""));
  }

  private static HttpResponse<String> add(KafkaInstance instance, String token, int id, String key)
      throws IOException, InterruptedException {
    String wait = key.equals("again") ? "?wait=20s" : "";
    return instance.post(
        token, "/api/v1/statements/events.add" + wait, "{\"id\": " + id + "}", key);
  }

  private static JsonNode result(KafkaInstance instance, String token, String id)
      throws IOException, InterruptedException {
    return instance.json(token, "/api/v1/results/" + id);
  }

  private static String id(HttpResponse<String> response) {
    return JSON.readTree(response.body()).path("id").asString();
  }

  /** Where the result of an accepted statement will be. */
  private static String path(JsonNode receipt) {
    return "/api/v1/results/%s?gateway=main&partition=%d&position=%d"
        .formatted(
            receipt.path("id").asString(),
            receipt.path("partition").asInt(),
            receipt.path("position").asLong());
  }

  private static HttpResponse<String> ok(HttpResponse<String> response, int status) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    return response;
  }
}
