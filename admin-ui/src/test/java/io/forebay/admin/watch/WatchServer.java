/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.forebay.admin.TestServer;
import io.forebay.call.Writer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server whose figures tests read over HTTP, and the receiver of its alerts. */
class WatchServer extends TestServer {

  /** How long a closing server waits for open requests (Spring Boot's default). */
  static final Duration WAIT_FOR_REQUESTS = Duration.ofSeconds(30);

  static final String API = "/admin/api/v1/";

  final List<JsonNode> reported = new CopyOnWriteArrayList<>();
  private final HttpServer receiver;

  WatchServer() {
    try {
      receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    receiver.createContext(
        "/alerts",
        exchange -> {
          reported.add(JsonMapper.shared().readTree(exchange.getRequestBody().readAllBytes()));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
  }

  @Override
  protected Stream<String> properties() {
    return Stream.of(
        "--spring.threads.virtual.enabled=true",
        "--server.shutdown=graceful",
        "--forebay.watch.limits.greeting=1s",
        "--forebay.admin.webhook.url=http://127.0.0.1:%d/alerts"
            .formatted(receiver.getAddress().getPort()),
        "--forebay.admin.webhook.secret=a secret of the test");
  }

  @AfterEach
  void stopReceiver() {
    receiver.stop(0);
  }

  HttpRequest request(String path, String role) {
    return request("GET", API + path, role, null);
  }

  HttpResponse<String> send(String path, String role) {
    return send("GET", API + path, role, null);
  }

  JsonNode document(String path) {
    return get(API + path);
  }

  JsonNode snapshot() {
    await().until(() -> send("snapshot", "VIEWER").statusCode() == 200);
    return document("snapshot");
  }

  void greet(int times) {
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      for (int i = 0; i < times; i++) {
        writer.calls().greet("olga");
      }
    }
  }
}
