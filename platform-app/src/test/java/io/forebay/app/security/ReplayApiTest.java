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
import io.forebay.system.SystemDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;

/** Failed statements are listed by group, and sent again after the table is fixed. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = "forebay.backend=memory")
@DirtiesContext
class ReplayApiTest {

  private static final String API = "/admin/api/v1/failures";
  private static final String COUNT = API + "/count?service=main&error=22001&state=";

  private static final AtomicInteger TOKENS = new AtomicInteger();

  @TempDir static Path data;

  @Autowired Tokens tokens;
  @Autowired SystemDatabase database;
  @LocalServerPort int port;
  private Door door;
  private String operator;
  private String admin;

  @DynamicPropertySource
  static void dataDirectory(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
  }

  @BeforeEach
  void makeTokens() {
    door = new Door(port);
    String number = Integer.toString(TOKENS.incrementAndGet());
    operator = Door.token(tokens, "olga-" + number, Role.OPERATOR);
    admin = Door.token(tokens, "anna-" + number, Role.ADMIN, "*");
  }

  private void failToAdd(String text) throws Exception {
    Answer answer =
        door.send(
            "POST",
            "/api/v1/statements/notes.add?wait=10s",
            admin,
            "{\"text\":\"%s\"}".formatted(text));
    assertThat(answer.body()).contains("failed");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private JsonNode groups() throws Exception {
    return door.get(API + "?service=&from=-1h", operator).json().path("groups");
  }

  private JsonNode count() throws Exception {
    return count("open");
  }

  private JsonNode count(String state) throws Exception {
    Answer answer = door.get(COUNT + state, operator);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  /** The body of a command to the messages that were counted. */
  private static String body(JsonNode counted, String state, String reason, double perSecond) {
    return """
    {"service":"main","error":"22001","state":"%s","before":"%s","fingerprint":"%s",
    "reason":"%s","perSecond":%s,"stopAfterFailures":3}
    """
        .formatted(
            state,
            counted.path("before").stringValue(),
            counted.path("fingerprint").stringValue(),
            reason,
            perSecond);
  }

  private Answer replay(JsonNode counted, String token) throws Exception {
    String body = body(counted, "open", "the column is wider", 1000);
    return door.send("POST", API + "/replays", token, body);
  }

  private static String path(JsonNode replay) {
    return API + "/replays/" + replay.path("id").stringValue();
  }

  private JsonNode ended(Answer started) throws Exception {
    assertThat(started.status()).as(started.body()).isEqualTo(202);
    return await()
        .until(
            () -> door.get(path(started.json()), operator).json(),
            run -> !run.path("state").stringValue().equals("RUNNING"));
  }

  @Test
  void aGroupIsSentAgain() throws Exception {
    String secret = "secret ".repeat(200);
    for (int i = 0; i < 4; i++) {
      failToAdd(secret);
    }
    JsonNode group = groups().get(0);
    assertThat(groups()).hasSize(1);
    assertThat(group.path("error").stringValue()).isEqualTo("22001");
    assertThat(group.path("count").intValue()).isEqualTo(4);
    assertThat(group.path("countCapped").booleanValue()).isFalse();
    assertThat(group.path("statement").stringValue()).isEqualTo("notes.add");
    assertThat(group.path("lastMinute").intValue()).isEqualTo(4);
    String cause = group.path("cause").stringValue();
    assertThat(cause).startsWith("notes.add~");
    JsonNode list = door.get(API + "/list?service=main&error=22001&limit=3", operator).json();
    assertThat(list.path("failures")).hasSize(3);
    assertThat(list.path("next").isString()).isTrue();
    String ofCause = API + "/list?service=main&error=22001&state=open&cause=";
    assertThat(door.get(ofCause + encoded(cause), operator).json().path("failures")).hasSize(4);
    assertThat(door.get(ofCause + encoded("other~"), operator).json().path("failures")).isEmpty();
    assertThat(list.path("failures").get(0).has("payload")).isFalse();
    assertThat(groups().toString() + list).doesNotContain("secret", "insert");
    String one = API + "/" + list.at("/failures/0/id").stringValue() + "/values";
    JsonNode call = door.send("POST", one, operator, "{}").json().at("/calls/0");
    assertThat(call.path("statement").stringValue()).isEqualTo("notes.add");
    assertThat(call.at("/values/0/name").stringValue()).isEqualTo("text");
    assertThat(call.at("/values/0/value").stringValue()).startsWith("\"secret secret");

    // It fails again and stops. The failed statements keep a count of their replays.
    JsonNode counted = count();
    assertThat(counted.path("count").intValue()).isEqualTo(4);
    assertThat(groups().get(0).path("count").intValue()).as("nothing has changed").isEqualTo(4);
    JsonNode failed = ended(replay(counted, operator));
    assertThat(failed.path("state").stringValue()).isEqualTo("FAILED");
    assertThat(failed.path("text").stringValue()).contains("3 messages in a row failed again");
    assertThat(replay(counted, operator).status()).as("it is no longer as counted").isEqualTo(409);

    JsonNode again = count();
    String slowly = body(again, "open", "slowly", 0.01);
    Answer slow = door.send("POST", API + "/replays", admin, slowly);
    assertThat(slow.status()).as(slow.body()).isEqualTo(202);
    Answer refused = replay(count(), admin);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains(" is running (started by anna-");
    JsonNode running = door.get(API + "/replays", operator).json().path("runs").get(0);
    assertThat(running.path("state").stringValue()).isEqualTo("RUNNING");
    assertThat(running.path("count").intValue()).isEqualTo(4);
    assertThat(running.path("sent").intValue()).isZero();
    assertThat(running.path("reason").stringValue()).isEqualTo("slowly");
    String stop = path(slow.json()) + "/stop";
    assertThat(door.send("POST", stop, operator, "{\"reason\":\"too slow\"}").status())
        .isEqualTo(200);
    assertThat(ended(slow).path("state").stringValue()).isEqualTo("STOPPED");

    database.ask(
        ask -> ask.sql("alter table public.note alter column text varchar(2000)").update());
    JsonNode done = ended(replay(count(), admin));
    assertThat(done.path("state").stringValue()).as(done.toString()).isEqualTo("DONE");
    assertThat(done.path("failed").intValue()).isZero();
    assertThat(done.path("done").intValue()).isEqualTo(4);
    assertThat(groups()).isEmpty();

    String audit = door.get("/admin/api/v1/audit?action=failures.replay", operator).body();
    assertThat(audit)
        .contains("the column is wider", "failures.replay.result", "failed 22001 of main")
        .contains("done: 4 of 4 sent, 4 performed, 0 failed again")
        .contains("\"before\":\"4 waiting\",\"after\":\"replayed\"")
        .contains("failures.replay.stop", "too slow")
        .doesNotContain("fb_");
    assertThat(door.get("/admin/api/v1/audit?commands=true", operator).body())
        .as("Last commands shows how it ended")
        .contains("done: 4 of 4 sent, 4 performed, 0 failed again");
    assertThat(door.get("/admin/api/v1/audit?actor=nobody", operator).json().path("entries"))
        .isEmpty();
  }

  @Test
  void aGroupIsSetAsideReopenedAndDiscardedByOneCommandEach() throws Exception {
    for (int i = 0; i < 3; i++) {
      failToAdd("too long ".repeat(400));
    }
    assertThat(decided("open", "discard", operator).status()).isEqualTo(403);
    assertThat(decided("open", "set-aside", operator).json().path("decided").intValue())
        .isEqualTo(3);
    assertThat(groups()).isEmpty();
    assertThat(decided("set-aside", "reopen", operator).json().path("decided").intValue())
        .isEqualTo(3);
    assertThat(groups().get(0).path("count").intValue()).isEqualTo(3);

    JsonNode counted = count();
    assertThat(decided("open", "discard", admin).json().path("decided").intValue()).isEqualTo(3);
    assertThat(groups()).isEmpty();
    String late = body(counted, "open", "late", 5);
    assertThat(door.send("POST", API + "/group/discard", admin, late).status())
        .as("somebody was faster")
        .isEqualTo(409);
    JsonNode entries =
        door.get("/admin/api/v1/audit?action=failures.discard", operator).json().path("entries");
    assertThat(entries).hasSize(1);
    JsonNode entry = entries.get(0);
    assertThat(entry.path("target").stringValue()).isEqualTo("failed 22001 of main, 3 messages");
    assertThat(entry.path("reason").stringValue()).isEqualTo("a test");
    assertThat(entry.at("/changes/0/after").stringValue()).isEqualTo("discarded");
    assertThat(
            door.get("/admin/api/v1/audit?action=failed.discard", operator).json().path("entries"))
        .as("one entry for all")
        .isEmpty();
  }

  private Answer decided(String state, String command, String token) throws Exception {
    String body = body(count(state), state, "a test", 5);
    return door.send("POST", API + "/group/" + command, token, body);
  }

  @Test
  void invalidCommandsToGroupsAreRefused() throws Exception {
    assertThat(door.send("POST", API + "/replays", admin, "{\"reason\":\"r\"}").status())
        .isEqualTo(400);
    assertThat(door.get(API + "?from=yesterday", admin).status()).isEqualTo(400);
    assertThat(door.get(API + "/count?service=main", admin).status()).isEqualTo(400);
    assertThat(door.get(API + "/replays/none", admin).status()).isEqualTo(404);
    assertThat(door.send("POST", API + "/replays/none/stop", operator, "{}").status())
        .as("it does not run")
        .isEqualTo(404);
    JsonNode counted = count();
    for (String body :
        List.of(
            body(counted, "open", "", 5),
            body(counted, "open", "a", 0),
            body(counted, "gone", "a", 5))) {
      assertThat(door.send("POST", API + "/replays", operator, body).status())
          .as(body)
          .isEqualTo(400);
    }
  }
}
