/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/**
 * Callers are known while the system database, a PostgreSQL, is unavailable, and users can log in
 * to read; commands are refused.
 */
@Tag("proof")
class DatabaseAwayTest {

  private static final String PASSWORD = "thimble 4711 lagoon quartz";

  private final HttpClient client = HttpClient.newHttpClient();
  @TempDir Path data;

  private ConfigurableApplicationContext start(TestPostgres postgres) {
    return new SpringApplicationBuilder(Forebay.class)
        .run(
            "--server.port=0",
            "--forebay.backend=memory",
            "--forebay.data=" + data,
            "--forebay.gateways.main.datasource.url=" + postgres.url(),
            "--forebay.gateways.main.datasource.username=forebay_gateway",
            "--forebay.gateways.main.datasource.password=",
            "--forebay.gateways.main.owner.url=" + postgres.url(),
            "--forebay.gateways.main.owner.username=forebay_owner",
            "--forebay.gateways.main.owner.password=");
  }

  private Path credentials() {
    return data.resolve("admin-credentials");
  }

  private HttpResponse<String> send(
      ConfigurableApplicationContext service, String method, String path, @Nullable String token)
      throws IOException, InterruptedException {
    String port = service.getEnvironment().getRequiredProperty("local.server.port");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Content-Type", "application/json")
            .method(
                method,
                HttpRequest.BodyPublishers.ofString("{\"name\":\"shop\",\"role\":\"none\"}"));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private int status(
      ConfigurableApplicationContext service, String method, String path, @Nullable String token)
      throws IOException, InterruptedException {
    return send(service, method, path, token).statusCode();
  }

  @Test
  void callersAreKnownDuringAnOutageAndCommandsAreRefused() throws Exception {
    try (TestPostgres postgres = TestPostgres.start()) {
      postgres.kill();
      String token;
      try (ConfigurableApplicationContext service = start(postgres)) {
        assertThat(status(service, "GET", "/actuator/health/liveness", null)).isEqualTo(200);
        assertThat(status(service, "GET", "/api/v1/statements", null)).isEqualTo(401);

        postgres.restart();
        await().atMost(Duration.ofMinutes(2)).until(() -> Files.exists(credentials()));
        token = Files.readAllLines(credentials()).getFirst().substring("TOKEN=".length());
        String created = token;
        await().until(() -> status(service, "GET", "/api/v1/tokens", created) == 200);

        await() // made after the token
            .until(() -> Files.readString(credentials()).contains("PASSWORD="));
        String first = Files.readString(credentials()).split("PASSWORD=", 2)[1].strip();
        await()
            .pollInterval(Duration.ofMillis(500))
            .until(() -> login(service, first).statusCode() == 200);
        String before = session(service, first, "\"mustChange\":true");
        assertThat(
                ofPage(service, before, "/password", json("old", first, "new", PASSWORD))
                    .statusCode())
            .isEqualTo(204);
        String after = session(service, PASSWORD, "\"mustChange\":false");

        postgres.kill();
        assertThat(status(service, "GET", "/api/v1/statements", token)).isEqualTo(200);
        commandsAreRefused(service, token);
        sessionsStayValidAndNobodyCanLogIn(service, after);

        postgres.restart();
        await().until(() -> login(service, PASSWORD).statusCode() == 200);
        postgres.kill();
      }
      try (ConfigurableApplicationContext service = start(postgres)) {
        assertThat(status(service, "GET", "/api/v1/statements", token))
            .as("known from the copy in the data directory")
            .isEqualTo(200);
        commandsAreRefused(service, token);
        assertThat(login(service, PASSWORD).statusCode())
            .as("users and passwords are in no file")
            .isEqualTo(503);
        postgres.restart();
        String known = token;
        await().until(() -> status(service, "POST", "/api/v1/tokens", known) == 201);
        assertThat(send(service, "GET", "/api/v1/audit", token).body()).contains("token.create");
        assertThat(Files.readString(credentials())).as("the only token").contains(token);
      }
    }
  }

  private void sessionsStayValidAndNobodyCanLogIn(
      ConfigurableApplicationContext service, String session) throws Exception {
    for (String password : List.of(PASSWORD, "quartz lagoon 4711 thimble")) {
      HttpResponse<String> refused = login(service, password);
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).contains("5");
      assertThat(refused.body()).contains("nobody can log in without it");
    }
    assertThat(ofPage(service, session, "/me", null).body()).contains("\"role\":\"admin\"");
    assertThat(ofPage(service, session, "/snapshot", null).statusCode()).isEqualTo(200);
    assertThat(ofPage(service, session, "/services/main/pause", json("reason", "no")).statusCode())
        .isEqualTo(503);
  }

  private HttpResponse<String> login(ConfigurableApplicationContext service, String password)
      throws Exception {
    return ofPage(
        service,
        "forebay-xsrf=x",
        "/login",
        "user=admin&password=" + URLEncoder.encode(password, StandardCharsets.UTF_8));
  }

  /** Logs in and returns the cookies. */
  private String session(ConfigurableApplicationContext service, String password, String me)
      throws Exception {
    HttpResponse<String> answer = login(service, password);
    assertThat(answer.body()).contains(me);
    return answer.headers().allValues("Set-Cookie").stream()
        .filter(it -> it.startsWith("forebay-session="))
        .map(it -> it.substring(0, it.indexOf(';')))
        .collect(Collectors.joining("; ", "", "; forebay-xsrf=x"));
  }

  /** Sends a request of the page: a command if there is a body. */
  private HttpResponse<String> ofPage(
      ConfigurableApplicationContext service, String cookies, String path, @Nullable String body)
      throws Exception {
    String port = service.getEnvironment().getRequiredProperty("local.server.port");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/admin/api/v1" + path))
            .header("Cookie", cookies)
            .header("X-XSRF-TOKEN", cookies.replaceFirst(".*forebay-xsrf=([^;]*).*", "$1"));
    if (body != null) {
      request
          .header(
              "Content-Type",
              body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded")
          .POST(HttpRequest.BodyPublishers.ofString(body));
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String json(String... namesAndValues) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return JsonMapper.shared().writeValueAsString(fields);
  }

  private void commandsAreRefused(ConfigurableApplicationContext service, String token)
      throws Exception {
    for (String command :
        new String[] {
          "POST /api/v1/tokens",
          "DELETE /api/v1/tokens/a",
          "GET /api/v1/audit",
          "POST /api/v1/catalogue/reload"
        }) {
      String[] parts = command.split(" ");
      HttpResponse<String> refused = send(service, parts[0], parts[1], token);
      assertThat(refused.statusCode()).as(command).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).contains("5");
      assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(refused.body()).doesNotContain("127.0.0.1", "08001", "Connection");
    }
  }
}
