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
import java.io.IOException;
import java.nio.file.Files;
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

/** A statement raises a transient error for ever, and an operator ends that over HTTP. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {"forebay.backend=memory", "forebay.gateways.main.partitions=1"})
@DirtiesContext
class FailMessageApiTest {

  private static final String SERVICE = "/api/v1/services/main";
  private static final String FAIL = SERVICE + "/partitions/0/fail-message";
  private static final String ADD = "/api/v1/statements/note.add";

  @TempDir static Path data;

  @Autowired Tokens tokens;
  @LocalServerPort int port;

  @DynamicPropertySource
  static void properties(DynamicPropertyRegistry registry) throws IOException {
    Path forebay = Files.createDirectories(data.resolve("forebay"));
    Files.writeString(
        forebay.resolve("catalogue.yaml"),
        """
        statements:
          - name: note.add
            sql: insert into memo (text) values (:text)
            params: [{name: text, type: text}]
        """);
    Path migrations = Files.createDirectories(data.resolve("migrations"));
    Files.writeString(
        migrations.resolve("V1__memo.sql"),
        """
        create table memo (text varchar(200));
        create trigger blocks before insert on memo referencing new row as added
          for each row when (added.text = 'blocks') signal sqlstate '40001';
        """);
    registry.add("forebay.data", forebay::toString);
    registry.add("forebay.gateways.main.migrations", () -> "filesystem:" + migrations);
  }

  private static String text(String text) {
    return "{\"text\":\"%s\"}".formatted(text);
  }

  private static String command(long position) {
    return "{\"position\":%d,\"reason\":\"it holds up the others\"}".formatted(position);
  }

  @Test
  void theMessageFailsAndThePartitionContinues() throws Exception {
    Door door = new Door(port);
    String operator = Door.token(tokens, "olga", Role.OPERATOR, "*");
    String admin = Door.token(tokens, "anna", Role.ADMIN);
    Answer blocks = door.send("POST", ADD, operator, text("blocks"));
    Answer behind = door.send("POST", ADD, operator, text("waits"));
    assertThat(behind.status()).isEqualTo(202);
    long position = blocks.json().path("position").longValue();
    JsonNode blocking =
        await()
            .until(
                () -> door.get(SERVICE, operator).json().at("/partitions/0/waitsFor"),
                it -> it.path("attempts").asLong(0) > 1);
    assertThat(blocking.path("position").longValue()).isEqualTo(position);
    assertThat(blocking.path("reason").stringValue()).contains("SQLState 40001");

    Answer other = door.send("POST", FAIL, operator, command(position + 1));
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.json().at("/waitsFor/position").longValue()).isEqualTo(position);
    assertThat(result(door, operator, blocks)).isEqualTo("pending");

    assertThat(door.send("POST", FAIL, operator, command(position)).status()).isEqualTo(202);
    await().until(() -> result(door, operator, blocks).equals("failed"));
    await().until(() -> result(door, operator, behind).equals("done"));
    assertThat(door.get(SERVICE, operator).json().at("/partitions/0/waitsFor").isNull()).isTrue();
    JsonNode failed = door.get("/api/v1/failed", operator).json().path("failures").get(0);
    assertThat(failed.toString()).contains("HY008", "it holds up the others");
    assertThat(door.send("POST", FAIL, operator, command(position)).status()).isEqualTo(409);
    assertThat(door.get("/api/v1/audit", admin).body())
        .contains("service.fail-message", "main/0/" + position, "it holds up the others");
  }

  private static String result(Door door, String token, Answer accepted) throws Exception {
    String location = String.valueOf(accepted.headers().get("location"));
    return door.get(location, token).json().path("state").stringValue();
  }
}
