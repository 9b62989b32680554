/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static org.assertj.core.api.Assertions.assertThat;

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
  }
}
