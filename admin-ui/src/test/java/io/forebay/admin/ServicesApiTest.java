/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Writer;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.errors.BlockingMessage;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Services in the admin API, over real HTTP. */
class ServicesApiTest extends AdminServer {

  @Test
  void showsWhatEachServiceDoesAndHowFarItIs() {
    Instant before = Instant.now();
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      writer.calls().greet("olga");
      await().until(() -> service.position(0) == 1);
      service.pause("for the test");
      await().until(() -> service.state().phase() == Phase.PAUSED);
      writer.calls().greet("otto");
    }
    JsonNode status = get("/api/v1/status");
    assertThat(status.get("instance").asString()).isEqualTo("test");
    assertThat(status.get("backend").asString()).isEqualTo("memory");
    assertThat(status.get("ready").asBoolean()).isTrue();
    JsonNode one = status.get("services").get(0);
    assertThat(one).isEqualTo(get("/api/v1/services/greeting"));
    assertThat(one.get("state").asString()).isEqualTo("paused");
    assertThat(one.get("reason").asString()).isEqualTo("for the test");
    assertThat(one.get("behind").asLong()).isEqualTo(1);
    assertThat(Instant.parse(one.get("oldest").asString()))
        .isBetween(before.truncatedTo(ChronoUnit.MILLIS), Instant.now());
    assertThat(one.get("counts").get("performed").asLong()).isEqualTo(1);
    assertThat(one.get("lastError").isNull()).isTrue();
    JsonNode partition = one.get("partitions").get(0);
    assertThat(partition.get("position").asLong()).isEqualTo(1);
    assertThat(partition.get("end").asLong()).isEqualTo(2);
    assertThat(partition.get("in").get("bytes").asLong()).isPositive();
    assertThat(status.toString()).doesNotContain("otto");
  }

  private static final String UNTIL_RESUMED = "{\"reason\":\"migration\",\"until\":\"never\"}";

  @Test
  void pauseResumeAndDrainAreInTheAudit() {
    assertThat(command("greeting/pause", "OPERATOR", UNTIL_RESUMED)).isEqualTo(200);
    await().until(() -> service.state().phase() == Phase.PAUSED);
    JsonNode desired = get("/api/v1/services/greeting").get("desired");
    assertThat(desired.get("paused").asBoolean()).isTrue();
    assertThat(desired.get("reason").asString()).isEqualTo("migration");
    assertThat(desired.get("by").asString()).isEqualTo("olga");
    assertThat(command("greeting/pause", "OPERATOR", UNTIL_RESUMED)).isEqualTo(200);
    assertThat(command("greeting/resume", "OPERATOR", null)).isEqualTo(200);
    await().until(() -> service.state().phase() == Phase.RUNNING);
    assertThat(command("greeting/resume", "OPERATOR", null)).isEqualTo(200);
    assertThat(command("greeting/drain", "ADMIN", "{\"reason\":\"move\"}")).isEqualTo(202);
    await().until(() -> service.state().phase() == Phase.DRAINED);
    assertThat(get("/api/v1/status").get("ready").asBoolean()).isFalse();
    Actor olga = new Actor(Actor.Kind.APPLICATION, "olga", "operator", "127.0.0.1");
    assertThat(audited)
        .containsExactly(
            Audit.Entry.allowed(olga, "service.pause", "greeting", "migration")
                .changing(
                    new Audit.Change(
                        List.of(
                            new Audit.Field("state", "running", "paused"),
                            new Audit.Field("reason", "", "migration"),
                            new Audit.Field("by", "", "olga")))),
            Audit.Entry.allowed(olga, "service.pause", "greeting", "migration")
                .withOutcome("allowed, was already paused"),
            Audit.Entry.allowed(olga, "service.resume", "greeting", "")
                .changing(
                    new Audit.Change(
                        List.of(
                            new Audit.Field("state", "paused", "running"),
                            new Audit.Field("reason", "migration", ""),
                            new Audit.Field("by", "olga", "")))),
            Audit.Entry.allowed(olga, "service.resume", "greeting", "")
                .withOutcome("allowed, was not paused"),
            Audit.Entry.allowed(
                    new Actor(Actor.Kind.APPLICATION, "olga", "admin", "127.0.0.1"),
                    "service.drain",
                    "greeting",
                    "move")
                .changing(Audit.Change.of("state", "running", "draining")));
  }

  @Test
  void aPauseMayHaveAnEndAndEndsThen() {
    Instant before = Instant.now();
    assertThat(
            command("greeting/pause", "OPERATOR", "{\"reason\":\"migration\",\"until\":\"30m\"}"))
        .isEqualTo(200);
    Instant end = Instant.parse(get("/api/v1/services/greeting").at("/desired/until").asString());
    assertThat(end).isBetween(before.plusSeconds(1799), Instant.now().plusSeconds(1800));
    assertThat(audited)
        .singleElement()
        .satisfies(it ->
            assertThat(it.outcome())
                .isEqualTo("allowed, until " + end.truncatedTo(ChronoUnit.SECONDS)));
    HttpResponse<String> second =
        send(
            "POST",
            "/api/v1/services/greeting/pause",
            "OPERATOR",
            "{\"reason\":\"too slow\",\"until\":\"%s\"}"
                .formatted(end.atOffset(ZoneOffset.ofHours(2))));
    assertThat(second.statusCode()).isEqualTo(409);
    assertThat(json(second).at("/paused/until").asString()).isEqualTo(end.toString());
    assertThat(json(second).get("detail").asString())
        .contains("until " + end.truncatedTo(ChronoUnit.SECONDS));
    assertThat(command("greeting/resume", "OPERATOR", null)).isEqualTo(200);
    assertThat(get("/api/v1/services/greeting").at("/desired/until").isNull()).isTrue();
  }

  @Test
  void aPauseWithoutAnEndInItsRequestEndsAfterFourHours() {
    Instant before = Instant.now();
    String pause = "{\"reason\":\"migration\"}";
    assertThat(command("greeting/pause", "OPERATOR", pause)).isEqualTo(200);
    JsonNode desired = get("/api/v1/services/greeting").get("desired");
    assertThat(Instant.parse(desired.get("until").asString()))
        .isBetween(
            before.plus(Duration.ofHours(4)).truncatedTo(ChronoUnit.SECONDS),
            Instant.now().plus(Duration.ofHours(4)));
    String repeated = "{\"reason\":\"migration\",\"until\":null}";
    assertThat(command("greeting/pause", "OPERATOR", repeated)).isEqualTo(200);
    assertThat(get("/api/v1/services/greeting").get("desired")).isEqualTo(desired);
  }

  @Test
  void aPauseForADurationMayBeRepeated() {
    String pause = "{\"reason\":\"%s\",\"until\":\"%s\"}";
    String first = pause.formatted("migration", "30m");
    assertThat(command("greeting/pause", "OPERATOR", first)).isEqualTo(200);
    JsonNode desired = get("/api/v1/services/greeting").get("desired");
    for (String repeated : List.of(first, pause.formatted("migration", "PT30M"))) {
      assertThat(command("greeting/pause", "OPERATOR", repeated)).isEqualTo(200);
      assertThat(get("/api/v1/services/greeting").get("desired")).isEqualTo(desired);
    }
    String end = Instant.parse(desired.get("until").asString()).plusSeconds(1).toString();
    for (String other :
        List.of(
            pause.formatted("migration", "45m"),
            pause.formatted("migration", "29m"),
            pause.formatted("too slow", "30m"),
            pause.formatted("migration", end))) {
      assertThat(command("greeting/pause", "OPERATOR", other)).as(other).isEqualTo(409);
    }
    assertThat(get("/api/v1/services/greeting").get("desired")).isEqualTo(desired);
  }

  @Test
  void aSecondPauseNeedsTheTimeOfTheFirst() {
    String path = "/api/v1/services/greeting/pause";
    assertThat(command("greeting/pause", "OPERATOR", UNTIL_RESUMED)).isEqualTo(200);
    JsonNode first = get("/api/v1/services/greeting").get("desired");
    HttpResponse<String> refused =
        send("POST", path, "OPERATOR", "{\"reason\":\"too slow\",\"until\":\"never\"}");
    assertThat(refused.statusCode()).isEqualTo(409);
    JsonNode problem = JsonMapper.shared().readTree(refused.body());
    assertThat(problem.get("detail").asString())
        .startsWith("olga has paused the service already (since ")
        .contains("reason: migration");
    JsonNode pause = problem.get("paused");
    assertThat(pause.get("by").asString()).isEqualTo("olga");
    assertThat(pause.get("reason").asString()).isEqualTo("migration");
    assertThat(pause.get("at")).isEqualTo(first.get("at"));
    assertThat(get("/api/v1/services/greeting").get("desired")).isEqualTo(first);

    String seen = "{\"reason\":\"too slow\",\"replaces\":\"%s\"}";
    assertThat(command("greeting/pause", "OPERATOR", seen.formatted("2026-01-01T00:00:00Z")))
        .isEqualTo(409);
    assertThat(command("greeting/pause", "OPERATOR", seen.formatted("yesterday"))).isEqualTo(400);
    assertThat(command("greeting/pause", "OPERATOR", seen.formatted(first.get("at").asString())))
        .isEqualTo(200);
    assertThat(get("/api/v1/services/greeting").at("/desired/reason").asString())
        .isEqualTo("too slow");
    assertThat(audited)
        .extracting(Audit.Entry::reason, it -> it.outcome().substring(0, 7))
        .containsExactly(
            tuple("migration", "allowed"),
            tuple("too slow", "refused"),
            tuple("too slow", "refused"),
            tuple("too slow", "allowed"));
    assertThat(audited.get(1).outcome()).startsWith("refused: already paused by olga since 20");
  }

  @Test
  void onlyDamagedQueuesAreSetAside() {
    String reason = "{\"reason\":\"disk\"}";
    assertThat(command("greeting/partitions/0/set-aside", "ADMIN", reason)).isEqualTo(409);
    assertThat(command("greeting/partitions/0/set-aside", "ADMIN", null)).isEqualTo(400);
    assertThat(command("greeting/partitions/7/set-aside", "ADMIN", reason)).isEqualTo(404);
    assertThat(command("greeting/partitions/x/set-aside", "ADMIN", reason)).isEqualTo(404);
    Audit.Entry entry =
        Audit.Entry.allowed(
            new Actor(Actor.Kind.APPLICATION, "olga", "admin", "127.0.0.1"),
            "service.set-aside",
            "greeting/0",
            "disk");
    assertThat(audited)
        .containsExactly(
            entry.changing(
                Audit.Change.of("damaged files", "in use", "set aside at the next start")),
            entry.withOutcome(
                "failed: The queues of this backend have no files that could be set aside."));
  }

  @Test
  void onlyTheMessageThatAPartitionWaitsForCanFail() {
    String path = "greeting/partitions/0/fail-message";
    String right = "{\"position\":5,\"reason\":\"it holds up the others\"}";
    assertThat(command("nobody/partitions/0/fail-message", "OPERATOR", right)).isEqualTo(404);
    assertThat(command("greeting/partitions/7/fail-message", "OPERATOR", right)).isEqualTo(404);
    assertThat(command("greeting/partitions/x/fail-message", "OPERATOR", right)).isEqualTo(404);
    for (String wrong :
        List.of(
            "{\"position\":5}",
            "{\"reason\":\"r\"}",
            "{\"position\":\"5\",\"reason\":\"r\"}",
            "{\"position\":5.5,\"reason\":\"r\"}",
            "{\"position\":99999999999999999999,\"reason\":\"r\"}")) {
      assertThat(command(path, "OPERATOR", wrong)).as(wrong).isEqualTo(400);
    }
    assertThat(command(path, "OPERATOR", null)).isEqualTo(400);
    assertThat(audited).isEmpty();
    HttpResponse<String> none = send("POST", "/api/v1/services/" + path, "OPERATOR", right);
    assertThat(none.statusCode()).isEqualTo(409);
    assertThat(json(none).get("type").asString()).isEqualTo("urn:forebay:problem:conflict");
    assertThat(json(none).has("waitsFor")).isFalse();
    waitsFor = new BlockingMessage(4, Instant.EPOCH, 12, "SQLState 40001");
    assertThat(get("/api/v1/services/greeting").at("/partitions/0/waitsFor/attempts").asLong())
        .isEqualTo(12);
    HttpResponse<String> other = send("POST", "/api/v1/services/" + path, "OPERATOR", right);
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(json(other).at("/waitsFor/position").asLong()).isEqualTo(4);
    assertThat(json(other).get("detail").asString()).contains("position 4 now");
    waitsFor = new BlockingMessage(5, Instant.EPOCH, 12, "SQLState 40001");
    HttpResponse<String> done = send("POST", "/api/v1/services/" + path, "OPERATOR", right);
    assertThat(done.statusCode()).isEqualTo(202);
    assertThat(json(done).get("position").asLong()).isEqualTo(5);
    assertThat(failed).containsExactly("0/5 it holds up the others");
    Audit.Entry entry =
        Audit.Entry.allowed(
            new Actor(Actor.Kind.APPLICATION, "olga", "operator", "127.0.0.1"),
            "service.fail-message",
            "greeting/0/5",
            "it holds up the others");
    Audit.Entry allowed =
        entry.changing(Audit.Change.of("message", "blocks the partition", "failed"));
    assertThat(audited)
        .containsExactly(
            allowed,
            entry.withOutcome(
                "failed: This instance waits for no message of the partition; nothing was done."),
            allowed,
            entry.withOutcome(
                "failed: The partition waits for the message at position 4 now; nothing was done."),
            allowed);
    auditAway = true;
    assertThat(command(path, "OPERATOR", right)).isEqualTo(503);
    assertThat(failed).hasSize(1);
  }

  private int command(String path, @Nullable String role, @Nullable String body) {
    return send("POST", "/api/v1/services/" + path, role, body).statusCode();
  }
}
