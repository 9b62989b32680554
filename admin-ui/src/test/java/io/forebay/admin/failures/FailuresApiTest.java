/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.admin.AdminServer;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureId;
import io.forebay.operations.failures.Failures;
import io.forebay.web.Problem;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;

/** Failed messages in the admin API, over real HTTP. */
@ExtendWith(OutputCaptureExtension.class)
class FailuresApiTest extends AdminServer {

  private static final String ID = "shop~0~7~q";

  @BeforeEach
  void aMessageFailed() {
    failures.add(0, 7);
  }

  private Failure failure() {
    return failures.find(FailureId.of(ID)).orElseThrow();
  }

  @Test
  void listsFailuresAndReplaysOneOnce() {
    failures.add(0, 6);
    JsonNode page = get("/api/v1/failed?service=shop&limit=1");
    JsonNode older =
        get("/api/v1/failed?service=shop&limit=1&before=" + page.get("next").asString());
    assertThat(older.at("/failures/0/id").asString()).isEqualTo("shop~0~6~q");
    assertThat(older.get("next").isNull()).isTrue();
    assertThat(page.get("failures").get(0).get("bytes").asInt()).isEqualTo(99);
    String replay = "/api/v1/failed/shop~0~7~q/replay";
    HttpResponse<String> sent = send("POST", replay, "OPERATOR", "{\"reason\":\"fixed\"}");
    assertThat(sent.statusCode()).isEqualTo(202);
    assertThat(json(sent).get("replay").get("by").asString()).isEqualTo("olga");
    assertThat(audited)
        .extracting(Audit.Entry::action, Audit.Entry::target, Audit.Entry::reason)
        .containsExactly(tuple("failed.replay", "shop~0~7~q", "fixed"));
    assertThat(send("POST", replay, "OPERATOR", "{\"reason\":\"again\"}").statusCode())
        .isEqualTo(409);
    assertThat(audited).last().extracting(Audit.Entry::outcome).asString().startsWith("failed: ");
  }

  @Test
  void onlyAnAdministratorReplaysWhatWasReplayedTooOften() {
    failures.replayedBefore(ID, 3);
    String replay = "/api/v1/failed/" + ID + "/replay";
    assertThat(send("POST", replay, "OPERATOR", "{\"reason\":\"r\"}").statusCode()).isEqualTo(403);
    assertThat(failure().replay()).isNull();
    assertThat(send("POST", replay, "ADMIN", "{\"reason\":\"r\"}").statusCode()).isEqualTo(202);
  }

  @Test
  void aFailedMessageIsSetAsideReopenedAndDiscarded() {
    String path = "/admin/api/v1/failures/shop~0~7~q/";
    String reason = "{\"reason\":\"r\"}";
    HttpResponse<String> aside = send("POST", path + "set-aside", "OPERATOR", reason);
    assertThat(aside.statusCode()).as(aside.body()).isEqualTo(200);
    assertThat(json(aside).at("/decision/by").asString()).isEqualTo("olga");
    assertThat(json(aside).at("/decision/reason").asString()).isEqualTo("r");
    HttpResponse<String> again = send("POST", path + "set-aside", "OPERATOR", reason);
    assertThat(again.statusCode()).isEqualTo(409);
    assertThat(json(again).get("detail").asString()).contains("set aside by olga");
    assertThat(send("POST", path + "reopen", "OPERATOR", null).statusCode()).isEqualTo(200);
    assertThat(send("POST", path + "discard", "ADMIN", reason).statusCode()).isEqualTo(200);
    assertThat(audited)
        .extracting(it -> it.action() + " " + it.outcome().split(":")[0])
        .containsExactly(
            "failed.set-aside allowed",
            "failed.set-aside allowed",
            "failed.set-aside failed",
            "failed.reopen allowed",
            "failed.discard allowed");
    auditAway = true;
    assertThat(send("POST", path + "reopen", "OPERATOR", null).statusCode()).isEqualTo(503);
  }

  @Test
  void anExportIsAFileWithTheBytesAndThePositionAndIsInTheAudit() {
    String path = "/api/v1/failed/shop~0~7~q/export";
    auditAway = true;
    assertThat(send("POST", path, "OPERATOR", null).statusCode()).isEqualTo(503);
    auditAway = false;
    HttpResponse<String> file = send("POST", path, "OPERATOR", "{\"reason\":\"for the sender\"}");
    assertThat(file.statusCode()).as(file.body()).isEqualTo(200);
    assertThat(file.headers().firstValue("Content-Disposition"))
        .hasValue("attachment; filename=\"failed-shop-0-7.json\"");
    assertThat(file.headers().allValues("Cache-Control")).containsExactly("no-store");
    JsonNode exported = json(file);
    assertThat(exported.get("bytes").binaryValue()).asString().isEqualTo("SECRET");
    assertThat(exported.get("size").asInt()).isEqualTo(6);
    assertThat(exported.get("sha256").asString())
        .isEqualTo("0917b13a9091915d54b6336f45909539cce452b3661b21f386418a257883b30a");
    assertThat(exported.get("queue").asString()).isEqualTo("q");
    assertThat(exported.get("partition").asInt()).isZero();
    assertThat(exported.get("position").asLong()).isEqualTo(7);
    assertThat(audited)
        .singleElement()
        .returns("failed.export", Audit.Entry::action)
        .returns("shop~0~7~q", Audit.Entry::target)
        .returns("for the sender", Audit.Entry::reason);
  }

  @Test
  void anExportTellsAMessageThatWasDeletedFromOneThatIsTooLarge() {
    String path = "/api/v1/failed/shop~0~7~q/export";
    failures.hasBytes = false;
    HttpResponse<String> large = send("POST", path, "OPERATOR", null);
    assertThat(large.statusCode()).isEqualTo(409);
    assertThat(json(large).get("detail").asString()).contains("too large");
    failures.deletedBeforeItIsRead = true;
    HttpResponse<String> deleted = send("POST", path, "OPERATOR", null);
    assertThat(deleted.statusCode()).isEqualTo(404);
    assertThat(json(deleted).get("detail").asString()).contains("deleted");
  }

  @Test
  void groupsAreOfTheLastDayIfTheyAreOpenAndOfAnyTimeOtherwise() {
    get("/admin/api/v1/failures");
    assertThat(failures.groupsOf).isEqualTo(Failure.State.OPEN);
    assertThat(failures.groupsFrom)
        .isBetween(Instant.now().minusSeconds(86_460), Instant.now().minusSeconds(86_340));
    get("/admin/api/v1/failures?state=set-aside");
    assertThat(failures.groupsOf).isEqualTo(Failure.State.SET_ASIDE);
    assertThat(failures.groupsFrom).isEqualTo(Instant.EPOCH);
    get("/admin/api/v1/failures?state=discarded&from=2026-11-20T01:00:00Z");
    assertThat(failures.groupsOf).isEqualTo(Failure.State.DISCARDED);
    assertThat(failures.groupsFrom).isEqualTo("2026-11-20T01:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/failed/shop~0~7~q/values, failed.values",
    "/admin/api/v1/failures/shop~0~7~q/values, failed.values"
  })
  void valuesAreShownOnlyWithALookThatIsInTheAudit(
      String path, String action, CapturedOutput output) {
    LoggingSystem logs = LoggingSystem.get(getClass().getClassLoader());
    logs.setLogLevel("org.springframework.web", LogLevel.TRACE);
    try {
      auditAway = true;
      HttpResponse<String> refused = send("POST", path, "OPERATOR", null);
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).doesNotContain("SECRET");
      auditAway = false;
      assertThat(audited).isEmpty();
      HttpResponse<String> shown = send("POST", path, "OPERATOR", null);
      assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
      assertThat(shown.headers().allValues("Cache-Control")).containsExactly("no-store");
      assertThat(json(shown).at("/calls/0/arguments/0").asString()).isEqualTo("[\"SECRET\"]");
      assertThat(json(shown).get("error").asString()).contains("SECRET");
    } finally {
      logs.setLogLevel("org.springframework.web", null);
    }
    Actor olga = new Actor(Actor.Kind.APPLICATION, "olga", "operator", "127.0.0.1");
    assertThat(audited).containsExactly(Audit.Entry.allowed(olga, action, "shop~0~7~q", ""));
    assertThat(output.getAll()).contains("values of shop~0~7~q").doesNotContain("SECRET");
    assertThat(get("/api/v1/failed").toString()).doesNotContain("SECRET");
    Failures all = new Failures(List.of(failures));
    assertThatThrownBy(() -> ShownValues.answer(all, ID, olga, Audit.none()))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("no audit");
  }

  private static final String GROUP = "service=shop&error=23505&state=open";

  /** The body of a command to the messages that were counted. */
  private static String body(JsonNode counted) {
    return """
    {"service":"shop","error":"23505","reason":"r","before":"%s","fingerprint":"%s","perSecond":1000}
    """
        .formatted(counted.get("before").asString(), counted.get("fingerprint").asString());
  }

  @Test
  void aCommandToAGroupIsRefusedIfItsMessagesAreNoLongerThoseThatWereCounted() {
    failures.add(0, 8);
    JsonNode counted = get("/admin/api/v1/failures/count?" + GROUP);
    assertThat(counted.get("count").asInt()).isEqualTo(2);
    send("POST", "/api/v1/failed/" + ID + "/set-aside", "OPERATOR", "{\"reason\":\"r\"}");
    audited.clear();
    for (String command : List.of("replays", "group/set-aside", "group/discard")) {
      HttpResponse<String> refused =
          send("POST", "/admin/api/v1/failures/" + command, "ADMIN", body(counted));
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
      assertThat(json(refused).get("detail").asString()).contains("count them again");
    }
    assertThat(audited).isEmpty();
    JsonNode again = get("/admin/api/v1/failures/count?" + GROUP);
    assertThat(again.get("count").asInt()).isEqualTo(1);
    failures.add(0, 4_000_000_000_000L); // fails after the count
    HttpResponse<String> done =
        send("POST", "/admin/api/v1/failures/group/discard", "ADMIN", body(again));
    assertThat(json(done).get("decided").asInt()).isEqualTo(1);
    assertThat(audited)
        .singleElement()
        .returns("failures.discard", Audit.Entry::action)
        .returns("failed 23505 of shop, 1 message", Audit.Entry::target)
        .returns("messages: 1 waiting → discarded", it -> it.change().text());
    assertThat(failure().state()).isEqualTo(Failure.State.SET_ASIDE);
  }

  @Test
  void aGroupIsReplayedOnceHoweverOftenTheCommandIsSent() {
    failures.outcome = Failure.Outcome.DONE;
    JsonNode counted = get("/admin/api/v1/failures/count?" + GROUP);
    String path = "/admin/api/v1/failures/replays";
    HttpResponse<String> started = send("POST", path, "OPERATOR", body(counted));
    assertThat(started.statusCode()).as(started.body()).isEqualTo(202);
    String replay = path + "/" + json(started).get("id").asString();
    await().until(() -> !get(replay).get("state").asString().equals("RUNNING"));
    assertThat(get(path).at("/runs/0")).isEqualTo(get(replay));
    assertThat(get(replay).get("done").asInt()).isEqualTo(1);
    assertThat(get(replay).get("by").asString()).isEqualTo("olga");
    assertThat(send("POST", path, "OPERATOR", body(counted)).statusCode()).isEqualTo(409);
    assertThat(failure().replays()).isEqualTo(1);
    assertThat(audited)
        .extracting(it -> it.action() + " " + it.outcome().split(",")[0])
        .contains("failures.replay allowed", "failures.replay.result done: 1 of 1 sent");
  }
}
