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
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of an application with the printed credentials: a session if logged in, or a token. */
final class AdminClient {

  private static final Pattern TOKEN = Pattern.compile("fb_[A-Za-z0-9_-]{43}");
  private static final Pattern PASSWORD = Pattern.compile("first login:\\s+(\\S+)");
  static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CHANGED = "a password of mine";

  private final String address;
  private final CookieManager cookies = new CookieManager();
  private final HttpClient client = HttpClient.newBuilder().cookieHandler(cookies).build();
  private @Nullable String token;

  AdminClient(ConfigurableApplicationContext application) {
    Environment environment = application.getEnvironment();
    address =
        "http://127.0.0.1:"
            + environment.getRequiredProperty("local.server.port")
            + environment.getProperty("server.servlet.context-path", "");
  }

  static String token(CharSequence output) {
    return printed(TOKEN, output).group();
  }

  /** Waits, since credentials are made when the system database is ready. */
  private static Matcher printed(Pattern pattern, CharSequence output) {
    return await().atMost(PATIENCE).until(() -> pattern.matcher(output.toString()), Matcher::find);
  }

  AdminClient withToken(String token) {
    this.token = token;
    return this;
  }

  /** Logs in with the printed password, which must then be changed. */
  AdminClient login(CharSequence output) throws IOException, InterruptedException {
    String password = printed(PASSWORD, output).group(1);
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
    return send(
        "POST",
        "/admin/api/v1/login",
        "{\"user\":\"admin\",\"password\":\"%s\"}".formatted(password));
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
      request.header("Content-Type", "application/json");
    }
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    for (HttpCookie cookie : cookies.getCookieStore().getCookies()) {
      if (cookie.getName().equals("XSRF-TOKEN")) {
        request.header("X-XSRF-TOKEN", cookie.getValue());
      }
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
