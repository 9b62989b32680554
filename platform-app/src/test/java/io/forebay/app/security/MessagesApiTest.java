/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.access.Role;
import io.forebay.access.Tokens;
import io.forebay.app.security.Door.Answer;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;

/** Operators look into the queues of a service that is paused; administrators also see values. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = "forebay.backend=chronicle")
@DirtiesContext
class MessagesApiTest {

  private static final String IN = "/admin/api/v1/queues/main.in/messages";

  @TempDir static Path data;

  @Autowired Tokens tokens;
  @LocalServerPort int port;

  @DynamicPropertySource
  static void dataDirectory(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
  }

  @Test
  void messagesAreMaskedAndEachLookAtValuesIsInTheAudit() throws Exception {
    Door door = new Door(port);
    String viewer = Door.token(tokens, "vera", Role.VIEWER);
    String operator = Door.token(tokens, "olga", Role.OPERATOR, "*");
    String admin = Door.token(tokens, "anna", Role.ADMIN, "*");
    String note = "/api/v1/statements/notes.add?wait=10s";
    assertThat(door.send("POST", note, operator, "{\"text\":\"secret one\"}").status())
        .isEqualTo(200);
    String pause = "/api/v1/services/main/pause";
    assertThat(door.send("POST", pause, operator, "{\"reason\":\"test\"}").status())
        .isLessThan(300);
    Answer waits =
        door.send("POST", "/api/v1/statements/notes.add", operator, "{\"text\":\"secret two\"}");
    String id = waits.json().path("id").asString();

    assertThat(door.get("/admin/api/v1/queues", operator).json().path("queues").toString())
        .contains("\"main.in\"", "\"answers\":\"main.out\"", "\"messages\":2");
    Answer page = door.get(IN, operator);
    assertThat(page.body()).doesNotContain("secret", "insert");
    JsonNode newest = page.json().path("messages").path(0);
    assertThat(newest.path("id").asString()).isEqualTo(id);
    assertThat(newest.path("statement").asString()).isEqualTo("notes.add");
    assertThat(newest.path("argumentCount").asInt()).isEqualTo(1);
    String older =
        door.get(IN + "?statement=notes.add&limit=1", operator).json().path("older").asString();
    JsonNode next = door.get(IN + "?before=" + older, operator).json().path("messages");
    assertThat(next).hasSize(1);
    assertThat(next.path(0).path("position").asInt(-1)).isZero();
    assertThat(door.get(IN + "?id=" + id, operator).json().path("messages")).hasSize(1);
    assertThat(door.get(IN + "?from=2000-01-01&key=none", operator).json().path("looked").asInt())
        .isEqualTo(2);
    assertThat(door.get(IN + "/0/1", operator).json()).isEqualTo(newest);

    assertThat(door.get(IN, viewer).status()).isEqualTo(403);
    assertThat(door.send("POST", IN + "/0/1/values", operator, "{}").status()).isEqualTo(403);
    Answer shown = door.send("POST", IN + "/0/1/values", admin, "{}");
    assertThat(shown.json().path("arguments").path(0).asString()).isEqualTo("\"secret two\"");
    assertThat(shown.headers()).containsEntry("cache-control", "no-store");
    String audit = door.get("/admin/api/v1/audit?action=message.values", operator).body();
    assertThat(audit).contains("anna", "main.in/0/1").doesNotContain("secret");

    assertThat(door.get(IN + "?from=yesterday", operator).body())
        .contains("400", "neither a position, such as 1200, nor a time");
    assertThat(door.get(IN + "?id=17", operator).status()).isEqualTo(400);
    assertThat(door.get(IN + "/0/99", operator).status()).isEqualTo(404);
    assertThat(door.get("/admin/api/v1/queues/no.in/messages", operator).status()).isEqualTo(404);
    assertThat(door.send("POST", IN + "/0/99/values", admin, "{}").status()).isEqualTo(404);

    becomes(door, operator, viewer);
    aTailIsAStream(door, operator, viewer);
  }

  private static JsonNode life(Door door, String token, long position) throws Exception {
    Answer answer = door.get(IN + "/0/" + position + "/life", token);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).doesNotContain("secret", "insert");
    return answer.json();
  }

  private static JsonNode stage(Door door, String token, long position) throws Exception {
    return life(door, token, position).path("stages").path(0);
  }

  /** Of a message that was performed, one that waits, and one that failed and was replayed. */
  private void becomes(Door door, String operator, String viewer) throws Exception {
    JsonNode performed = stage(door, operator, 0);
    assertThat(performed.path("state").asString()).isEqualTo("PERFORMED");
    assertThat(performed.path("rows").asInt()).isEqualTo(1);
    assertThat(performed.path("totalMicros").asLong()).isPositive();
    assertThat(performed.path("read").isNull()).as("its history is not recorded").isTrue();
    JsonNode waiting = stage(door, operator, 1);
    assertThat(waiting.path("state").asString()).isEqualTo("WAITING");
    assertThat(waiting.path("ahead").asInt(-1)).isZero();
    assertThat(waiting.path("reason").asString()).startsWith("the service is paused");
    assertThat(waiting.path("answered").isNull()).isTrue();
    assertThat(door.get(IN + "/0/0/life", viewer).status()).isEqualTo(403);
    assertThat(door.get(IN + "/0/99/life", operator).status()).isEqualTo(404);
    assertThat(door.get(IN + "/-1/0/life", operator).status()).isEqualTo(404);
    assertThat(door.get(IN + "/0/" + Long.MAX_VALUE + "/life", operator).status()).isEqualTo(404);
    assertThat(door.get(IN + "/0/first/life", operator).status()).isEqualTo(400);

    door.send("POST", "/api/v1/services/main/resume", operator, "{\"reason\":\"test\"}");
    String tooLong = "{\"text\":\"%s\"}".formatted("secret ".repeat(200));
    assertThat(door.send("POST", "/api/v1/statements/notes.add?wait=10s", operator, tooLong).body())
        .contains("failed");
    assertThat(stage(door, operator, 1).path("state").asString()).isEqualTo("PERFORMED");
    JsonNode failed = life(door, operator, 2);
    assertThat(failed.path("stages").path(0).path("state").asString()).isEqualTo("FAILED");
    assertThat(failed.path("stages").path(0).path("error").asString()).isEqualTo("22001 DATA");
    JsonNode failure = failed.path("failures").path(0);
    assertThat(failure.path("kind").asString()).isEqualTo("failed");
    String one = "/admin/api/v1/failures/list/" + failure.path("id").asString();
    Answer listed = door.get(one + "?kind=failed", viewer);
    assertThat(listed.json().path("error").asString()).isEqualTo("22001");
    assertThat(listed.json().path("state").asString()).isEqualTo("open");
    assertThat(listed.body()).doesNotContain("secret", "insert");
    assertThat(door.get(one + "?kind=dead", viewer).status()).isEqualTo(404);
    assertThat(door.get("/admin/api/v1/failures/list/none", viewer).status()).isEqualTo(400);

    String replay = "/api/v1/failed/" + failure.path("id").asString() + "/replay";
    assertThat(door.send("POST", replay, operator, "{\"reason\":\"test\"}").status())
        .isEqualTo(202);
    JsonNode replayed = life(door, operator, 2).path("failures").path(0);
    assertThat(replayed.path("state").asString()).isEqualTo("REPLAYED");
    String found = IN + "?id=" + replayed.path("replay").path("messageId").asString();
    assertThat(door.get(found, operator).json().path("messages")).hasSize(1);
  }

  private static HttpResponse<InputStream> tail(HttpClient client, int port, String token)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:%d/admin/api/v1/queues/main.in/tail?statement=notes.add&limit=2"
                        .formatted(port)))
            .header("Authorization", "Bearer " + token)
            .build(),
        HttpResponse.BodyHandlers.ofInputStream());
  }

  private void aTailIsAStream(Door door, String operator, String viewer) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<InputStream> first = tail(client, port, operator);
      HttpResponse<InputStream> second = tail(client, port, operator);
      BufferedReader events =
          new BufferedReader(new InputStreamReader(first.body(), StandardCharsets.UTF_8));
      assertThat(events.readLine()).isEqualTo("retry: 2000");
      assertThat(events.readLine()).isEmpty();
      assertThat(events.readLine()).isEqualTo("event: news");
      assertThat(events.readLine())
          .contains("\"statement\":\"notes.add\"", "\"position\":2", "\"after\":\"0.")
          .doesNotContain("secret", "insert", "\"position\":0");
      Answer third = door.get("/admin/api/v1/queues/main.in/tail", operator);
      assertThat(third.status()).isEqualTo(429);
      assertThat(third.body()).contains("This user has too many streams open (limit=2)");
      first.body().close();
      second.body().close();
      await()
          .until(() -> {
            HttpResponse<InputStream> next = tail(client, port, operator);
            next.body().close();
            return next.statusCode() == 200;
          });
    }
    String queues = "/admin/api/v1/queues/";
    assertThat(door.get(queues + "main.in/tail", viewer).status()).isEqualTo(403);
    String other = Door.token(tokens, "otto", Role.OPERATOR);
    assertThat(door.get(queues + "no.in/tail", other).status()).isEqualTo(404);
    assertThat(door.get(queues + "main.in/tail?partition=-1", other).status()).isEqualTo(404);
    assertThat(door.get(queues + "main.in/tail?limit=0", other).status()).isEqualTo(400);
    assertThat(door.get(queues + "main.in/tail?after=x", other).status()).isEqualTo(400);
    assertThat(door.get(queues + "main.in/tail?id=17", other).status()).isEqualTo(400);
  }
}
