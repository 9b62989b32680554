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
    assertThat(newest.path("bytes").asInt()).isPositive();
    JsonNode older = door.get(IN + "?before=1&limit=1", operator).json();
    assertThat(older.path("messages")).hasSize(1);
    assertThat(older.path("messages").path(0).path("position").asInt(-1)).isZero();
    assertThat(older.path("end").asInt()).isEqualTo(2);
    assertThat(door.get(IN + "?id=" + id, operator).json().path("messages")).hasSize(1);
    JsonNode none = door.get(IN + "?key=none", operator).json();
    assertThat(none.path("messages")).isEmpty();
    assertThat(none.path("begin").asInt(-1)).as("all of it was searched").isZero();
    assertThat(door.get(IN + "/0/1", operator).json()).isEqualTo(newest);

    assertThat(door.get(IN, viewer).status()).isEqualTo(403);
    assertThat(door.send("POST", IN + "/0/1/values", operator, "{}").status()).isEqualTo(403);
    Answer shown = door.send("POST", IN + "/0/1/values", admin, "{}");
    assertThat(shown.json().path("arguments").path(0).asString()).isEqualTo("\"secret two\"");
    assertThat(shown.headers()).containsEntry("cache-control", "no-store");
    String audit = door.get("/admin/api/v1/audit?action=message.values", operator).body();
    assertThat(audit).contains("anna", "main.in/0/1").doesNotContain("secret");

    assertThat(door.get(IN + "?before=yesterday", operator).status()).isEqualTo(400);
    assertThat(door.get(IN + "?limit=201", operator).status()).isEqualTo(400);
    assertThat(door.get(IN + "?partition=1", operator).status()).isEqualTo(404);
    assertThat(door.get(IN + "?id=17", operator).status()).isEqualTo(400);
    assertThat(door.get(IN + "/0/99", operator).status()).isEqualTo(404);
    assertThat(door.get("/admin/api/v1/queues/no.in/messages", operator).status()).isEqualTo(404);
    assertThat(door.send("POST", IN + "/0/99/values", admin, "{}").status()).isEqualTo(404);

    door.send("POST", "/api/v1/services/main/resume", operator, "{\"reason\":\"test\"}");
    String out = "/admin/api/v1/queues/main.out/messages?id=" + id;
    await().until(() -> door.get(out, operator).json().path("messages").size() == 1);
    JsonNode result = door.get(out, operator).json().path("messages").path(0);
    assertThat(result.path("kind").asString()).isEqualTo("result");
  }
}
