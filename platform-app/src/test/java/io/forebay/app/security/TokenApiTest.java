/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.access.Admitted;
import io.forebay.access.FirstAccess;
import io.forebay.access.Passwords;
import io.forebay.access.Role;
import io.forebay.access.TokenFile;
import io.forebay.access.TokenText;
import io.forebay.access.Tokens;
import io.forebay.access.Users;
import io.forebay.app.security.Door.Answer;
import io.forebay.operations.Audit;
import io.forebay.security.WrittenRefusals;
import io.forebay.system.StoredToken;
import io.forebay.system.SystemDatabase;
import io.forebay.system.TokenStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {"forebay.backend=memory", "server.forward-headers-strategy=native"})
@Import(SendingJob.class)
@DirtiesContext
class TokenApiTest {

  @TempDir static Path data;
  private static String admin;

  @Autowired Tokens tokens;
  @Autowired ApplicationContext context;
  @LocalServerPort int port;
  private Door door;

  @DynamicPropertySource
  static void dataDirectory(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
  }

  @BeforeEach
  void makeAnAdministrator() {
    door = new Door(port);
    if (admin == null) {
      admin = Door.token(tokens, "anna", Role.ADMIN);
    }
  }

  private Answer make(String json) throws Exception {
    return door.send("POST", "/api/v1/tokens", admin, json);
  }

  private JsonNode lastOfTheAudit() throws Exception {
    return door.get("/api/v1/audit?limit=1", admin).json().path("entries").get(0);
  }

  @Test
  void aTokenIsShownOnceAndIsValidUntilItIsDeleted() throws Exception {
    Answer made = make("{\"name\":\"shop\",\"role\":\"viewer\",\"statements\":[\"notes.*\"]}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.headers()).containsEntry("location", "/api/v1/tokens/shop");
    String token = made.json().path("token").stringValue();
    assertThat(token).matches("fb_[A-Za-z0-9_-]{43}");
    assertThat(made.json().path("createdBy").stringValue()).isEqualTo("anna");
    assertThat(lastOfTheAudit().toString())
        .contains("\"kind\":\"token\"", "\"actor\":\"anna\"", "token.create")
        .contains("\"target\":\"shop\"", "role viewer, statements notes.*", "allowed")
        .doesNotContain(token);

    assertThat(door.get("/actuator/prometheus", token).status()).isEqualTo(200);
    Answer list = door.get("/api/v1/tokens", admin);
    assertThat(list.body())
        .contains("\"shop\"", "notes.*", "\"anna\"", "\"admin\"")
        .doesNotContain("hash", token, TokenText.hash(token));

    assertThat(door.send("DELETE", "/api/v1/tokens/shop", admin, null).status()).isEqualTo(204);
    assertThat(door.get("/actuator/prometheus", token).status()).isEqualTo(401);
    assertThat(door.send("DELETE", "/api/v1/tokens/shop", admin, null).status()).isEqualTo(404);
  }

  @Test
  void aTokenEndsAndOnlyTheAuditTellsItFromAnUnknownOne() throws Exception {
    Answer made = make("{\"name\":\"yearly\",\"role\":\"none\"}");
    Instant end = Instant.parse(made.json().path("expiresAt").stringValue());
    assertThat(Duration.between(Instant.now(), end))
        .isBetween(Duration.ofDays(364), Duration.ofDays(365));
    for (String wrong : List.of("2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z", "tomorrow")) {
      Answer refused = make(ending("wrong", wrong));
      assertThat(refused.status()).as(wrong).isEqualTo(400);
      assertThat(refused.body()).as(wrong).contains("/expiresAt");
    }

    String token =
        make(ending("short", Instant.now().plusSeconds(5).toString()))
            .json()
            .path("token")
            .stringValue();
    assertThat(door.get("/api/v1/results", token).status()).isEqualTo(200);
    await().until(() -> door.get("/api/v1/results", token).status() == 401);
    Answer ended = door.get("/api/v1/results", token);
    Answer unknown = door.get("/api/v1/results", TokenText.generate());
    assertThat(ended.body()).contains("The token has ended");
    assertThat(unknown.body()).contains("The token is unknown");
    assertThat(ended.headers().get("www-authenticate"))
        .isEqualTo(unknown.headers().get("www-authenticate"));
    await()
        .untilAsserted(() -> {
          WrittenRefusals.write(context);
          assertThat(door.get("/api/v1/audit?limit=1&actor=short", admin).body())
              .contains("\"kind\":\"token\"", "refused (401)");
        });
  }

  private static String ending(String name, String end) {
    return "{\"name\":\"%s\",\"role\":\"none\",\"expiresAt\":\"%s\"}".formatted(name, end);
  }

  @Test
  void thePageWarnsAdministratorsBeforeALastingTokenEnds() throws Exception {
    Instant now = Instant.now();
    Instant end = now.plus(Duration.ofDays(3));
    for (Duration age : List.of(Duration.ofDays(30), Duration.ZERO)) {
      tokens.add(
          new StoredToken(
              "made-" + age.toDays() + "-days-ago",
              TokenText.hash(TokenText.generate()),
              "none",
              List.of(),
              "test",
              now.minus(age),
              end));
    }
    assertThat(door.get("/admin/api/v1/me", admin).json().path("notice").stringValue())
        .contains("made-30-days-ago on " + end.toString().substring(0, 10))
        .doesNotContain("made-0-days-ago");
    String operator = Door.token(tokens, "not-told", Role.OPERATOR);
    assertThat(door.get("/admin/api/v1/me", operator).json().has("notice")).isFalse();
  }

  /** A start whose configuration asks for another token. */
  private void startWith(Tokens known, InstantSource clock) {
    new FirstAccess(
            known,
            context.getBean(Users.class),
            new Passwords(),
            context.getBean(Audit.class),
            data.resolve("other"),
            new FirstAccess.Wanted(null, "lost"),
            clock)
        .complete(known.refresh(), context.getBean(Users.class).refresh());
  }

  @Test
  void aNewAdminTokenIsMadeOnceIsAuditedAndEndsAfterADay() throws Exception {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    Tokens known =
        new Tokens(
            context.getBean(TokenStore.class),
            new TokenFile(data.resolve("other"), JsonMapper.shared()),
            Duration.ofDays(2),
            now::get);
    startWith(known, now::get);
    Path file = data.resolve("other/admin-credentials");
    String token = Files.readString(file).strip().substring("TOKEN=".length());
    Admitted stream = known.admit(token).orElseThrow();
    assertThat(stream.caller().name()).isEqualTo("admin-lost");
    assertThat(door.get("/api/v1/audit?limit=1&action=token.create&actor=system", admin).body())
        .contains("admin-lost", "role admin, ends at ")
        .doesNotContain(token);
    assertThat(door.get("/api/v1/tokens", admin).body())
        .as("the service has read the token")
        .contains("admin-lost", "expiresAt");
    assertThat(door.get("/api/v1/tokens", token).status()).isEqualTo(200);

    assertThat(stream.isStillValid().getAsBoolean()).isTrue();
    now.set(now.get().plus(Duration.ofHours(24)));
    assertThat(stream.isStillValid().getAsBoolean()).as("an open stream ends").isFalse();
    assertThat(known.admit(token)).as("ended").isEmpty();
    assertThat(known.admit(admin)).as("does not end").isPresent();
    Files.delete(file);
    startWith(known, now::get);
    assertThat(file).as("the option is left over").doesNotExist();
    assertThat(known.remove("admin-lost")).isEqualTo(TokenStore.Removal.REMOVED);
  }

  @Test
  void aViewerReadsTheBillsOfMaterials() throws Exception {
    String viewer = Door.token(tokens, "reader-of-bills", Role.VIEWER);
    Answer list = door.get("/actuator/sbom", viewer);
    assertThat(list.body()).contains("\"admin-page\"");
    assertThat(door.get("/actuator/sbom/admin-page", viewer).body()).contains("pkg:npm/preact@");
    // Maven writes this one, and leaves it out offline.
    if (list.body().contains("\"application\"")) {
      assertThat(door.get("/actuator/sbom/application", viewer).body())
          .contains("pkg:maven/org.apache.tomcat.embed/tomcat-embed-core@")
          .doesNotContain("pkg:maven/org.junit");
    }
  }

  @Test
  void grantsDecideWhichStatementsATokenMaySend() throws Exception {
    String reads =
        make("{\"name\":\"r\",\"role\":\"none\",\"statements\":[\"notes.list\"]}")
            .json()
            .path("token")
            .stringValue();
    assertThat(door.send("POST", "/api/v1/statements/notes.list", reads, "{}").status())
        .isEqualTo(202);
    assertThat(
            door.send("POST", "/api/v1/statements/notes.add", reads, "{\"text\":\"a\"}").status())
        .isEqualTo(403);
    String none = token("nothing", "other.*");
    assertThat(door.send("POST", "/api/v1/statements", none, "not read").status())
        .as("no statement is granted")
        .isEqualTo(403);
    assertThat(door.get("/api/v1/statements", reads).body())
        .contains("notes.list")
        .doesNotContain("notes.add");
  }

  @Test
  void openStreamsOfTheDoorEndWithTheirToken() throws Exception {
    String here = token("here", "notes.*");
    String elsewhere = token("elsewhere", "notes.*");
    String stays = token("stays", "notes.*");
    try (Upload first = new Upload(here);
        Upload second = new Upload(elsewhere);
        Upload going = new Upload(stays)) {
      for (Upload each : List.of(first, second, going)) {
        each.line("{\"text\":\"before\"}");
        each.awaitAnswer("\"to\":1");
      }
      assertThat(door.send("DELETE", "/api/v1/tokens/here", admin, null).status()).isEqualTo(204);
      // as another instance does
      context
          .getBean(SystemDatabase.class)
          .ask(ask -> ask.sql("delete from forebay.token where name = 'elsewhere'").update());
      await().until(() -> door.get("/api/v1/statements", elsewhere).status() == 401);
      for (Upload each : List.of(first, second)) {
        each.line("{\"text\":\"after\"}");
        each.awaitAnswer("unauthenticated");
      }
      going.line("{\"text\":\"after\"}");
      going.awaitAnswer("\"to\":2");
    }
  }

  /** A stream of statements whose end is not sent. */
  private final class Upload implements AutoCloseable {
    private final Socket socket = new Socket("127.0.0.1", port);
    private final BufferedReader answer;

    Upload(String token) throws IOException {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write(
              ("POST /api/v1/statements/notes.add?stream=upload HTTP/1.1\r\nHost: a\r\n"
                      + "Authorization: Bearer "
                      + token
                      + "\r\nContent-Type: application/x-ndjson\r\n"
                      + "Transfer-Encoding: chunked\r\n\r\n")
                  .getBytes(UTF_8));
      answer = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    }

    void line(String json) throws IOException {
      String chunk = "%x\r\n%s\n\r\n".formatted(json.length() + 1, json);
      socket.getOutputStream().write(chunk.getBytes(UTF_8));
    }

    void awaitAnswer(String text) {
      await().until(() -> answer.readLine().contains(text));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void grantsDecideWhichStatementsAJobMayPerform() throws Exception {
    String stranger = Door.token(tokens, "stranger", Role.OPERATOR, "notes.list");
    String operator = Door.token(tokens, "sender", Role.OPERATOR, "notes.add");

    assertThat(startJob(stranger).status()).isEqualTo(403);
    assertThat(lastOfTheAudit().toString())
        .contains("\"stranger\"", "job.start", "failed: Parameter statement names a statement");
    assertThat(startJob(admin).status()).as("a role grants no statement").isEqualTo(403);
    assertThat(door.get("/api/v1/jobs/send/executions", admin).json().path("executions")).isEmpty();

    Answer started = startJob(operator);
    assertThat(ended(started)).contains("\"COMPLETED\"");
    assertThat(restart(started, stranger).status()).isEqualTo(403);
    assertThat(restart(started, operator).status()).as("it is complete").isEqualTo(409);
  }

  private Answer restart(Answer execution, String token) throws Exception {
    String path = "/api/v1/jobs/executions/" + execution.json().path("id").longValue();
    return door.send("POST", path + "/restart", token, "{}");
  }

  private Answer startJob(String token) throws Exception {
    return door.send(
        "POST",
        "/api/v1/jobs/send/executions",
        token,
        "{\"parameters\":{\"statement\":\"notes.add\",\"run\":\"first\"}}");
  }

  private String ended(Answer started) {
    assertThat(started.status()).as(started.body()).isEqualTo(202);
    String path = "/api/v1/jobs/executions/" + started.json().path("id").longValue();
    return await()
        .until(() -> door.get(path, admin), it -> it.json().path("ended").isString())
        .body();
  }

  @Test
  void grantsDecideWhichServicesATokenMayCall() throws Exception {
    String one = token("one", "chunks:prices");
    String all = token("all", "chunks:*");
    String statements = token("statements", "prices");
    // The service does not exist; only callers with a grant learn that.
    assertThat(door.send("POST", "/api/v1/chunks/prices", one, "[]").status()).isEqualTo(404);
    assertThat(door.send("POST", "/api/v1/chunks/other", one, "[]").status()).isEqualTo(403);
    assertThat(door.send("POST", "/api/v1/chunks/other", all, "[]").status()).isEqualTo(404);
    assertThat(door.send("POST", "/api/v1/chunks/prices", statements, "[]").status())
        .isEqualTo(403);
    assertThat(door.send("POST", "/api/v1/statements/prices", all, "{}").status()).isEqualTo(403);
    assertThat(door.send("POST", "/api/v1/chunks/prices", null, "[]").status()).isEqualTo(401);
  }

  private String token(String name, String grant) throws Exception {
    return make("{\"name\":\"%s\",\"role\":\"none\",\"statements\":[\"%s\"]}"
            .formatted(name, grant))
        .json()
        .path("token")
        .stringValue();
  }

  @Test
  void allViolationsOfARequestAreReported() throws Exception {
    Answer refused =
        make(
            "{\"name\":\"a"
                + " b\",\"role\":\"root\",\"statements\":[\"a.*\",\"a*\",null],\"hash\":\"x\"}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.headers()).containsEntry("content-type", "application/problem+json");
    assertThat(
            refused.json().path("errors").valueStream().map(it -> it.path("field").stringValue()))
        .containsExactlyInAnyOrder("/name", "/role", "/statements/1", "/statements/2", "/hash");
    for (String body : List.of("[]", "7", "null", "\"a\"", "{}", "{\"name\":")) {
      assertThat(make(body).status()).as(body).isEqualTo(400);
    }
    for (String wrong : List.of("\"name\":5", "\"name\":true", "\"name\":1.5", "\"role\":5")) {
      assertThat(make("{%s,\"statements\":[]}".formatted(wrong)).body())
          .as(wrong)
          .contains("has the wrong type");
    }
    assertThat(make("{\"name\":\"a\",\"role\":\"none\",\"statements\":[7]}").body())
        .contains("/statements/0");
    assertThat(make("{\"name\":\"anonymous\",\"role\":\"none\"}").status()).isEqualTo(400);
    for (String query : List.of("limit=0", "limit=1001", "limit=x", "before=x")) {
      assertThat(door.get("/api/v1/audit?" + query, admin).status()).as(query).isEqualTo(400);
    }
  }

  @Test
  void aNameCanBeUsedOnlyOnce() throws Exception {
    assertThat(make("{\"name\":\"twice\",\"role\":\"none\"}").status()).isEqualTo(201);
    Answer refused = make("{\"name\":\"twice\",\"role\":\"admin\"}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().path("type").stringValue()).isEqualTo("urn:forebay:problem:conflict");
    assertThat(refused.json().path("detail").stringValue())
        .startsWith("A token with this name exists");
  }

  @Test
  void theLastAdministratorCannotBeDeleted() throws Exception {
    assertThat(door.send("DELETE", "/api/v1/tokens/admin", admin, null).status()).isEqualTo(204);
    Answer refused = door.send("DELETE", "/api/v1/tokens/anna", admin, null);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().path("detail").stringValue()).contains("last token of role admin");
    String second =
        make("{\"name\":\"admin\",\"role\":\"admin\"}").json().path("token").stringValue();
    assertThat(second).isNotEmpty();
  }

  @Test
  void theAuditIsReadPageByPage() throws Exception {
    for (int i = 0; i < 3; i++) {
      make("{\"name\":\"page-" + i + "\",\"role\":\"none\"}");
    }
    JsonNode first = door.get("/api/v1/audit?limit=2", admin).json();
    assertThat(first.path("entries").size()).isEqualTo(2);
    JsonNode second =
        door.get("/api/v1/audit?limit=1&before=" + first.path("next").longValue(), admin).json();
    assertThat(second.path("entries").get(0).path("target").stringValue()).isEqualTo("page-0");
  }

  private String tokenOfRole(String name, String role) throws Exception {
    return make("{\"name\":\"%s\",\"role\":\"%s\"}".formatted(name, role))
        .json()
        .path("token")
        .stringValue();
  }

  private JsonNode last(String action) throws Exception {
    return door.get("/api/v1/audit?limit=1&action=" + action, admin).json().path("entries").get(0);
  }

  @Test
  void anEntryOfTheAuditShowsWhatTheCommandChanged() throws Exception {
    String operator = tokenOfRole("pauses", "operator");
    String service = "/api/v1/services/main";
    String reason = "{\"reason\":\"migration\"}";
    String paused = "{\"reason\":\"migration\",\"until\":\"never\"}";
    assertThat(door.send("POST", service + "/pause", operator, paused).status()).isEqualTo(200);
    JsonNode pause = last("service.");
    assertThat(pause.path("changes").toString())
        .isEqualTo(
            "[{\"name\":\"state\",\"before\":\"running\",\"after\":\"paused\"},"
                + "{\"name\":\"reason\",\"before\":\"\",\"after\":\"migration\"},"
                + "{\"name\":\"by\",\"before\":\"\",\"after\":\"pauses\"}]");
    assertThat(door.send("POST", service + "/resume", operator, null).status()).isEqualTo(200);
    JsonNode desired = door.get(service, operator).json().path("desired");
    assertThat(desired.path("paused").booleanValue()).isFalse();
  }

  @Test
  void aReloadOfTheCatalogueIsInTheAudit() throws Exception {
    assertThat(door.send("POST", "/api/v1/catalogue/reload", admin, null).status()).isEqualTo(200);
    assertThat(lastOfTheAudit().toString()).contains("catalogue.reload", "anna");
  }

  @Test
  void refusalsAreCountedAndThenWrittenToTheAudit() throws Exception {
    WrittenRefusals.write(context);
    String viewer =
        make("{\"name\":\"nosy\",\"role\":\"viewer\"}").json().path("token").stringValue();
    for (int i = 0; i < 3; i++) {
      assertThat(door.get("/api/v1/audit", viewer).status()).isEqualTo(403);
    }
    assertThat(door.get("/api/v1/audit?secret=1", null).status()).isEqualTo(401);
    // A refusal is counted after its answer was sent.
    await()
        .untilAsserted(() -> {
          WrittenRefusals.write(context);
          assertThat(door.get("/api/v1/audit?limit=3", admin).body())
              .contains("refused (403), 3 times", "\"actor\":\"nosy\"")
              .contains("refused (401), once", "\"actor\":\"anonymous\"", "127.0.0.1")
              .contains("\"target\":\"/api/v1/audit\"")
              .doesNotContain("secret");
        });
  }

  @Test
  void forwardedHeadersNeverFailARequest() throws Exception {
    door.sendForwardedHeaders(admin);
    door.checkForwardedScheme();
  }

  @Test
  void othersCannotAccessTheDataDirectory() throws Exception {
    Path directory = data.resolve("forebay");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .as(file.toString())
            .endsWith("------");
      }
    }
    assertThat(directory.resolve("tokens.json"))
        .content()
        .contains("\"anna\"")
        .doesNotContain(admin);
  }
}
