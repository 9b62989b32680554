/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Protocol;
import io.forebay.hosting.HostedService;
import io.forebay.operations.Audit;
import io.forebay.operations.DesiredState;
import io.forebay.operations.DesiredStates;
import io.forebay.operations.Instance;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceView;
import io.forebay.operations.Services;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.StoredFailures;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.errors.BlockingMessage;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.Filter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

/** A server with the admin API, a real service, and failures in memory. */
public abstract class AdminServer {

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
  protected final StoredFailures failures = new StoredFailures();
  final RecordedJobs jobs = new RecordedJobs();
  protected final List<String> failed = new ArrayList<>();
  protected @Nullable BlockingMessage waitsFor;
  protected boolean auditAway;
  protected Service<Greeting, Greeting> service;
  private ServletWebServerApplicationContext context;
  private final HttpClient http = HttpClient.newHttpClient();

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
    context =
        (ServletWebServerApplicationContext)
            new SpringApplicationBuilder(Application.class)
                .initializers(it -> beans((GenericApplicationContext) it))
                .run(
                    "--spring.mvc.problemdetails.enabled=true",
                    "--server.port=0",
                    "--server.address=127.0.0.1",
                    "--forebay.backend=memory",
                    "--forebay.data=" + data);
  }

  private void beans(GenericApplicationContext it) {
    it.registerBean(Instance.class, () -> new Instance("test", "memory", Instant.EPOCH));
    it.registerBean(Services.class, () -> new Services(List.of(operations()), new Stored()));
    it.registerBean(Failures.class, () -> new Failures(List.of(failures)));
    it.registerBean(JobOperations.class, jobs::operations);
    it.registerBean(Audit.class, Recording::new);
    it.registerBean(Filter.class, LoggedIn::filter);
  }

  /** Desired states in memory. */
  private static final class Stored implements DesiredStates {

    private final Map<String, DesiredState> states = new ConcurrentHashMap<>();

    @Override
    public List<DesiredState> all() {
      return List.copyOf(states.values());
    }

    @Override
    public void keep(DesiredState desired) {
      states.put(desired.service(), desired);
    }

    @Override
    public DesiredState pause(DesiredState desired, @Nullable Instant replaces) {
      DesiredState before = states.get(desired.service());
      if (before != null && before.paused() && !before.at().equals(replaces)) {
        return before;
      }
      DesiredState stored = before == null ? desired : desired.replacing(before);
      keep(stored);
      return stored;
    }

    @Override
    public boolean end(DesiredState pause, DesiredState running) {
      return states.replace(pause.service(), pause, running);
    }
  }

  /** The service, whose partition waits for a message as the test says. */
  private ServiceOperations operations() {
    ServiceOperations real = new HostedService<>(service);
    return (ServiceOperations)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ServiceOperations.class},
            (_, method, arguments) ->
                switch (method.getName()) {
                  case "view" -> waiting(real.view());
                  case "failMessage" -> fail((int) arguments[0], (long) arguments[1], arguments[2]);
                  default -> invoked(method, real, arguments);
                });
  }

  private static Object invoked(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private ServiceView waiting(ServiceView view) {
    return new ServiceView(
        view.name(),
        view.state(),
        view.partitions().stream().map(one -> one.withWaitsFor(waitsFor)).toList(),
        view.counts());
  }

  private boolean fail(int partition, long position, Object reason) {
    boolean waits = waitsFor != null && waitsFor.position() == position;
    if (waits) {
      failed.add("%d/%d %s".formatted(partition, position, reason));
    }
    return waits;
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

  /** One failure, which can be replayed once. */
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
    try {
      return http.send(request.build(), handler);
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
