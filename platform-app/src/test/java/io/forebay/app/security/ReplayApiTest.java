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
  private static final String GROUP = "{\"service\":\"main\",\"error\":\"22001\",\"ids\":null}";
  private static final String RUN =
      "{\"reason\":\"the column is wider\",\"perSecond\":1000,\"stopAfterFailures\":3}";

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

  private JsonNode plan() throws Exception {
    Answer answer = door.send("POST", API + "/plans", operator, GROUP);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  private Answer run(JsonNode plan, String token) throws Exception {
    return door.send("POST", path(plan) + "/run", token, RUN);
  }

  private static String path(JsonNode plan) {
    return API + "/plans/" + plan.path("id").stringValue();
  }

  private JsonNode ended(JsonNode plan) throws Exception {
    return await()
        .until(
            () -> door.get(path(plan), operator).json(),
            run -> !run.path("state").stringValue().equals("running"));
  }

  @Test
  void aGroupIsSentAgainByAPlan() throws Exception {
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
    String ofCause = API + "/list?service=main&error=22001&cause=";
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
    JsonNode plan = plan();
    assertThat(plan.path("performable").intValue()).isEqualTo(4);
    assertThat(groups().get(0).path("count").intValue()).as("nothing has changed").isEqualTo(4);
    assertThat(run(plan, operator).status()).isEqualTo(202);
    JsonNode failed = ended(plan);
    assertThat(failed.path("state").stringValue()).isEqualTo("failed");
    assertThat(failed.path("text").stringValue()).contains("3 messages in a row failed again");
    assertThat(run(plan, operator).status()).as("a plan is run once").isEqualTo(409);

    for (int i = 0; i < 2; i++) {
      JsonNode next = plan();
      assertThat(run(next, operator).status()).isEqualTo(202);
      ended(next);
    }
    JsonNode guarded = plan();
    assertThat(guarded.path("overReplays").intValue()).isPositive();
    String slow = "{\"reason\":\"slowly\",\"perSecond\":0.01,\"stopAfterFailures\":3}";
    assertThat(door.send("POST", path(guarded) + "/run", admin, slow).status()).isEqualTo(202);
    JsonNode second = plan();
    assertThat(second.path("running")).isEqualTo(guarded.path("id"));
    Answer refused = run(second, admin);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains(" is running (started by anna-");
    JsonNode running = door.get(API + "/plans", operator).json().path("runs").get(0);
    assertThat(running.path("state").stringValue()).isEqualTo("running");
    assertThat(running.path("notAttempted").intValue()).isEqualTo(4);
    assertThat(running.at("/started/reason").stringValue()).isEqualTo("slowly");
    assertThat(
            door.send("POST", path(guarded) + "/stop", operator, "{\"reason\":\"too slow\"}")
                .status())
        .isEqualTo(200);
    assertThat(ended(guarded).path("state").stringValue()).isEqualTo("stopped");

    database.ask(
        ask -> ask.sql("alter table public.note alter column text varchar(2000)").update());
    JsonNode last = plan();
    assertThat(run(last, admin).status()).isEqualTo(202);
    JsonNode done = ended(last);
    assertThat(done.path("state").stringValue()).as(done.toString()).isEqualTo("done");
    assertThat(done.path("failed").intValue()).isZero();
    assertThat(done.path("done").intValue()).isEqualTo(4);
    assertThat(groups()).isEmpty();

    String audit = door.get("/admin/api/v1/audit?action=failures.replay", operator).body();
    assertThat(audit)
        .contains("the column is wider", "failures.replay.result", "failed 22001 of main")
        .contains("done: 4 of 4 sent, 4 performed, 0 failed again")
        .contains("\"before\":\"4 waiting\",\"after\":\"replayed\"")
        .contains("\"after\":\"4 performed, 0 failed again, 0 not attempted\"")
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
    assertThat(decided(GROUP, "discard", operator).status()).isEqualTo(403);
    assertThat(decided(GROUP, "set-aside", operator).json().path("decided").intValue())
        .isEqualTo(3);
    assertThat(groups()).isEmpty();
    String aside = GROUP.replace("\"ids\"", "\"state\":\"set-aside\",\"ids\"");
    assertThat(decided(aside, "reopen", operator).json().path("decided").intValue()).isEqualTo(3);
    assertThat(groups().get(0).path("count").intValue()).isEqualTo(3);

    JsonNode plan = plan();
    assertThat(decided(GROUP, "discard", admin).json().path("decided").intValue()).isEqualTo(3);
    assertThat(groups()).isEmpty();
    Answer late = door.send("POST", path(plan) + "/discard", admin, "{\"reason\":\"late\"}");
    assertThat(late.json().path("decided").intValue()).as("somebody was faster").isZero();
    JsonNode entries =
        door.get("/admin/api/v1/audit?action=failures.discard", operator).json().path("entries");
    assertThat(entries).hasSize(2);
    JsonNode entry = entries.get(1);
    assertThat(entry.path("target").stringValue()).isEqualTo("failed 22001 of main, 3 messages");
    assertThat(entry.path("reason").stringValue()).isEqualTo("a test");
    assertThat(entry.at("/changes/0/after").stringValue()).isEqualTo("discarded");
    assertThat(
            door.get("/admin/api/v1/audit?action=failed.discard", operator).json().path("entries"))
        .as("one entry for all")
        .isEmpty();
  }

  private Answer decided(String group, String command, String token) throws Exception {
    JsonNode plan = door.send("POST", API + "/plans", operator, group).json();
    return door.send("POST", path(plan) + "/" + command, token, "{\"reason\":\"a test\"}");
  }

  @Test
  void invalidPlansAreRefused() throws Exception {
    assertThat(door.send("POST", API + "/plans", admin, "{}").status()).isEqualTo(400);
    assertThat(door.get(API + "?from=yesterday", admin).status()).isEqualTo(400);
    assertThat(door.get(API + "/plans/none", admin).status()).isEqualTo(404);
    String mine = API + "/plans/" + plan().path("id").stringValue();
    assertThat(door.send("POST", mine + "/run", operator, "{}").status())
        .as("without a reason")
        .isEqualTo(400);
    assertThat(
            door.send("POST", mine + "/run", operator, "{\"reason\":\"a\",\"perSecond\":0}")
                .status())
        .isEqualTo(400);
    assertThat(door.send("POST", mine + "/stop", operator, "{}").status())
        .as("it does not run")
        .isEqualTo(404);
  }
}
