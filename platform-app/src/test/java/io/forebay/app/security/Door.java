/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.access.Role;
import io.forebay.access.TokenText;
import io.forebay.access.Tokens;
import io.forebay.security.SecurityHeaders;
import io.forebay.system.StoredToken;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A running service as callers see it over HTTP. The headers of every answer are checked. */
final class Door {

  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3}).*");
  private static final JsonMapper JSON = new JsonMapper();

  private final int port;
  private final HttpClient client = HttpClient.newHttpClient();

  Door(int port) {
    this.port = port;
  }

  record Answer(int status, Map<String, String> headers, String body) {

    Answer {
      Map<String, String> expected = lower();
      if (headers.getOrDefault("content-type", "").startsWith("text/html")) {
        expected.remove("content-security-policy");
        assertThat(headers.get("content-security-policy"))
            .startsWith("default-src 'none'; script-src 'self' 'sha256-")
            .contains("base-uri 'none'", "frame-ancestors 'none'")
            .doesNotContain("unsafe", "*", "\n");
      }
      assertThat(headers).as("headers of an answer with %d", status).containsAllEntriesOf(expected);
      assertThat(headers)
          .doesNotContainKeys("server", "x-powered-by", "access-control-allow-origin");
      assertThat(headers.getOrDefault("set-cookie", "forebay-xsrf="))
          .as("the page's only, or a cookie that is not valid is deleted")
          .matches("forebay-xsrf=.*|.*=; Path=/.*; Max-Age=0;.*");
      if (status >= 400) {
        assertThat(body).doesNotContain("Exception", "\tat ", "io.forebay", "org.springframework");
      }
    }

    private static Map<String, String> lower() {
      Map<String, String> lower = new TreeMap<>();
      SecurityHeaders.ALL.forEach((name, value) -> lower.put(name.toLowerCase(Locale.ROOT), value));
      return lower;
    }

    JsonNode json() {
      return JSON.readTree(body);
    }
  }

  Answer get(String path, @Nullable String token) throws IOException, InterruptedException {
    return send("GET", path, token, null);
  }

  Answer send(String method, String path, @Nullable String token, @Nullable String json)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(
                method,
                json == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(json));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    if (json != null) {
      request.header("Content-Type", "application/json");
    }
    HttpResponse<InputStream> response =
        client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    Map<String, String> headers = new TreeMap<>();
    response.headers().map().forEach((name, values) -> headers.put(name, values.getFirst()));
    return new Answer(response.statusCode(), headers, body(response));
  }

  /** The body; nothing for a stream of events, which does not end. */
  private static String body(HttpResponse<InputStream> response) throws IOException {
    boolean endless =
        response.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
    try (InputStream body = response.body()) {
      return endless ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Sends bytes that no proper client would send. */
  Answer raw(String requestLine, String... headers) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(10_000);
      StringBuilder request = new StringBuilder(requestLine).append(" HTTP/1.1\r\n");
      if (Arrays.stream(headers).noneMatch(header -> header.startsWith("Host:"))) {
        request.append("Host: a\r\n");
      }
      for (String header : headers) {
        request.append(header).append("\r\n");
      }
      request.append("Content-Length: 0\r\nConnection: close\r\n\r\n");
      socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      String[] parts = answer.split("\r\n\r\n", 2);
      String[] lines = parts[0].split("\r\n");
      Matcher status = STATUS.matcher(lines[0]);
      assertThat(status.matches()).as("the answer %s to %s", lines[0], requestLine).isTrue();
      Map<String, String> found = new TreeMap<>();
      for (int i = 1; i < lines.length; i++) {
        String[] header = lines[i].split(": ", 2);
        found.put(header[0].toLowerCase(Locale.ROOT), header[1]);
      }
      return new Answer(Integer.parseInt(status.group(1)), found, parts[1]);
    }
  }

  /** Forwarded headers that no proxy should send, as lines. */
  static final List<String> FORWARDED =
      List.of(
          "X-Forwarded-For: 203.0.113.9:4711",
          "X-Forwarded-For: [2001:db8::9]:4711",
          "X-Forwarded-For: 2001:db8::9%eth0",
          "X-Forwarded-For: 203.0.113.9:99999",
          "X-Forwarded-For: a:b:c, unknown:1",
          "X-Forwarded-For: ,;:[]",
          "X-Forwarded-For: [",
          "X-Forwarded-For: ::::::",
          "X-Forwarded-For: " + "x:".repeat(2_000),
          "X-Forwarded-For: \u00e4\u00f6\u00fc:1",
          "X-Forwarded-Proto: gopher://:x",
          "X-Forwarded-Proto: ",
          "X-Forwarded-Host: a:b:c",
          "X-Forwarded-Host: [::1",
          "X-Forwarded-Host: a b/../%zz?#:99999",
          "X-Forwarded-Port: 99999999999",
          "X-Forwarded-Port: -1",
          "X-Forwarded-Port: port",
          "X-Forwarded-Prefix: //%zz/../a b",
          "X-Forwarded-Prefix: /a;Domain=b",
          "X-Forwarded-Prefix: //b.example",
          "X-Forwarded-Prefix: /" + "a".repeat(6_000),
          "X-Forwarded-Prefix: " + "/a".repeat(3_000),
          "X-Forwarded-Ssl: perhaps",
          "Forwarded: for=\"[2001:db8::9]:4711\";proto=https",
          "Forwarded: for=203.0.113.9:99999",
          "Forwarded: for=\"_hidden:_port\";host=a:b:c;proto=x y",
          "Forwarded: for=unknown, for=\"",
          "Forwarded: ;=;for=;;host=\"[",
          "Host: a:99999",
          "Host: [::1",
          "Host: a:b");

  /**
   * Sends each of {@link #FORWARDED} with a right token, with a wrong one and with a login, several
   * times, and checks that none of them fails: an answer says what is wrong with the request.
   */
  void sendForwardedHeaders(String token) throws IOException {
    for (String header : FORWARDED) {
      for (String[] request :
          new String[][] {
            {"GET /api/v1/tokens", "Authorization: Bearer " + token},
            {"GET /api/v1/tokens", "Authorization: Bearer wrong"},
            {"GET /api/v1/tokens", "Authorization: Bearer wrong"},
            {"POST /admin/api/v1/login", "Content-Type: application/json"},
            {"GET /admin/", "Accept: */*"},
            {"GET /nothing", "Accept: */*"},
          }) {
        Answer answer = raw(request[0], request[1], header);
        assertThat(answer.status()).as("%s with %s", request[0], header).isLessThan(500);
        if (answer.status() >= 400) {
          assertThat(answer.body())
              .as("%s with %s: %s", request[0], header, answer)
              .contains("\"type\":\"urn:forebay:problem:");
        }
      }
    }
  }

  /** Checks which answers have Strict-Transport-Security if a proxy names the scheme. */
  void checkForwardedScheme() throws IOException {
    String header = "strict-transport-security";
    assertThat(raw("GET /admin/", "X-Forwarded-Proto: https").headers())
        .containsEntry(header, "max-age=63072000");
    assertThat(raw("GET /admin/", "X-Forwarded-Proto: http").headers()).doesNotContainKey(header);
    assertThat(raw("GET /admin/").headers()).doesNotContainKey(header);
  }

  /** Adds a token to the database of the service without its API. */
  static String token(Tokens tokens, String name, Role role, String... statements) {
    String text = TokenText.generate();
    assertThat(
            tokens.add(
                new StoredToken(
                    name,
                    TokenText.hash(text),
                    role.text(),
                    List.of(statements),
                    "test",
                    Instant.EPOCH,
                    Instant.parse("2100-01-01T00:00:00Z"))))
        .isTrue();
    return text;
  }
}
