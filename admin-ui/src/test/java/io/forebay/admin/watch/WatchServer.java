/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.forebay.admin.AdminAccess;
import io.forebay.admin.LoggedIn;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.operations.Audit;
import io.forebay.operations.Instance;
import io.forebay.operations.Services;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server with one service, whose figures tests read over HTTP. */
class WatchServer {

  /** How long a closing server waits for open requests (Spring Boot's default). */
  static final Duration WAIT_FOR_REQUESTS = Duration.ofSeconds(30);

  static final String API = "/admin/api/v1/";

  /** The protocol of the test service. */
  public interface Greeting {
    void greet(String name);
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(AdminAccess.Checked.class)
  static class Application {}

  @TempDir Path data;
  final MemoryBackend backend = MemoryBackend.open();
  final Protocol<Greeting> protocol = Protocol.of(Greeting.class);
  final List<Audit.Entry> audited = new ArrayList<>();
  final HttpClient http = HttpClient.newHttpClient();
  Service<Greeting, Greeting> service;
  final List<JsonNode> reported = new CopyOnWriteArrayList<>();
  HttpServer receiver;
  ServletWebServerApplicationContext context;

  @BeforeEach
  void start() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    receiver.createContext(
        "/alerts",
        exchange -> {
          reported.add(JsonMapper.shared().readTree(exchange.getRequestBody().readAllBytes()));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
    service =
        new Service<>(
            "greeting",
            new Service.End<>(backend.open("greeting.in", 1), protocol),
            new Service.End<>(backend.open("greeting.out", 1), protocol),
            (_, answers) -> answers,
            ServiceOptions.defaults());
    service.start();
    run();
  }

  void run() {
    context =
        (ServletWebServerApplicationContext)
            new SpringApplicationBuilder(Application.class)
                .initializers(it -> beans((GenericApplicationContext) it))
                .run(
                    "--spring.mvc.problemdetails.enabled=true",
                    "--spring.threads.virtual.enabled=true",
                    "--server.shutdown=graceful",
                    "--server.port=0",
                    "--server.address=127.0.0.1",
                    "--forebay.backend=memory",
                    "--forebay.watch.limits.greeting=1s",
                    "--forebay.admin.webhook.url=http://127.0.0.1:%d/alerts"
                        .formatted(receiver.getAddress().getPort()),
                    "--forebay.admin.webhook.secret=a secret of the test",
                    "--forebay.data=" + data);
  }

  void beans(GenericApplicationContext it) {
    it.registerBean(Instance.class, () -> new Instance("test", "memory", Instant.EPOCH));
    it.registerBean(
        Services.class, () -> new Services(List.of(new HostedService<>(service)), null));
    it.registerBean(Audit.class, Recording::new);
    it.registerBean(Filter.class, LoggedIn::filter);
  }

  final class Recording implements Audit {
    @Override
    public void record(Entry entry) {
      audited.add(entry);
    }

    @Override
    public List<Recorded> before(long before, int limit, Filter filter) {
      return List.of();
    }
  }

  @AfterEach
  void stop() {
    context.close();
    service.close();
    backend.close();
    receiver.stop(0);
  }

  HttpRequest request(String path, String role, @Nullable String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + context.getWebServer().getPort() + API + path))
            .header("Role", role);
    return body == null
        ? request.build()
        : request
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
  }

  HttpResponse<String> send(String path, String role, @Nullable String body) {
    try {
      return http.send(request(path, role, body), BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  JsonNode get(String path) {
    HttpResponse<String> response = send(path, "VIEWER", null);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(response.body());
  }

  JsonNode snapshot() {
    await().until(() -> send("snapshot", "VIEWER", null).statusCode() == 200);
    return get("snapshot");
  }

  void greet(int times) {
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      for (int i = 0; i < times; i++) {
        writer.calls().greet("olga");
      }
    }
  }
}
