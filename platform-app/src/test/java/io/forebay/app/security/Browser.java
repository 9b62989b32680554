/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static java.net.URLEncoder.encode;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A browser with its cookies, and the page that sends the value of one of them as a header. */
final class Browser {

  private static final JsonMapper JSON = new JsonMapper();

  private final int port;
  private final CookieManager cookies = new CookieManager();
  private final HttpClient client = HttpClient.newBuilder().cookieHandler(cookies).build();
  boolean sendsTheCsrfHeader = true;

  Browser(int port) {
    this.port = port;
  }

  /** Opens a stream of events. */
  HttpResponse<InputStream> open(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
        HttpResponse.BodyHandlers.ofInputStream());
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send("GET", path, null);
  }

  HttpResponse<String> send(String method, String path, @Nullable String json)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
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
    if (sendsTheCsrfHeader) {
      cookie("forebay-xsrf").ifPresent(cookie -> request.header("X-XSRF-TOKEN", cookie.getValue()));
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> login(String user, String password)
      throws IOException, InterruptedException {
    get("/admin/api/v1/me"); // sets the cookie whose value a login sends
    return send(
        "POST",
        "/admin/api/v1/login",
        "user=%s&password=%s".formatted(encode(user, UTF_8), encode(password, UTF_8)));
  }

  HttpResponse<String> change(String old, String wanted) throws IOException, InterruptedException {
    return send(
        "POST",
        "/admin/api/v1/password",
        JSON.writeValueAsString(JSON.createObjectNode().put("old", old).put("new", wanted)));
  }

  Optional<HttpCookie> cookie(String name) {
    return cookies.getCookieStore().getCookies().stream()
        .filter(cookie -> cookie.getName().equals(name))
        .findFirst();
  }

  static JsonNode json(HttpResponse<String> response) {
    return JSON.readTree(response.body());
  }

  /** The last part of the type of a problem. */
  static String problem(HttpResponse<String> response) {
    assertThat(response.headers().firstValue("content-type")).contains("application/problem+json");
    return json(response).path("type").stringValue().replace("urn:forebay:problem:", "");
  }
}
