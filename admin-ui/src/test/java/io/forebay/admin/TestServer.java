/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Protocol;
import io.forebay.hosting.HostedService;
import io.forebay.operations.Audit;
import io.forebay.operations.Instance;
import io.forebay.operations.Services;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.Filter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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

/** A server with the admin API and a real service. */
public abstract class TestServer {

  /** The protocol of the test service. */
  public interface Greeting {
    void greet(String name);
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(AdminAccess.Checked.class)
  static class Application {}

  @TempDir private Path data;
  private final MemoryBackend backend = MemoryBackend.open();
  protected final Protocol<Greeting> protocol = Protocol.of(Greeting.class);
  protected final List<Audit.Entry> audited = new ArrayList<>();
  protected final HttpClient http = HttpClient.newHttpClient();
  protected boolean auditAway;
  protected Service<Greeting, Greeting> service;
  protected ServletWebServerApplicationContext context;

  /** Further properties. */
  protected Stream<String> properties() {
    return Stream.empty();
  }

  @BeforeEach
  void start() {
    service =
        new Service<>(
            "greeting",
            new Service.End<>(backend.open("greeting.in", 1), protocol),
            new Service.End<>(backend.open("greeting.out", 1), protocol),
            (_, answers) -> answers,
            ServiceOptions.defaults());
    service.start();
    Stream<String> common =
        Stream.of(
            "--spring.mvc.problemdetails.enabled=true",
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--forebay.backend=memory",
            "--forebay.data=" + data);
    context =
        (ServletWebServerApplicationContext)
            new SpringApplicationBuilder(Application.class)
                .initializers(it -> beans((GenericApplicationContext) it))
                .run(Stream.concat(common, properties()).toArray(String[]::new));
  }

  protected void beans(GenericApplicationContext it) {
    it.registerBean(Instance.class, () -> new Instance("test", "memory", Instant.EPOCH));
    it.registerBean(Services.class, this::services);
    it.registerBean(Audit.class, Recording::new);
    it.registerBean(Filter.class, LoggedIn::filter);
  }

  protected Services services() {
    return new Services(List.of(new HostedService<>(service)), null);
  }

  @AfterEach
  void stop() {
    context.close();
    service.close();
    backend.close();
  }

  private final class Recording implements Audit {
    @Override
    public void record(Entry entry) {
      if (auditAway) {
        throw new Unavailable("the audit is away", null);
      }
      audited.add(entry);
    }

    @Override
    public List<Recorded> before(long before, int limit, Filter filter) {
      return List.of();
    }
  }

  protected HttpRequest request(
      String method, String path, @Nullable String role, @Nullable String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + context.getWebServer().getPort() + path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    if (role != null) {
      request.header("Role", role);
    }
    return request.build();
  }

  protected HttpResponse<String> send(
      String method, String path, @Nullable String role, @Nullable String body) {
    return send(method, path, role, body, HttpResponse.BodyHandlers.ofString());
  }

  protected <T> HttpResponse<T> send(
      String method,
      String path,
      @Nullable String role,
      @Nullable String body,
      HttpResponse.BodyHandler<T> handler) {
    try {
      return http.send(request(method, path, role, body), handler);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  protected static JsonNode json(HttpResponse<String> response) {
    return JsonMapper.shared().readTree(response.body());
  }

  protected JsonNode get(String path) {
    HttpResponse<String> response = send("GET", path, "VIEWER", null);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response);
  }
}
