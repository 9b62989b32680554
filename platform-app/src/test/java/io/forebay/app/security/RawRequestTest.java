/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.access.Role;
import io.forebay.access.Tokens;
import io.forebay.database.TestPostgres;
import io.forebay.security.SecurityHeaders;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.Filter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends raw bytes that no HTTP client would send to a service on a real PostgreSQL. Each request is
 * refused with the right status and a Forebay problem document, and nothing is logged.
 */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {
      "forebay.backend=memory",
      "forebay.door.catalogue=classpath:raw-requests.yaml",
      "server.tomcat.connection-timeout=1s"
    })
@Import(NoLoginDelay.class)
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class RawRequestTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String NOTE = "/api/v1/statements/notes.add";
  private static final String HTTP = " HTTP/1.1\r\n";
  private static final String END = "Host: a\r\nConnection: close\r\n";

  @TempDir static Path data;
  private static TestPostgres postgres;
  private static String token;

  @Autowired Tokens tokens;
  @Autowired MeterRegistry metrics;
  @LocalServerPort int port;
  private final Map<String, Refused> cases = new LinkedHashMap<>();

  /** The requests that the shortcut of statements has left to the filter chain. */
  private static final AtomicInteger LEFT_TO_THE_CHAIN = new AtomicInteger();

  @TestConfiguration
  static class BehindTheShortcut {

    @Bean
    FilterRegistrationBean<Filter> behindTheShortcut() {
      FilterRegistrationBean<Filter> filter =
          new FilterRegistrationBean<>((request, response, chain) -> {
            LEFT_TO_THE_CHAIN.incrementAndGet();
            chain.doFilter(request, response);
          });
      filter.setOrder(-109);
      return filter;
    }
  }

  /** The bytes sent, and the expected answer. */
  private record Refused(byte[] request, int status, String type) {}

  private record Answer(int status, Map<String, String> headers, String body) {

    JsonNode json() {
      try {
        return JSON.readTree(body);
      } catch (JacksonException e) {
        return JSON.missingNode();
      }
    }
  }

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    postgres = TestPostgres.shared();
    postgres.createTable("create table note (text text, doc jsonb)");
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
    registry.add("forebay.gateways.main.datasource.url", () -> postgres.url());
    registry.add("forebay.gateways.main.datasource.username", () -> "forebay_gateway");
    registry.add("forebay.gateways.main.datasource.password", () -> "");
    registry.add("forebay.gateways.main.owner.url", () -> postgres.url());
    registry.add("forebay.gateways.main.owner.username", () -> "forebay_owner");
    registry.add("forebay.gateways.main.owner.password", () -> "");
  }

  @AfterAll
  static void stop() {
    postgres.close();
    token = null; // of that database
  }

  @BeforeEach
  void makeAToken() {
    if (token == null) {
      token = Door.token(tokens, "raw", Role.ADMIN, "*");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String authorization() {
    return "Authorization: Bearer " + token + "\r\n";
  }

  private void line(String requestLine, int status, String type) {
    cases.put(
        requestLine,
        new Refused(bytes(requestLine + "\r\n" + authorization() + END + "\r\n"), status, type));
  }

  private void head(String name, String headers, int status, String type) {
    cases.put(
        name,
        new Refused(
            bytes("GET /api/v1/status" + HTTP + authorization() + headers + "\r\n"), status, type));
  }

  private void query(String query, int status, String type) {
    line("GET " + query + " HTTP/1.1", status, type);
  }

  private void post(
      String name, String path, String headers, String body, int status, String type) {
    post(name, path, headers, bytes(body), status, type);
  }

  private void post(
      String name, String path, String headers, byte[] body, int status, String type) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(bytes("POST " + path + HTTP + authorization() + END));
    String type2 = headers.contains("Content-Type") ? "" : "Content-Type: application/json\r\n";
    request.writeBytes(bytes(type2 + headers + "Content-Length: " + body.length + "\r\n\r\n"));
    request.writeBytes(body);
    cases.put(name + " to " + path, new Refused(request.toByteArray(), status, type));
  }

  private Answer send(byte[] request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(request);
      ByteArrayOutputStream received = new ByteArrayOutputStream();
      try {
        socket.getInputStream().transferTo(received);
      } catch (IOException reset) {
        // check what was received before
      }
      String[] parts = received.toString(StandardCharsets.UTF_8).split("\r\n\r\n", 2);
      String[] lines = parts[0].split("\r\n");
      Map<String, String> headers = new TreeMap<>();
      for (int i = 1; i < lines.length; i++) {
        String[] header = lines[i].split(": ?", 2);
        headers.put(header[0].toLowerCase(Locale.ROOT), header[1]);
      }
      headers.keySet().removeAll(List.of("date", "set-cookie")); // answers are compared
      boolean hasStatus = lines[0].matches("HTTP/1\\.1 \\d{3}.*");
      String body = parts.length < 2 ? "" : parts[1];
      if ("chunked".equals(headers.get("transfer-encoding"))) {
        body = body.substring(body.indexOf("\r\n") + 2, body.lastIndexOf("\r\n0\r\n"));
      }
      return new Answer(hasStatus ? Integer.parseInt(lines[0].substring(9, 12)) : 0, headers, body);
    }
  }

  /**
   * The shortcut for POSTs of statements takes only this spelling of the scheme; the filter chain
   * and the dispatcher answer all others.
   */
  private Answer sendTheLongWay(byte[] request) throws IOException {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    return send(bytes(text.replace("Authorization: Bearer ", "Authorization: bearer ")));
  }

  private void whatTheServerCannotRead() {
    line("GET /%zz HTTP/1.1", 400, "invalid-request");
    line("GET /<x> HTTP/1.1", 400, "invalid-request");
    line("GET /\u0001 HTTP/1.1", 400, "invalid-request");
    line("GET /api/v1/status%00 HTTP/1.1", 400, "invalid-request");
    line("GET /api%2fv1/status HTTP/1.1", 400, "invalid-request");
    line("GET /api/v1/failed/%ed%a0%80 HTTP/1.1", 400, "invalid-request");
    line("GET /api/v1/status;a=b HTTP/1.1", 400, "invalid-request");
    line("G@T / HTTP/1.1", 400, "invalid-request");
    line("hello there, this is not HTTP", 400, "invalid-request");
    line("GET / HTTP/9.9", 505, "version-not-supported");
    line("CONNECT a:80 HTTP/1.1", 501, "not-implemented");
    line("TRACE / HTTP/1.1", 405, "method-not-allowed");
    line("FOO /api/v1/status HTTP/1.1", 400, "invalid-request");
    line("GET /" + "a".repeat(9_000) + " HTTP/1.1", 414, "uri-too-long");
    head(
        "a header that is too large",
        END + "X: " + "a".repeat(9_000) + "\r\n",
        431,
        "headers-too-large");
    head("too many headers", END + "X: a\r\n".repeat(150), 431, "headers-too-large");
    head("no host", "Connection: close\r\n", 400, "invalid-request");
    head("two hosts", END + "Host: b\r\n", 400, "invalid-request");
    head("a bad name of a header", END + "Bad Header: x\r\n", 400, "invalid-request");
    head("a bad value of a header", END + "X: a\u0000b\r\n", 400, "invalid-request");
    head("a control character (C1) to accept", END + "Accept: a\u0085b\r\n", 406, "not-acceptable");
    head("an unknown expectation", END + "Expect: magic\r\n", 417, "invalid-request");
    head("nothing acceptable", END + "Accept: application/xml\r\n", 406, "not-acceptable");
    head("no media type to accept", END + "Accept: x\r\n", 406, "not-acceptable");
    post("two lengths", NOTE, "Content-Length: 3\r\n", "{}", 400, "invalid-request");
    post("no length", NOTE, "Content-Length: x\r\n", "{}", 400, "invalid-request");
    post("an unknown coding", NOTE, "Transfer-Encoding: foo\r\n", "{}", 501, "not-implemented");
    post(
        "a coding and a length",
        NOTE,
        "Transfer-Encoding: chunked\r\n",
        "zz\r\n",
        400,
        "invalid-request");
  }

  private void queries() {
    for (String query : List.of("?=", "?x=%zz", "?wait=%zz", "?x=%ff", "?wait=1s&wait=2s")) {
      post("a note", NOTE + query, "", "{\"text\":\"a\"}", 400, "invalid-request");
    }
    query(
        "/api/v1/results/018f3c4e-7d2a-7b11-9c55-0a1b2c3d4e5f?partition=%zz",
        400, "invalid-request");
    query("/api/v1/audit?before=%zz", 400, "invalid-request");
    query("/api/v1/audit?limit=x", 400, "invalid-parameters");
    query("/api/v1/audit?actor=%00", 400, "invalid-parameters");
    query("/api/v1/failed?service=%00", 400, "invalid-parameters");
    query("/api/v1/failed?before=%00", 400, "invalid-parameters");
    query("/api/v1/failed?limit=0", 400, "invalid-request");
    query("/api/v1/jobs/executions/x", 400, "invalid-parameters");
    query("/admin/api/v1/failures/list?error=%00", 400, "invalid-parameters");
    query("/admin/api/v1/failures?service=%00", 400, "invalid-parameters");
    query("/admin/api/v1/failures?state=x", 400, "invalid-request");
    query("/admin/api/v1/failures?from=-999999999999d", 400, "invalid-request");
    query("/admin/api/v1/services/main/series?from=-999999999d", 400, "invalid-request");
    query("/admin/api/v1/services/main/series?points=x", 400, "invalid-parameters");
    query("/admin/v/1/nothing.js", 404, "not-found");
    query("/nothing", 403, "not-permitted");
  }

  private void bodies() {
    post(
        "two keys",
        NOTE,
        "Idempotency-Key: a\r\nIdempotency-Key: b\r\n",
        "{\"text\":\"a\"}",
        400,
        "invalid-request");
    post(
        "a key with a control character (C1)",
        NOTE,
        "Idempotency-Key: a\u0085b\r\n",
        "{\"text\":\"a\"}",
        400,
        "invalid-request");
    post(
        "two types",
        NOTE,
        "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
        "{\"text\":\"a\"}",
        415,
        "unsupported-media-type");
    Map<String, byte[]> wrong = new LinkedHashMap<>();
    wrong.put("Latin-1", bytes("{\"text\":\"\u00e4\"}"));
    wrong.put("an overlong form", bytes("{\"text\":\"\u00c0\u00af\"}"));
    wrong.put("a longer overlong form", bytes("{\"text\":\"\u00e0\u0080\u00af\"}"));
    wrong.put("an overlong U+0000", bytes("{\"text\":\"\u00c0\u0080\"}"));
    wrong.put("a surrogate", bytes("{\"text\":\"\u00ed\u00a0\u0080\"}"));
    wrong.put("above U+10FFFF", bytes("{\"text\":\"\u00f4\u0090\u0080\u0080\"}"));
    wrong.put("an end in its midst", bytes("{\"text\":\"a\"}\u00c3"));
    wrong.put("UTF-16", "{\"text\":\"a\"}".getBytes(StandardCharsets.UTF_16));
    wrong.put("UTF-16LE", "{\"text\":\"a\"}".getBytes(StandardCharsets.UTF_16LE));
    wrong.put("UTF-16BE", "{\"text\":\"a\"}".getBytes(StandardCharsets.UTF_16BE));
    wrong.forEach((name, body) -> post(name, NOTE, "", body, 400, "malformed-json"));
    for (String text : List.of("\\u0000", "a\\u0000b", "\\ud800", "\\udc00\\ud800")) {
      post(text, NOTE, "", "{\"text\":\"%s\"}".formatted(text), 400, "invalid-parameters");
      for (String doc : List.of("\"%s\"", "{\"a\":[1,\"%s\"]}")) {
        post(
            doc.formatted(text),
            NOTE,
            "",
            "{\"text\":\"a\",\"doc\":%s}".formatted(doc.formatted(text)),
            400,
            "invalid-parameters");
      }
      post(
          text,
          "/api/v1/services/main/pause",
          "",
          "{\"reason\":\"%s\"}".formatted(text),
          400,
          "invalid-parameters");
      post(
          text,
          "/admin/api/v1/failures/replays",
          "",
          "{\"reason\":\"r\",\"service\":\"main\",\"error\":\"%s\"}".formatted(text),
          400,
          "invalid-parameters");
      post(
          text,
          "/api/v1/tokens",
          "",
          "{\"name\":\"%s\",\"role\":\"none\"}".formatted(text),
          400,
          "invalid-parameters");
    }
    for (String reason : List.of("5", "true", "[\"x\"]", "{}", "\"\"", "null", "\"a\\nb\"")) {
      post(
          reason,
          "/api/v1/services/main/pause",
          "",
          "{\"reason\":%s}".formatted(reason),
          400,
          "invalid-parameters");
    }
    post("a list", "/api/v1/services/main/resume", "", "[]", 400, "invalid-parameters");
    post("an end", "/api/v1/services/main/resume", "", "{\"reason\": ", 400, "malformed-json");
    post(
        "Latin-1",
        "/api/v1/services/main/resume",
        "",
        "{\"reason\":\"\u00e4\"}",
        400,
        "malformed-json");
    post(
        "no JSON",
        "/api/v1/services/main/resume",
        "Content-Type: text/plain\r\n",
        "x",
        415,
        "unsupported-media-type");
    post(
        "U+0000 in a name",
        "/admin/api/v1/login",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "user=a%00&password=a",
        401,
        "unauthenticated");
    post("an end", "/api/v1/tokens", "", "{\"name\":", 400, "malformed-json");
    post(
        "a list as a number",
        "/admin/api/v1/failures/replays",
        "",
        "{\"perSecond\":[]}",
        400,
        "invalid-parameters");
    post("too much", NOTE, "", "{\"text\":\"" + "a".repeat(1_100_000) + "\"}", 413, "too-large");
  }

  @Test
  void invalidRequestsAreRefusedWithAProblemAndNeverFail(CapturedOutput output) throws Exception {
    whatTheServerCannotRead();
    queries();
    bodies();
    SoftAssertions softly = new SoftAssertions();
    for (Map.Entry<String, Refused> each : cases.entrySet()) {
      String name = each.getKey().length() > 90 ? each.getKey().substring(0, 90) : each.getKey();
      Refused refused = each.getValue();
      Answer answer = send(refused.request());
      look(softly, name, refused.status(), refused.type(), answer);
      softly.assertThat(sendTheLongWay(refused.request())).as(name).isEqualTo(answer);
    }
    assertThat(cases).hasSizeGreaterThan(90);
    softly.assertAll();
    assertThat(output.getAll())
        .doesNotContain("\tat ", "Exception")
        .doesNotContainIgnoringCase("insert into", "select ");
    assertThat(notes()).as("nothing was performed").isZero();
  }

  /** A request of a statement, to be sent both ways. */
  private record Note(String target, String headers, String body) {

    Note(String target) {
      this(target, authorization(), "{\"text\":\"a\"}");
    }

    byte[] bytes() {
      return RawRequestTest.bytes(
          "POST "
              + target
              + HTTP
              + headers
              + END
              + "Content-Type: application/json\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body);
    }
  }

  @Test
  void theShortcutForStatementsAnswersAsTheFilterChainDoes() throws Exception {
    String none = Door.token(tokens, "grantless", Role.ADMIN, "other.*");
    List<Note> notes = new ArrayList<>();
    for (String target :
        List.of(
            "",
            "?wait=10s",
            "?deliver-by=1h",
            "?wait=1%00",
            "?wait=%31s",
            "?wait",
            "?a=b&=",
            "?wait=1s;2",
            "?wait=-1",
            "?gateway=none",
            "/",
            "/x",
            ";a=b",
            "%20",
            "%2e",
            "%2F..",
            ".",
            "..",
            ".more",
            "/..",
            "/../notes.add",
            "/./",
            "//",
            "~",
            "\u00e4")) {
      notes.add(new Note(NOTE + target));
    }
    notes.add(new Note("/api/v1/statements/"));
    notes.add(new Note("/api/v1/statements/.."));
    notes.add(new Note("/api/v1/statements/NOTES.ADD"));
    notes.add(new Note("/api/v1//statements/notes.add"));
    notes.add(new Note("/API/v1/statements/notes.add"));
    for (String more :
        List.of(
            "Idempotency-Key: %s\r\n".formatted("a".repeat(256)),
            "Idempotency-Key: \u0085\r\n",
            "Idempotency-Key: \u00e4\r\n",
            "Idempotency-Key: a\tb\r\n",
            "Accept: text/html\r\n",
            "Accept: \u0085\r\n",
            "Accept: application/x-ndjson\r\n",
            "Content-Type: application/x-ndjson\r\n",
            "Content-Encoding: gzip\r\n",
            "Cookie: forebay-session=x\r\n",
            "Origin: https://example.org\r\n",
            "X-HTTP-Method-Override: DELETE\r\n",
            "X-Forwarded-Prefix: /other\r\n",
            "X: \u0085\r\n",
            "Authorization: Basic YTpi\r\n")) {
      notes.add(new Note(NOTE, authorization() + more, "{\"text\":\"a\"}"));
    }
    for (String credentials :
        List.of(
            "",
            "Authorization: Bearer \r\n",
            "Authorization: Bearer x\r\n",
            "Authorization: Bearer " + none + "\r\n",
            "Authorization: Bearer " + token + "x\r\n",
            "Authorization: Bearer " + token + " x\r\n",
            "Authorization: Bearer  " + token + "\r\n",
            "Cookie: forebay-session=" + token + "\r\n")) {
      notes.add(new Note(NOTE, credentials, "{\"text\":\"a\"}"));
    }
    for (String body : List.of("", "[]", "[{\"text\":\"a\"}]", "{\"text\":1}", "{}", "{")) {
      notes.add(new Note(NOTE, authorization(), body));
    }
    SoftAssertions softly = new SoftAssertions();
    Map<Integer, Integer> statuses = new TreeMap<>();
    for (Note note : notes) {
      Answer answer = send(note.bytes());
      statuses.merge(answer.status(), 1, Integer::sum);
      softly
          .assertThat(withoutIds(sendTheLongWay(note.bytes())))
          .as("%s", note)
          .isEqualTo(withoutIds(answer));
    }
    softly.assertAll();
    assertThat(statuses).containsKeys(200, 202, 400, 401, 403, 404, 406, 415);
    assertThat(metrics.get("http.server.requests").tag("uri", "/api/v1/statements/{name}").timers())
        .filteredOn(timer -> "202".equals(timer.getId().getTag("status")))
        .singleElement()
        .satisfies(
            timer -> assertThat(timer.count()).isEqualTo(2L * statuses.getOrDefault(202, 0)));
    byte[] plain = new Note(NOTE).bytes();
    LEFT_TO_THE_CHAIN.set(0);
    assertThat(send(plain).status()).isEqualTo(202);
    assertThat(LEFT_TO_THE_CHAIN).as("the shortcut answers a plain request").hasValue(0);
    assertThat(sendTheLongWay(plain).status()).isEqualTo(202);
    assertThat(LEFT_TO_THE_CHAIN).hasValue(1);
    JdbcClient.create(postgres.owner()).sql("delete from note").update();
  }

  /** Two statements have different ids, positions and keys. */
  private static String withoutIds(Answer answer) {
    return answer
        .toString()
        .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID")
        .replaceAll("((?:position|first|last)\"?[=:])\\d+", "$1N");
  }

  /** The read time-out of this service is one second. */
  @Test
  void aLateBodyIsNotReportedAsABadRequest(CapturedOutput output) throws Exception {
    SoftAssertions softly = new SoftAssertions();
    Map<String, Future<Answer>> answers = new LinkedHashMap<>();
    try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
      for (String path :
          List.of(
              NOTE,
              "/api/v1/statements",
              "/api/v1/tokens",
              "/api/v1/services/main/pause",
              "/admin/api/v1/users")) {
        for (String length :
            List.of(
                "Content-Length: 20\r\n\r\n{\"text\"",
                "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"te")) {
          String request =
              "POST "
                  + path
                  + HTTP
                  + authorization()
                  + "Host: a\r\nContent-Type: application/json\r\n"
                  + length;
          answers.put(request, senders.submit(() -> send(bytes(request))));
        }
      }
    }
    for (Map.Entry<String, Future<Answer>> each : answers.entrySet()) {
      Answer answer = each.getValue().get();
      look(softly, each.getKey(), 408, "request-timeout", answer);
      softly.assertThat(answer.headers().get("connection")).as(each.getKey()).isEqualTo("close");
    }
    softly.assertAll();
    assertThat(output.getAll()).doesNotContain("\tat ", "Exception");
  }

  private static void look(
      SoftAssertions softly, String name, int status, String type, Answer answer) {
    softly.assertThat(answer.status()).as("%s: %s", name, answer.body()).isEqualTo(status);
    JsonNode problem = answer.json();
    softly
        .assertThat(problem.path("type").asString(""))
        .as("%s: %s", name, answer.body())
        .isEqualTo("urn:forebay:problem:" + type);
    softly.assertThat(problem.path("status").asInt(0)).as(name).isEqualTo(status);
    softly.assertThat(problem.path("title").asString("")).as(name).isNotBlank();
    softly.assertThat(problem.path("detail").asString("")).as(name).isNotBlank();
    if (type.equals("invalid-parameters")) {
      softly.assertThat(problem.path("errors")).as("%s: %s", name, answer.body()).isNotEmpty();
    }
    softly
        .assertThat(answer.headers().getOrDefault("content-type", "none"))
        .as(name)
        .isEqualTo("application/problem+json");
    SecurityHeaders.ALL.forEach((header, value) ->
        softly
            .assertThat(answer.headers().get(header.toLowerCase(Locale.ROOT)))
            .as("%s of %s", header, name)
            .isEqualTo(value));
    softly
        .assertThat(answer.body())
        .as(name)
        .doesNotContain("Exception", "\tat ", "org.springframework", "org.postgresql");
  }

  private static long notes() {
    return JdbcClient.create(postgres.owner())
        .sql("select count(*) from note")
        .query(Long.class)
        .single();
  }
}
