/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a real receiver of the webhook gets. */
class WebhookTest {

  private static final Instant AT = Instant.parse("2026-11-20T01:00:00Z");
  private static final String SECRET = "0123456789abcdef";

  /** A request as the receiver got it. */
  private record Request(String signature, String body) {

    JsonNode json() {
      return JsonMapper.shared().readTree(body);
    }
  }

  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final CountDownLatch answers = new CountDownLatch(1);
  private volatile boolean hangs;
  private volatile boolean endless;
  private volatile int status = 204;
  private HttpServer server;
  private Webhook webhook;

  @BeforeEach
  void receive() throws Exception {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try {
            if (hangs) {
              answers.await();
            }
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          requests.add(new Request(exchange.getRequestHeaders().getFirst(Webhook.SIGNATURE), body));
          exchange.sendResponseHeaders(status, endless ? 0 : -1);
          if (endless) {
            exchange.getResponseBody().write(' ');
            exchange.getResponseBody().flush();
          } else {
            exchange.close();
          }
        });
    server.start();
    webhook =
        new Webhook(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hook"),
            SECRET,
            "a",
            () -> AT,
            Duration.ofMillis(1));
  }

  @AfterEach
  void stop() throws InterruptedException {
    answers.countDown();
    webhook.close();
    server.stop(0);
  }

  private static AlertChange change(AlertChange.Event event, Severity severity, double figure) {
    AlertRecord opened =
        AlertRecord.opened(
            AlertLogTest.problem(
                AlertKind.BEHIND, severity, figure, AlertLogTest.figures("late"), AT),
            AT);
    return new AlertChange(
        event == AlertChange.Event.CLOSED ? opened.closed(AT.plusSeconds(9)) : opened, event);
  }

  private static AlertChange opened() {
    return change(AlertChange.Event.OPENED, Severity.WATCH, 0.6);
  }

  private static AlertChange closed() {
    return change(AlertChange.Event.CLOSED, Severity.BAD, 1.2);
  }

  private List<String> events() {
    return requests.stream().map(it -> it.json().get("event").asString()).toList();
  }

  @Test
  void sendsASignedRequestForEachChange() throws Exception {
    webhook.accept(opened());
    webhook.accept(change(AlertChange.Event.WORSE, Severity.BAD, 1.2));
    webhook.accept(closed());
    webhook.close();
    assertThat(events()).containsExactly("opened", "worse", "closed");
    JsonNode body = requests.getLast().json();
    assertThat(body.get("id").asString()).isEqualTo("behind~orders~1795136400000~closed");
    assertThat(body.get("alert").asString()).isEqualTo("behind~orders");
    assertThat(body.get("kind").asString()).isEqualTo("behind");
    assertThat(body.get("severity").asString()).isEqualTo("fine");
    assertThat(body.get("service").asString()).isEqualTo("orders");
    assertThat(body.get("peak").asDouble()).isEqualTo(1.2);
    assertThat(body.has("text")).as("only the page words an alert").isFalse();
    assertThat(body.get("opened").asString()).isEqualTo("2026-11-20T01:00:00Z");
    assertThat(body.get("closed").asString()).isEqualTo("2026-11-20T01:00:09Z");
    assertThat(body.get("instance").asString()).isEqualTo("a");
    for (Request request : requests) {
      String[] parts = request.signature().split(",");
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      String signed = parts[0].substring("t=".length()) + "." + request.body();
      assertThat(parts[1])
          .isEqualTo(
              "v1="
                  + HexFormat.of().formatHex(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8))));
    }
  }

  @Test
  void repeatsARefusedRequestAFewTimesWithTheSameIdAndThenContinues() {
    status = 500;
    webhook.accept(opened());
    await().until(() -> requests.size() == 4);
    assertThat(requests.stream().map(it -> it.json().get("id").asString()).distinct())
        .containsExactly("behind~orders~1795136400000~opened");
    status = 204;
    webhook.accept(closed());
    await().until(() -> requests.size() == 5);
    assertThat(events()).endsWith("opened", "closed");
  }

  @Test
  void repeatsARequestUntilTheReceiverRunsAgain() throws Exception {
    int port = server.getAddress().getPort();
    server.stop(0);
    Webhook patient =
        new Webhook(
            URI.create("http://127.0.0.1:" + port + "/hook"),
            SECRET,
            "a",
            () -> AT,
            Duration.ofMillis(500));
    try (ServerSocket broken = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
      patient.accept(opened());
      broken.accept().close();
    }
    HttpServer again = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    again.createContext(
        "/",
        exchange -> {
          requests.add(
              new Request(
                  "",
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    again.start();
    await().until(() -> events().equals(List.of("opened")));
    patient.close();
    again.stop(0);
  }

  @Test
  void aReceiverThatHangsBlocksNobodyElse() {
    hangs = true;
    webhook.accept(opened());
    webhook.accept(closed());
    assertThat(requests).isEmpty();
    answers.countDown();
    await().until(() -> events().equals(List.of("opened", "closed")));
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anAnswerWithoutAnEndBlocksNoReport() {
    endless = true;
    status = 200;
    webhook.accept(opened());
    webhook.accept(closed());
    await().until(() -> events().equals(List.of("opened", "closed")));
  }

  @ParameterizedTest
  @CsvSource({
    "http://hooks.example.com/x, 0123456789abcdef, Plain HTTP refused: alerts would cross the network to hooks.example.com",
    "ftp://hooks.example.com/x, 0123456789abcdef, must be an address that begins with https",
    "https://olga:pw@hooks.example.com/x, 0123456789abcdef, must not have a user or a password",
    "https://hooks.example.com/x, short, must have at least 16 characters",
    "https://hooks.example.com/x, , must have at least 16 characters",
  })
  void anUnsafeWebhookIsRefused(String url, @Nullable String secret, String why) {
    assertThatThrownBy(() -> new WebhookProperties(url, secret))
        .hasMessageContaining(why)
        .hasMessageNotContaining("/x");
    assertThat(new WebhookProperties("https://hooks.example.com/x", SECRET).toString())
        .doesNotContain("/x", SECRET);
    assertThat(new WebhookProperties("http://127.0.0.1:8080/x", SECRET).url()).isNotNull();
  }
}
