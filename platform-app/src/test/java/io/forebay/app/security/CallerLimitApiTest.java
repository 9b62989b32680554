/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.access.Role;
import io.forebay.access.Tokens;
import io.forebay.app.security.Door.Answer;
import io.forebay.database.TestPostgres;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;

/** An operator limits a caller of the door, on a real PostgreSQL. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {"forebay.backend=memory", "forebay.door.catalogue=classpath:raw-requests.yaml"})
@Import(NoLoginDelay.class)
@DirtiesContext
class CallerLimitApiTest {

  private static final String LIMIT = "/api/v1/callers/limit";
  private static final String LIFT = "/admin/api/v1/callers/lift";

  @TempDir static Path data;
  private static TestPostgres postgres;

  @Autowired Tokens tokens;
  @LocalServerPort int port;

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    postgres = TestPostgres.shared();
    postgres.createTable("create table note (text text, doc jsonb)");
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
    registry.add("forebay.gateways.main.datasource.url", () -> postgres.url());
    registry.add("forebay.gateways.main.datasource.username", () -> "forebay_gateway");
    registry.add("forebay.gateways.main.datasource.password", () -> "");
    registry.add("forebay.gateways.main.owner.url", () -> postgres.url());
    registry.add("forebay.gateways.main.owner.username", () -> "forebay_owner");
    registry.add("forebay.gateways.main.owner.password", () -> "");
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @Test
  void aLimitedCallerIsRefusedWhatIsBeyondUntilTheLimitIsLifted() throws Exception {
    Door door = new Door(port);
    String anna = Door.token(tokens, "anna", Role.OPERATOR);
    String ben = Door.token(tokens, "ben", Role.OPERATOR);
    String shop = Door.token(tokens, "shop", Role.NONE, "*");
    assertThat(accepted(door, shop)).isEqualTo(5);

    Answer limited =
        door.send(
            "POST",
            LIMIT,
            anna,
            "{\"caller\":\"shop\",\"perSecond\":1,\"reason\":\"import\",\"until\":\"1h\"}");
    assertThat(limited.status()).as(limited.body()).isEqualTo(200);
    List<Answer> answers = notes(door, shop);
    assertThat(answers.getFirst().status()).isEqualTo(202);
    assertThat(answers)
        .filteredOn(it -> it.status() == 429)
        .hasSizeBetween(2, 4) // a second or two may pass
        .allMatch(it -> it.json().path("type").asString().endsWith(":rate-limit-exceeded"));
    JsonNode shown = door.get("/admin/api/v1/callers", anna).json();
    JsonNode first = shown.path("limited").path(0);
    assertThat(first.path("caller").asString()).isEqualTo("shop");
    assertThat(first.path("perSecond").asInt()).isEqualTo(1);
    assertThat(first.path("by").asString()).isEqualTo("anna");

    Answer changed =
        door.send(
            "POST",
            LIMIT,
            ben,
            "{\"caller\":\"shop\",\"perSecond\":1000,\"reason\":\"less\",\"until\":\"2h\"}");
    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    assertThat(accepted(door, shop)).isEqualTo(5);

    JsonNode entry = door.get("/api/v1/audit?limit=1", anna).json().path("entries").path(0);
    assertThat(entry.path("action").asString()).isEqualTo("caller.limit");
    assertThat(entry.path("outcome").asString()).startsWith("allowed, 1,000 per second, until ");
    assertThat(door.send("POST", LIFT, ben, "{\"caller\":\"shop\"}").status()).isEqualTo(200);
    assertThat(accepted(door, shop)).isEqualTo(5);
    assertThat(door.get("/admin/api/v1/callers", anna).json().path("limited")).isEmpty();
  }

  @Test
  void whatIsNoLimitIsRefusedWithItsField() throws Exception {
    Door door = new Door(port);
    String cleo = Door.token(tokens, "cleo", Role.OPERATOR);
    for (String wrong : new String[] {"0", "1000001", "1.5", "\"many\"", "null"}) {
      Answer answer =
          door.send(
              "POST",
              LIMIT,
              cleo,
              "{\"caller\":\"shop\",\"perSecond\":%s,\"reason\":\"a\"}".formatted(wrong));
      assertThat(answer.status()).as(wrong).isEqualTo(400);
      assertThat(answer.body()).as(wrong).contains("/perSecond");
    }
    assertThat(door.send("POST", LIMIT, cleo, "{\"caller\":\"shop\",\"perSecond\":5}").body())
        .contains("/reason");
    assertThat(door.send("POST", LIMIT, cleo, "{\"perSecond\":5}").body()).contains("/caller");
    assertThat(door.send("POST", LIFT, cleo, "{}").body()).contains("/caller");
    for (String until : new String[] {"", ",\"until\":\"x\"", ",\"until\":null"}) {
      String body = "{\"caller\":\"shop\",\"perSecond\":5,\"reason\":\"a\"" + until + "}";
      assertThat(door.send("POST", LIMIT, cleo, body).body()).as(until).contains("/until");
    }
  }

  private static long accepted(Door door, String token) throws Exception {
    return notes(door, token).stream().filter(it -> it.status() == 202).count();
  }

  private static List<Answer> notes(Door door, String token) throws Exception {
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      answers.add(door.send("POST", "/api/v1/statements/notes.add", token, "{\"text\":\"a\"}"));
    }
    return answers;
  }
}
