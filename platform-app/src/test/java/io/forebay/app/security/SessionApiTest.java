/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.access.Passwords;
import io.forebay.access.Role;
import io.forebay.access.Tokens;
import io.forebay.access.Users;
import io.forebay.app.security.Door.Answer;
import io.forebay.operations.Actor;
import io.forebay.security.WrittenRefusals;
import io.forebay.system.StoredUser;
import io.forebay.system.SystemDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpCookie;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.springframework.util.StringUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Users of the admin page, over HTTP. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {"forebay.backend=memory", "server.forward-headers-strategy=framework"})
@Import({NoLoginDelay.class, SendingJob.class})
@DirtiesContext
class SessionApiTest {

  private static final String PASSWORD = "a password of mine";

  @TempDir static Path data;
  private static String token;

  @Autowired Tokens tokens;
  @Autowired Users users;
  @Autowired Passwords passwords;
  @Autowired ApplicationContext context;
  @Autowired SystemDatabase database;
  @LocalServerPort int port;
  private Browser browser;

  @DynamicPropertySource
  static void dataDirectory(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
  }

  @BeforeEach
  void openABrowser() {
    browser = new Browser(port);
    if (token == null) {
      token = Door.token(tokens, "ci", Role.ADMIN);
      user("last", Role.ADMIN, false); // the last one could not be deleted
    }
  }

  private void user(String name, Role role, boolean mustChange) {
    user(name, role, mustChange, Instant.now());
  }

  private void user(String name, Role role, boolean mustChange, Instant created) {
    users.remove(name);
    StoredUser user =
        new StoredUser(
            name, passwords.encode(PASSWORD), role.text(), mustChange, "test", created, List.of());
    assertThat(users.add(user)).isTrue();
  }

  private Browser loggedIn(String name, Role role) throws Exception {
    user(name, role, false);
    assertThat(browser.login(name, PASSWORD).statusCode()).isEqualTo(200);
    return browser;
  }

  private int me() throws Exception {
    return browser.get("/admin/api/v1/me").statusCode();
  }

  @Test
  void aSessionLastsUntilTheLogout() throws Exception {
    WrittenRefusals.write(context);
    int before = StringUtils.countOccurrencesOf(audit(), "/me");
    assertThat(me()).isEqualTo(401);
    user("olga", Role.OPERATOR, false);
    HttpResponse<String> login = browser.login("olga", PASSWORD);
    assertThat(login.statusCode()).isEqualTo(200);
    assertThat(login.body())
        .isEqualTo(
            "{\"name\":\"olga\",\"role\":\"operator\",\"mustChange\":false,"
                + "\"provider\":false,\"passwordRule\":\"Use 12 to 200 characters, no common password such as Password2026!, and neither the current password nor the user name.\"}");
    assertThat(login.headers().allValues("set-cookie"))
        .anyMatch(it ->
            it.matches("forebay-session=[A-Za-z0-9%_-]+; Path=/admin; HttpOnly; SameSite=Strict"))
        .anyMatch(it -> it.matches("forebay-xsrf=[0-9a-f-]{36}; Path=/; SameSite=Strict"));
    assertThat(browser.get("/admin/api/v1/me").body()).isEqualTo(login.body());

    HttpCookie session = browser.cookie("forebay-session").orElseThrow();
    Browser elsewhere = new Browser(port);
    assertThat(elsewhere.login("olga", PASSWORD).statusCode()).isEqualTo(200);
    assertThat(browser.send("POST", "/admin/api/v1/logout", null).statusCode()).isEqualTo(204);
    assertThat(browser.cookie("forebay-session")).isEmpty();
    WrittenRefusals.write(context);
    assertThat(StringUtils.countOccurrencesOf(audit(), "/me"))
        .as("the page asked who is logged in")
        .isEqualTo(before);

    assertThat(new Door(port).raw("GET /admin/api/v1/me", "Cookie: " + session).status())
        .as("it has ended at the server too")
        .isEqualTo(401);
    WrittenRefusals.write(context);
    assertThat(StringUtils.countOccurrencesOf(audit(), "/me")).isEqualTo(before + 1);
    assertThat(elsewhere.get("/admin/api/v1/me").statusCode())
        .as("it ends all logins of the user")
        .isEqualTo(401);
  }

  /** A page of a sibling host can set the cookie and send a parameter, but no header. */
  @Test
  void aParameterIsNoProofThatARequestComesFromThePage() throws Exception {
    user("olga", Role.OPERATOR, false);
    assertThat(browser.login("olga", PASSWORD).statusCode()).isEqualTo(200);
    browser.sendsTheCsrfHeader = false;
    String token = browser.cookie("forebay-xsrf").orElseThrow().getValue();
    byte[] masked = new byte[2 * token.length()]; // as Spring masks it, by zeros
    System.arraycopy(token.getBytes(UTF_8), 0, masked, token.length(), token.length());
    for (String sent : List.of(token, Base64.getUrlEncoder().encodeToString(masked))) {
      assertThat(browser.send("POST", "/admin/api/v1/logout?_csrf=" + sent, null).statusCode())
          .isEqualTo(403);
    }
    browser.sendsTheCsrfHeader = true;
    assertThat(browser.send("POST", "/admin/api/v1/logout", null).statusCode()).isEqualTo(204);
  }

  @Test
  void theResourceServerDoesNotDescribeItself() throws Exception {
    for (String path : List.of("", "/api/v1", "/")) {
      assertThat(new Door(port).raw("GET /.well-known/oauth-protected-resource" + path).status())
          .isEqualTo(403);
    }
  }

  @Test
  void aWrongPasswordAndAnUnknownUserGetTheSameAnswer() throws Exception {
    user("olga", Role.OPERATOR, false);
    HttpResponse<String> wrong = browser.login("olga", PASSWORD + "x");
    HttpResponse<String> unknown = browser.login("nobody", PASSWORD);
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.body()).isEqualTo(wrong.body()).doesNotContain("olga");
    assertThat(Browser.problem(wrong)).isEqualTo("unauthenticated");
    assertThat(browser.login("olga", "").statusCode()).isEqualTo(401);
    assertThat(browser.login("olga", "x".repeat(1_000)).statusCode()).isEqualTo(401);
    assertThat(browser.cookie("forebay-session")).isEmpty();

    WrittenRefusals.write(context);
    assertThat(audit())
        .contains("/admin/api/v1/login as olga", "refused (401)")
        .doesNotContain("nobody", PASSWORD);
  }

  private String audit() throws Exception {
    return new Door(port).get("/api/v1/audit", token).body();
  }

  @Test
  void anAdministratorManagesTokensOnThePage() throws Exception {
    loggedIn("anna", Role.ADMIN);
    HttpResponse<String> made =
        browser.send(
            "POST", "/admin/api/v1/tokens", "{\"name\": \"of-anna\", \"role\": \"viewer\"}");
    assertThat(made.statusCode()).isEqualTo(201);
    String secret = JsonMapper.shared().readTree(made.body()).get("token").asString();
    assertThat(new Door(port).get("/api/v1/status", secret).status()).isEqualTo(200);
    assertThat(browser.get("/admin/api/v1/tokens").body())
        .contains("\"of-anna\"", "\"createdBy\":\"anna\"")
        .doesNotContain(secret);
    assertThat(browser.send("DELETE", "/admin/api/v1/tokens/of-anna", null).statusCode())
        .isEqualTo(204);
    assertThat(new Door(port).get("/api/v1/status", secret).status()).isEqualTo(401);
  }

  @Test
  void aSessionOpensTheAdminApiAndNothingElse() throws Exception {
    loggedIn("anna", Role.ADMIN);
    assertThat(browser.get("/admin/api/v1/users").statusCode()).isEqualTo(200);
    String session = "Cookie: " + browser.cookie("forebay-session").orElseThrow();
    for (String path : List.of("/api/v1/status", "/api/v1/tokens", "/actuator/prometheus")) {
      assertThat(new Door(port).raw("GET " + path, session).status()).as(path).isEqualTo(401);
    }
  }

  @Test
  void aUserStartsAJobOnlyWithAGrantedStatement() throws Exception {
    for (String name : List.of("without", "sender")) {
      users.remove(name);
      users.add(
          new StoredUser(
              name,
              passwords.encode(PASSWORD),
              Role.OPERATOR.text(),
              false,
              "test",
              Instant.now(),
              name.equals("sender") ? List.of("notes.*") : List.of()));
    }
    assertThat(startAJobAs("without")).isEqualTo(403);
    assertThat(startAJobAs("sender")).isEqualTo(202);
    user("chief", Role.ADMIN, false);
    assertThat(startAJobAs("chief")).as("could grant it to anybody").isEqualTo(202);

    Answer made =
        new Door(port)
            .send(
                "POST",
                "/admin/api/v1/users",
                token,
                "{\"name\":\"paula\",\"role\":\"operator\",\"statements\":[\"notes.add\"]}");
    assertThat(made.body()).contains("\"statements\":[\"notes.add\"]");
    assertThat(users.refresh())
        .filteredOn(it -> it.name().equals("paula"))
        .singleElement()
        .returns(List.of("notes.add"), StoredUser::statements);
    assertThat(audit()).contains("role operator, statements notes.add");
  }

  private int startAJobAs(String name) throws Exception {
    assertThat(browser.login(name, PASSWORD).statusCode()).isEqualTo(200);
    return browser
        .send(
            "POST",
            "/admin/api/v1/jobs/send/executions",
            "{\"parameters\":{\"statement\":\"notes.add\",\"run\":\"%s\"}}".formatted(name))
        .statusCode();
  }

  @Test
  void aTokenOpensTheAdminApiToo() throws Exception {
    Door door = new Door(port);
    assertThat(door.get("/admin/api/v1/me", token).body())
        .startsWith("{\"name\":\"ci\",\"role\":\"admin\",\"mustChange\":false,");
    assertThat(door.get("/admin/api/v1/users", token).status()).isEqualTo(200);
    assertThat(
            door.send("POST", "/admin/api/v1/password", token, "{\"old\":\"a\",\"new\":\"b\"}")
                .json()
                .path("detail")
                .stringValue())
        .contains("A token has no password");
  }

  @Test
  void aWrongTokenIsNotMadeGoodByASession() throws Exception {
    loggedIn("anna", Role.ADMIN);
    String session = "Cookie: " + browser.cookie("forebay-session").orElseThrow();
    assertThat(
            new Door(port)
                .raw("GET /admin/api/v1/me", session, "Authorization: Bearer wrong")
                .status())
        .isEqualTo(401);
  }

  @Test
  void aChangeNeedsTheCsrfToken() throws Exception {
    loggedIn("anna", Role.ADMIN);
    String wanted = "{\"name\":\"victor\",\"role\":\"viewer\"}";
    browser.sendsTheCsrfHeader = false;
    HttpResponse<String> refused = browser.send("POST", "/admin/api/v1/users", wanted);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(Browser.problem(refused)).isEqualTo("not-from-the-page");
    Browser stranger = new Browser(port);
    stranger.sendsTheCsrfHeader = false;
    HttpResponse<String> login = stranger.login("anna", PASSWORD);
    assertThat(Browser.problem(login)).as("a login too").isEqualTo("not-from-the-page");
    browser.sendsTheCsrfHeader = true;
    assertThat(browser.send("POST", "/admin/api/v1/users", wanted).statusCode()).isEqualTo(201);
  }

  @Test
  void aGivenPasswordIsChangedBeforeAnythingElse() throws Exception {
    loggedIn("anna", Role.ADMIN);
    JsonNode made =
        Browser.json(
            browser.send("POST", "/admin/api/v1/users", "{\"name\":\"otto\",\"role\":\"admin\"}"));
    String given = made.path("password").stringValue();
    assertThat(given).matches("([a-z2-9]{5}-){3}[a-z2-9]{5}");
    assertThat(browser.get("/admin/api/v1/users").body()).contains("otto").doesNotContain(given);

    browser = new Browser(port);
    assertThat(Browser.json(browser.login("otto", given)).path("mustChange").booleanValue())
        .isTrue();
    HttpResponse<String> refused = browser.get("/admin/api/v1/users");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(Browser.problem(refused)).isEqualTo("password-must-change");
    assertThat(me()).isEqualTo(200);
    String rule = Browser.json(browser.get("/admin/api/v1/me")).path("passwordRule").stringValue();

    for (String wrong : List.of("short", given, "x".repeat(201), "OTTO")) {
      HttpResponse<String> bad = browser.change(given, wrong);
      assertThat(bad.statusCode()).as(wrong).isEqualTo(400);
      assertThat(bad.body()).as("the rule that the page shows").contains(rule);
    }
    assertThat(browser.change(given, "Password2026!").statusCode()).isEqualTo(400);
    assertThat(browser.change("not that", PASSWORD).body())
        .contains("The current password is wrong.");
    assertThat(browser.change(given, PASSWORD).statusCode()).isEqualTo(204);
    assertThat(browser.get("/admin/api/v1/users").statusCode()).isEqualTo(200);
    WrittenRefusals.write(context);
    assertThat(audit())
        .containsPattern("\"actor\":\"otto\"[^}]*refused \\(403\\)")
        .as("the wrong current password")
        .containsPattern("\"actor\":\"otto\"[^}]*password[^}]*refused \\(400\\)");
    assertThat(new Browser(port).login("otto", given).statusCode()).isEqualTo(401);
    assertThat(audit()).contains("user.password", "session.login").doesNotContain(given, PASSWORD);
  }

  @Test
  void aFirstPasswordThatIsNotChangedEndsAfterAWeek() throws Exception {
    Instant week = Instant.now().minus(Duration.ofDays(7));
    user("late", Role.VIEWER, true, week);
    assertThat(browser.login("late", PASSWORD).statusCode()).isEqualTo(401);
    user("late", Role.VIEWER, true, week.plusSeconds(60));
    assertThat(browser.login("late", PASSWORD).statusCode()).isEqualTo(200);
    user("late", Role.VIEWER, false, week);
    assertThat(browser.login("late", PASSWORD).statusCode()).isEqualTo(200);
    String system = Actor.SYSTEM.name();
    String hash = passwords.encode(PASSWORD);
    users.add(new StoredUser("first", hash, "viewer", true, system, week, List.of()));
    assertThat(browser.login("first", PASSWORD).statusCode()).as("of a start").isEqualTo(200);
    users.remove("first");
  }

  @Test
  void aNewPasswordEndsTheOtherSessions() throws Exception {
    loggedIn("olga", Role.OPERATOR);
    Browser elsewhere = new Browser(port);
    assertThat(elsewhere.login("olga", PASSWORD).statusCode()).isEqualTo(200);
    assertThat(browser.change(PASSWORD, PASSWORD + "!").statusCode()).isEqualTo(204);
    assertThat(elsewhere.get("/admin/api/v1/me").statusCode()).isEqualTo(401);
    assertThat(me()).isEqualTo(200);
  }

  @Test
  void aDeletedUserIsLoggedOutAtOnce() throws Exception {
    loggedIn("olga", Role.OPERATOR);
    Door door = new Door(port);
    assertThat(door.send("DELETE", "/admin/api/v1/users/olga", token, null).status())
        .isEqualTo(204);
    assertThat(me()).isEqualTo(401);
    assertThat(door.send("DELETE", "/admin/api/v1/users/olga", token, null).status())
        .isEqualTo(404);
  }

  /** Changes made by another instance in the database. */
  @Test
  void changesInTheDatabaseTakeEffectWithinSeconds() throws Exception {
    loggedIn("olga", Role.OPERATOR);
    database.ask(ask ->
        ask.sql("update forebay.admin_user set role = 'viewer' where name = 'olga'").update());
    await()
        .untilAsserted(() -> assertThat(browser.get("/admin/api/v1/me").body()).contains("viewer"));
    database.ask(
        ask -> ask.sql("update forebay.admin_user set logouts = 9 where name = 'olga'").update());
    await().untilAsserted(() -> assertThat(me()).isEqualTo(401));
  }

  /** The process has forgotten all logins, as after a restart. */
  @Test
  void theCookieAloneIsTheLogin() throws Exception {
    loggedIn("olga", Role.OPERATOR);
    HttpCookie session = browser.cookie("forebay-session").orElseThrow();
    Door door = new Door(port);
    assertThat(door.raw("GET /admin/api/v1/me", "Cookie: " + session).status()).isEqualTo(200);
    String[] parts =
        new String(Base64.getDecoder().decode(session.getValue()), StandardCharsets.UTF_8)
            .split(":");
    assertThat(parts).hasSize(4).startsWith("olga");
    String later =
        Base64.getEncoder()
            .encodeToString(
                "%s:%d:%s:%s"
                    .formatted(parts[0], Long.parseLong(parts[1]) + 1, parts[2], parts[3])
                    .getBytes(StandardCharsets.UTF_8));
    for (String forged : List.of(later, "x", "")) {
      assertThat(door.raw("GET /admin/api/v1/me", "Cookie: forebay-session=" + forged).status())
          .as(forged)
          .isEqualTo(401);
    }
  }

  /** Whoever knows the password keeps logins in flight all the time. */
  @Test
  void aLoginInFlightEndsWithThePasswordOrTheUserThatItBelongsTo() throws Exception {
    user("ivan", Role.ADMIN, false);
    user("anna", Role.ADMIN, false);
    StoredUser before = users.find("ivan").orElseThrow();
    for (boolean isDeleted : new boolean[] {false, true}) {
      List<Browser> attackers = new CopyOnWriteArrayList<>();
      AtomicBoolean ends = new AtomicBoolean();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 3; i++) {
          threads.submit(() -> {
            while (!ends.get()) {
              Browser attacker = new Browser(port);
              if (attacker.login("ivan", PASSWORD).statusCode() == 200) {
                attackers.add(attacker);
              }
            }
            return attackers;
          });
        }
        await().until(() -> attackers.size() > 3);
        if (isDeleted) {
          users.remove("ivan");
        } else {
          assertThat(users.changePassword(before, passwords.encode(PASSWORD + "!"))).isPresent();
        }
        ends.set(true);
      }
      for (Browser attacker : attackers) {
        assertThat(attacker.get("/admin/api/v1/me").statusCode()).isEqualTo(401);
      }
      user("ivan", Role.ADMIN, false);
    }
  }

  /** A stream of the page, which notices within the time that the documentation states. */
  private static final class OpenStream {

    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final String name;
    private final InputStream events;
    private volatile boolean ended;

    OpenStream(String name, HttpResponse<InputStream> response) {
      assertThat(response.statusCode()).isEqualTo(200);
      this.name = name;
      events = response.body();
      Thread.ofVirtual().start(this::read);
    }

    private void read() {
      try {
        while (events.read() >= 0) {
          // until the server ends it
        }
        ended = true;
      } catch (IOException _) {
        ended = false; // the test fails: the server did not end it
      }
    }

    void awaitEnd() {
      await().atMost(LONGEST).untilAsserted(() -> assertThat(ended).as(name).isTrue());
    }
  }

  private OpenStream streamOf(String user, Browser of) throws Exception {
    user(user, Role.OPERATOR, false);
    assertThat(of.login(user, PASSWORD).statusCode()).isEqualTo(200);
    return new OpenStream(user, of.open("/admin/api/v1/stream"));
  }

  private void sql(String change, String user) {
    assertThat(database.<Integer>ask(ask -> ask.sql(change).param(user).update())).isPositive();
  }

  @Test
  void anOpenStreamEndsWithItsSessionOrItsUser() throws Exception {
    Map<String, Browser> browsers = new HashMap<>();
    List<OpenStream> streams = new ArrayList<>();
    for (String name : List.of("stays", "leaves", "deleted", "elsewhere", "demoted", "changed")) {
      Browser of = new Browser(port);
      streams.add(streamOf(name, of));
      browsers.put(name, of);
    }
    assertThat(browsers.get("leaves").send("POST", "/admin/api/v1/logout", null).statusCode())
        .isEqualTo(204);
    assertThat(new Door(port).send("DELETE", "/admin/api/v1/users/deleted", token, null).status())
        .isEqualTo(204);
    sql("update forebay.admin_user set role = 'viewer' where name = ?", "demoted");
    sql("update forebay.admin_user set logouts = 1 where name = ?", "elsewhere");
    Browser other = new Browser(port);
    assertThat(other.login("changed", PASSWORD).statusCode()).isEqualTo(200);
    assertThat(other.change(PASSWORD, PASSWORD + "!").statusCode()).isEqualTo(204);

    streams.stream().skip(1).forEach(OpenStream::awaitEnd);
    assertThat(streams.getFirst().ended).as("of a user whose session goes on").isFalse();
    for (String name : List.of("leaves", "deleted", "elsewhere", "changed")) {
      assertThat(browsers.get(name).get("/admin/api/v1/me").statusCode()).as(name).isEqualTo(401);
    }
    streams.getFirst().events.close();
  }

  @Test
  void allViolationsOfAUserAreReported() throws Exception {
    Door door = new Door(port);
    Door.Answer refused =
        door.send("POST", "/admin/api/v1/users", token, "{\"name\":\"a b\",\"role\":\"none\"}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).contains("/name", "/role");
    user("twice", Role.VIEWER, false);
    assertThat(
            door.send(
                    "POST",
                    "/admin/api/v1/users",
                    token,
                    "{\"name\":\"twice\",\"role\":\"viewer\"}")
                .status())
        .isEqualTo(409);
  }

  @Test
  void forwardedHeadersNeverFailARequest() throws Exception {
    Door door = new Door(port);
    door.sendForwardedHeaders(token);
    door.checkForwardedScheme();
    assertThat(door.raw("GET /admin", "X-Forwarded-Prefix: /ops").headers().get("location"))
        .isEqualTo("/ops/admin/");
    assertThat(door.raw("GET /admin", "X-Forwarded-Prefix: //b.example").status()).isEqualTo(400);
  }

  @Test
  void thePageIsOpenAndItsFilesAreKeptByTheBrowser() throws Exception {
    for (String path : List.of("/", "/admin")) {
      HttpResponse<String> folder = browser.get(path);
      assertThat(folder.statusCode()).as(path).isEqualTo(302);
      assertThat(folder.headers().firstValue("location")).as(path).contains("/admin/");
    }
    for (String path : List.of("/admin/", "/admin/services/orders?tab=now")) {
      HttpResponse<String> page = browser.get(path);
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("importmap").doesNotContain("@build@");
      assertThat(page.headers().allValues("cache-control")).containsExactly("no-store");
      assertThat(page.headers().allValues("content-security-policy")).hasSize(1);
      String main = page.body().replaceAll("(?s).*src=\"([^\"]*/main.js)\".*", "$1");
      assertThat(browser.get(main).headers().firstValue("cache-control").orElseThrow())
          .contains("immutable");
    }
    HttpResponse<String> ofAnotherVersion = browser.get("/admin/v/1/app/main.js");
    assertThat(ofAnotherVersion.statusCode()).isEqualTo(200);
    assertThat(ofAnotherVersion.headers().allValues("cache-control")).containsExactly("no-store");
    for (String path :
        List.of(
            "/admin/v/1/nothing.js",
            "/admin/v/1/PageFiles.class",
            "/admin/v/1/",
            "/admin/v/1",
            "/admin/v/1/index.html")) {
      HttpResponse<String> nothing = browser.get(path);
      assertThat(nothing.statusCode()).as(path).isEqualTo(404);
      assertThat(nothing.headers().firstValue("cache-control")).contains("no-store");
    }
  }
}
