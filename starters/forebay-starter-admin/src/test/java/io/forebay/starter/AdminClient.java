/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of an application with the first credentials: a session if logged in, or a token. */
final class AdminClient {

  static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CHANGED = "a password of mine";

  private final ConfigurableApplicationContext application;
  private final String address;
  private final CookieManager cookies = new CookieManager();
  private final HttpClient client = HttpClient.newBuilder().cookieHandler(cookies).build();
  private @Nullable String token;

  AdminClient(ConfigurableApplicationContext application) {
    this.application = application;
    Environment environment = application.getEnvironment();
    address =
        "http://127.0.0.1:"
            + environment.getRequiredProperty("local.server.port")
            + environment.getProperty("server.servlet.context-path", "");
  }

  static String token(ConfigurableApplicationContext application) {
    return made("TOKEN=", application);
  }

  /** Waits, since credentials are made when the system database is ready. */
  private static String made(String name, ConfigurableApplicationContext application) {
    Path file =
        Path.of(application.getEnvironment().getRequiredProperty("forebay.data"))
            .resolve("admin-credentials");
    return await()
        .atMost(PATIENCE)
        .until(
            () -> {
              try (Stream<String> lines = Files.exists(file) ? Files.lines(file) : Stream.of()) {
                return lines.filter(line -> line.startsWith(name)).findFirst();
              }
            },
            Optional::isPresent)
        .orElseThrow()
        .substring(name.length());
  }

  AdminClient withToken(String token) {
    this.token = token;
    return this;
  }

  /** Logs in with the first password, which must then be changed. */
  AdminClient login() throws IOException, InterruptedException {
    String password = made("PASSWORD=", application);
    assertThat(loginWith(password).statusCode()).isEqualTo(200);
    HttpResponse<String> changed =
        send(
            "POST",
            "/admin/api/v1/password",
            "{\"old\":\"%s\",\"new\":\"%s\"}".formatted(password, CHANGED));
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(204);
    return this;
  }

  AdminClient loginAgain() throws IOException, InterruptedException {
    assertThat(loginWith(CHANGED).statusCode()).isEqualTo(200);
    return this;
  }

  private HttpResponse<String> loginWith(String password) throws IOException, InterruptedException {
    get("/admin/api/v1/me"); // sets the cookie whose value a login sends
    return send(
        "POST",
        "/admin/api/v1/login",
        "user=admin&password=" + URLEncoder.encode(password, StandardCharsets.UTF_8));
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send("GET", path, null);
  }

  JsonNode json(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.body());
  }

  HttpResponse<String> send(String method, String path, @Nullable String json)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address + path))
            .method(
                method,
                json == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(json));
    if (json != null) {
      request.header(
          "Content-Type",
          path.endsWith("/login") ? "application/x-www-form-urlencoded" : "application/json");
    }
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    for (HttpCookie cookie : cookies.getCookieStore().getCookies()) {
      if (cookie.getName().equals("forebay-xsrf")) {
        request.header("X-XSRF-TOKEN", cookie.getValue());
      }
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
