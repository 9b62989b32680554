/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.access.Role;
import io.forebay.access.Tokens;
import io.forebay.app.security.Door.Answer;
import io.forebay.security.WrittenRefusals;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The door and the admin API with JWTs of a real OpenID provider. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {
      "forebay.backend=memory",
      "spring.security.oauth2.resourceserver.jwt.audiences=forebay",
      "forebay.security.oidc.roles.[/staff/operators]=operator",
      "forebay.security.oidc.roles.staff=viewer",
      "forebay.security.oidc.statements.shops=notes.*",
      "forebay.security.oidc.login.client-id=page",
      "forebay.security.oidc.login.client-secret=secret of page"
    })
@Import(NoLoginDelay.class)
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class OpenIdApiTest {

  private static final OpenIdProvider PROVIDER =
      new OpenIdProvider()
          .client("olga", "staff,/staff/operators", "forebay", "1h")
          .client("shop", "shops", "forebay", "1h")
          .client("fleeting", "staff,shops", "forebay", "4s")
          .client("stranger", "visitors", "forebay", "1h")
          .client("elsewhere", "staff", "billing", "1h");

  @TempDir static Path data;
  private static String local;
  private static boolean started;

  @Autowired Tokens tokens;
  @Autowired ApplicationContext context;
  @LocalServerPort int port;
  private Door door;

  @DynamicPropertySource
  static void properties(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
    registry.add("spring.security.oauth2.resourceserver.jwt.issuer-uri", PROVIDER::issuer);
  }

  @BeforeEach
  void startTheProvider() {
    if (!started) {
      String callback = "http://127.0.0.1:%d/admin/api/v1/oidc/callback".formatted(port);
      PROVIDER.login("page", "staff,/staff/operators", callback).start();
      started = true;
    }
  }

  @AfterAll
  static void stopTheProvider() {
    PROVIDER.close();
  }

  @BeforeEach
  void makeALocalToken() {
    door = new Door(port);
    if (local == null) {
      local = Door.token(tokens, "olga", Role.ADMIN);
    }
  }

  /** A JWT whose key the service knows. */
  private String jwt(String client) throws Exception {
    String jwt = PROVIDER.jwt(client);
    await().until(() -> status(jwt) != 503);
    return jwt;
  }

  private int status(String token) throws Exception {
    return door.get("/api/v1/results", token).status();
  }

  private String name(String client) {
    return "oidc:" + client + "@" + PROVIDER.issuer().substring("http://".length());
  }

  @Test
  void theGroupsOfAJwtDecideWhatItsCallerMayDo() throws Exception {
    String olga = jwt("olga");
    Answer me = door.get("/admin/api/v1/me", olga);
    assertThat(me.json().path("name").stringValue()).isEqualTo(name("olga"));
    assertThat(me.json().path("role").stringValue()).isEqualTo("operator");
    assertThat(door.get("/actuator/prometheus", olga).status()).isEqualTo(200);
    for (String command : new String[] {"pause", "resume"}) {
      String path = "/api/v1/services/main/" + command;
      assertThat(door.send("POST", path, olga, "{\"reason\":\"a drill\"}").status()).isEqualTo(200);
    }
    assertThat(door.get("/api/v1/audit?limit=1&actor=" + name("olga"), local).body())
        .contains("\"kind\":\"oidc\"", "service.resume", "\"role\":\"operator\"");
    assertThat(door.get("/api/v1/tokens", olga).status()).isEqualTo(403);
    assertThat(door.send("POST", "/api/v1/statements/notes.list", olga, "{}").status())
        .isEqualTo(403);

    String shop = jwt("shop");
    Answer sent =
        door.send("POST", "/api/v1/statements/notes.add?wait=10", shop, "{\"text\":\"a\"}");
    assertThat(sent.status()).as(sent.body()).isEqualTo(200);
    String result = sent.headers().get("location");
    assertThat(door.get(result, PROVIDER.jwt("shop")).status())
        .as("another JWT of the caller")
        .isEqualTo(200);
    assertThat(door.get(result, olga).status()).isEqualTo(404);
    assertThat(door.get("/api/v1/status", shop).status()).isEqualTo(403);
  }

  @Test
  void aTokenWithTheNameOfAJwtsSubjectIsAnotherCaller() throws Exception {
    String shop = jwt("shop");
    String namesake = Door.token(tokens, "shop", Role.NONE, "*");
    Answer sent = door.send("POST", "/api/v1/statements/notes.list?wait=10", shop, "{}");
    String result = sent.headers().get("location");
    assertThat(door.get(result, shop).status()).isEqualTo(200);
    assertThat(door.get(result, namesake).status()).isEqualTo(404);
    for (String name : new String[] {name("shop"), "oidc:shop"}) {
      String body = "{\"name\":\"%s\",\"role\":\"none\"}".formatted(name);
      assertThat(door.send("POST", "/api/v1/tokens", local, body).status()).isEqualTo(400);
      assertThat(door.send("POST", "/admin/api/v1/users", local, body).status()).isEqualTo(400);
    }
  }

  @Test
  void aJwtWithoutRightsIsToldWhichClaimIsMissingAndOthersWhatIsWrong() throws Exception {
    String stranger = jwt("stranger");
    for (String path : new String[] {"/api/v1/results", "/admin/api/v1/me", "/api/v1/status"}) {
      Answer refused = door.get(path, stranger);
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.body())
          .contains("urn:forebay:problem:not-permitted", "no group in your claim groups")
          .doesNotContain("staff", "shops", "visitors");
    }
    WrittenRefusals.write(context);
    assertThat(door.get("/api/v1/audit?limit=1&actor=" + name("stranger"), local).body())
        .contains("\"kind\":\"oidc\"", "refused (403)");

    Answer elsewhere = door.get("/api/v1/status", jwt("elsewhere"));
    assertThat(elsewhere.status()).isEqualTo(401);
    assertThat(elsewhere.headers())
        .containsEntry("www-authenticate", "Bearer error=\"invalid_token\"");
    assertThat(elsewhere.body())
        .contains("The JWT is refused: The aud claim is not valid")
        .doesNotContain("billing", "\"forebay\"");

    String valid = jwt("olga");
    Answer forged = door.get("/api/v1/status", valid.substring(0, valid.length() - 8) + "AAAAAAAA");
    assertThat(forged.status()).isEqualTo(401);
    assertThat(forged.body()).contains("signature");
    assertThat(door.get("/actuator/health/liveness", valid + "x").status())
        .as("refused also where no caller is needed")
        .isEqualTo(401);
  }

  /** A browser with its own cookies, which follows no redirect. */
  private final class Person {

    final CookieManager cookies = new CookieManager(null, CookiePolicy.ACCEPT_ALL);
    final HttpClient http = HttpClient.newBuilder().cookieHandler(cookies).build();

    HttpResponse<String> send(String method, URI address) throws Exception {
      return http.send(
          HttpRequest.newBuilder(address)
              .method(method, HttpRequest.BodyPublishers.noBody())
              .header("X-XSRF-TOKEN", cookie("forebay-xsrf"))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> send(String method, String path) throws Exception {
      return send(method, URI.create("http://127.0.0.1:%d/admin/api/v1%s".formatted(port, path)));
    }

    String cookie(String name) {
      return cookies.getCookieStore().getCookies().stream()
          .filter(it -> it.getName().equals(name))
          .map(HttpCookie::getValue)
          .findFirst()
          .orElse("none");
    }

    /** Goes to the provider and logs in there; returns the address to come back to. */
    URI logIn() throws Exception {
      HttpResponse<String> begun = send("GET", "/oidc/login/provider");
      assertThat(begun.statusCode()).as(begun.body()).isEqualTo(302);
      String location = begun.headers().firstValue("Location").orElseThrow();
      assertThat(location)
          .startsWith(PROVIDER.issuer() + "/oauth2/authorize?")
          .contains("code_challenge_method=S256", "code_challenge=", "state=", "nonce=");
      assertThat(begun.headers().allValues("Set-Cookie"))
          .anySatisfy(
              it -> assertThat(it).contains("HttpOnly", "SameSite=Lax", "Path=/admin/api/v1/oidc"));
      return PROVIDER.logIn(http, location);
    }
  }

  @Test
  void aUserOfTheProviderLogsInToThePageAndOut() throws Exception {
    Person alice = new Person();
    URI back = alice.logIn();
    HttpResponse<String> begun = alice.send("GET", back);
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(302);
    assertThat(begun.headers().firstValue("Location")).contains("/admin/");
    assertThat(begun.headers().allValues("Set-Cookie"))
        .anySatisfy(it ->
            assertThat(it).startsWith("forebay-provider=").contains("HttpOnly", "SameSite=Strict"));
    JsonNode me = JsonMapper.shared().readTree(alice.send("GET", "/me").body());
    assertThat(me.path("name").stringValue()).isEqualTo(name("alice"));
    assertThat(me.path("role").stringValue()).isEqualTo("operator");
    assertThat(me.path("provider").booleanValue()).isTrue();
    assertThat(alice.send("GET", "/snapshot").statusCode()).isEqualTo(200);
    assertThat(alice.send("GET", "/users").statusCode()).isEqualTo(403);
    assertThat(door.get("/api/v1/audit?limit=1&actor=" + name("alice"), local).body())
        .contains("\"kind\":\"oidc\"", "session.login", "with the OpenID provider");
    alice.send("GET", alice.logIn());
    assertThat(alice.send("GET", "/me").statusCode()).isEqualTo(200);
    assertThat(alice.send("POST", "/logout").statusCode()).isEqualTo(204);
    assertThat(alice.send("GET", "/me").statusCode()).isEqualTo(401);
  }

  @Test
  void aLoginThatThisBrowserDidNotBeginOrThatTheProviderDoesNotConfirmIsRefused(
      CapturedOutput output) throws Exception {
    Person alice = new Person();
    URI back = alice.logIn();
    Person other = new Person();
    assertThat(refusal(other.send("GET", back))).as("no login was begun").isEqualTo("not_begun");
    URI ofOther = other.logIn();
    assertThat(refusal(other.send("GET", back))).as("the state of another").isEqualTo("not_begun");
    assertThat(refusal(other.send("GET", ofOther)))
        .as("its cookie is used up")
        .isEqualTo("not_begun");

    String cookie = alice.cookie("forebay-login");
    assertThat(alice.send("GET", back).headers().firstValue("Location")).contains("/admin/");
    Person again = new Person();
    assertThat(refusal(with(again, cookie, back))).as("the code again").isEqualTo("not_confirmed");

    for (int part : new int[] {0, 1, 2}) {
      Person victim = new Person();
      URI each = victim.logIn();
      String[] parts =
          new String(Base64.getUrlDecoder().decode(victim.cookie("forebay-login")), UTF_8)
              .split("\n");
      parts[part] = "x".repeat(parts[part].length());
      byte[] changed = String.join("\n", parts).getBytes(UTF_8);
      Person attacker = new Person();
      String changedCookie = Base64.getUrlEncoder().withoutPadding().encodeToString(changed);
      assertThat(refusal(with(attacker, changedCookie, each)))
          .as("another %s", List.of("state", "nonce", "verifier").get(part))
          .isEqualTo(part == 0 ? "not_begun" : "not_confirmed");
      assertThat(attacker.cookie("forebay-provider")).isEqualTo("none");
    }
    assertThat(StringUtils.countOccurrencesOf(output.getAll(), "OpenID provider was refused"))
        .as("lines of the log")
        .isOne();
    WrittenRefusals.write(context);
    assertThat(door.get("/api/v1/audit?limit=50", local).body())
        .contains(
            "\"target\":\"/admin/api/v1/oidc/callback\",\"reason\":\"\",\"outcome\":\"refused (401), ");
  }

  /** The reason that the login screen gets. */
  private static String refusal(HttpResponse<String> response) {
    assertThat(response.statusCode()).isEqualTo(302);
    String location = response.headers().firstValue("Location").orElseThrow();
    assertThat(location).startsWith("/admin/?login=");
    return location.substring("/admin/?login=".length());
  }

  private HttpResponse<String> with(Person person, String cookie, URI back) throws Exception {
    HttpCookie sent = new HttpCookie("forebay-login", cookie);
    sent.setPath("/admin/api/v1/oidc");
    sent.setVersion(0);
    person.cookies.getCookieStore().add(URI.create("http://127.0.0.1/"), sent);
    return person.send("GET", back);
  }

  @Test
  @Timeout(60)
  void openStreamsEndWhenTheirJwtExpires() throws Exception {
    jwt("fleeting"); // its key is known
    String fleeting = PROVIDER.jwt("fleeting");
    long begin = System.nanoTime();
    HttpResponse<InputStream> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port + "/admin/api/v1/stream"))
                    .header("Authorization", "Bearer " + fleeting)
                    .header("Accept", "text/event-stream")
                    .build(),
                HttpResponse.BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    try (InputStream events = response.body()) {
      events.transferTo(OutputStream.nullOutputStream());
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .as("4 s, which begin in the second before, and 30 s for clocks")
        .isGreaterThan(Duration.ofSeconds(32));
    assertThat(door.get("/api/v1/results", fleeting).body()).contains("Jwt expired at");
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void aNewKeyOfTheProviderIsReadAndWithoutTheProviderOnlyUnknownKeysAreNotChecked()
      throws Exception {
    String known = jwt("olga");
    assertThat(status(known)).isEqualTo(200);
    PROVIDER.start();
    String unknown = PROVIDER.jwt("olga");
    PROVIDER.close();
    Answer unchecked = door.get("/api/v1/results", unknown);
    assertThat(unchecked.status()).isEqualTo(503);
    assertThat(unchecked.headers()).containsKey("retry-after");
    assertThat(unchecked.body())
        .contains("urn:forebay:problem:unavailable", "OpenID provider")
        .doesNotContain("127.0.0.1");
    assertThat(status(known)).isEqualTo(200);
    assertThat(status(local)).as("a local token").isEqualTo(200);

    PROVIDER.start();
    assertThat(status(jwt("olga"))).as("a third key").isEqualTo(200);
    assertThat(status(known)).as("its key was withdrawn").isIn(401, 503);
    assertThat(status(unknown)).as("its key was withdrawn").isIn(401, 503);
  }
}
