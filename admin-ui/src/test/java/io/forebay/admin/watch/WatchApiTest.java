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
import io.forebay.background.BackgroundTask;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.operations.Audit;
import io.forebay.operations.Instance;
import io.forebay.operations.Services;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.Filter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The watch API over real HTTP, with a real service. */
class WatchApiTest {

  /** How long a closing server waits for open requests (Spring Boot's default). */
  private static final Duration WAIT_FOR_REQUESTS = Duration.ofSeconds(30);

  private static final String API = "/admin/api/v1/";

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
  private final Protocol<Greeting> protocol = Protocol.of(Greeting.class);
  private final List<Audit.Entry> audited = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private Service<Greeting, Greeting> service;
  private final List<JsonNode> reported = new CopyOnWriteArrayList<>();
  private HttpServer receiver;
  private ServletWebServerApplicationContext context;

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

  private void run() {
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

  private void beans(GenericApplicationContext it) {
    it.registerBean(Instance.class, () -> new Instance("test", "memory", Instant.EPOCH));
    it.registerBean(
        Services.class, () -> new Services(List.of(new HostedService<>(service)), null));
    it.registerBean(Audit.class, Recording::new);
    it.registerBean(Filter.class, LoggedIn::filter);
  }

  private final class Recording implements Audit {
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

  private HttpRequest request(String path, String role, @Nullable String body) {
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

  private HttpResponse<String> send(String path, String role, @Nullable String body) {
    try {
      return http.send(request(path, role, body), BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private JsonNode get(String path) {
    HttpResponse<String> response = send(path, "VIEWER", null);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(response.body());
  }

  private JsonNode snapshot() {
    await().until(() -> send("snapshot", "VIEWER", null).statusCode() == 200);
    return get("snapshot");
  }

  private void greet(int times) {
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      for (int i = 0; i < times; i++) {
        writer.calls().greet("olga");
      }
    }
  }

  @Test
  void theSnapshotShowsTheServiceAndWhyFiguresAreUnknown() {
    JsonNode snapshot = snapshot();
    assertThat(snapshot.get("instance").asString()).isEqualTo("test");
    assertThat(snapshot.get("verdict").get("severity").asString()).isEqualTo("fine");
    JsonNode one = snapshot.get("services").get(0);
    assertThat(one.get("name").asString()).isEqualTo("greeting");
    assertThat(one.get("state").asString()).isEqualTo("keeping_up");
    assertThat(one.get("limit").asInt()).isEqualTo(1);
    assertThat(one.get("behind").get("v").asInt()).isZero();
    assertThat(one.get("can").get("v")).isNull();
    assertThat(one.get("can").get("why").asString()).isNotEmpty();
    assertThat(snapshot.get("instances").get(0).get("self").asBoolean()).isTrue();
    assertThat(snapshot.get("tiles").get("disk").isNull()).isTrue();
  }

  /** What Prometheus scrapes in a second is what the page shows in that second. */
  @Test
  void metricsShowTheFiguresOfTheSnapshot() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    context.getBeansOfType(MeterBinder.class).values().forEach(it -> it.bindTo(registry));
    snapshot();
    service.pause("for the test");
    greet(3);
    await().until(() -> service(snapshot()).get("behind").path("v").asDouble() > 1);
    context.getBean("forebaySamplingLoop", BackgroundTask.class).close();
    JsonNode shown = service(snapshot());
    assertThat(gauge(registry, "service.behind.seconds")).isEqualTo(figure(shown, "behind"));
    assertThat(gauge(registry, "service.behind.seconds")).isGreaterThan(1);
    assertThat(gauge(registry, "watch.limit.seconds")).isEqualTo(shown.get("limit").asDouble());
    assertThat(gauge(registry, "watch.busy.share")).isEqualTo(figure(shown, "busy"));
    assertThat(gauge(registry, "watch.database.rate")).isEqualTo(figure(shown, "can"));
  }

  private static JsonNode service(JsonNode snapshot) {
    return snapshot.get("services").get(0);
  }

  /** With the six digits that the page gets. */
  private static Double gauge(MeterRegistry registry, String name) {
    return FigureModule.digits(registry.get("forebay." + name).gauge().value());
  }

  private static Double figure(JsonNode service, String name) {
    JsonNode value = service.get(name).get("v");
    return value == null ? Double.NaN : value.asDouble();
  }

  @Test
  void aPausedServicePastItsLimitIsAnAlertThatIsReportedAndListedForADay() {
    await().until(() -> snapshot().get("verdict").get("severity").asString().equals("fine"));
    service.pause("for the test");
    greet(3);
    await().until(() -> snapshot().get("verdict").get("severity").asString().equals("bad"));
    JsonNode verdict = snapshot().get("verdict");
    JsonNode problem = verdict.get("problems").get(0);
    assertThat(problem.get("kind").asString()).isEqualTo("paused");
    assertThat(problem.propertyNames())
        .containsExactly(
            "id",
            "severity",
            "kind",
            "service",
            "volume",
            "job",
            "execution",
            "since",
            "figure",
            "figures");
    assertThat(problem.get("figures").propertyNames())
        .containsExactly(
            "state",
            "reason",
            "accepts",
            "limit",
            "trend",
            "behind",
            "unperformed",
            "growth",
            "clear",
            "late",
            "accepted",
            "performed",
            "pause");
    assertThat(snapshot().get("services").get(0).get("severity").asString()).isEqualTo("bad");
    await().until(() -> events(), it -> it.contains("paused bad"));
    service.resume();
    await().until(() -> snapshot().get("verdict").get("severity").asString().equals("fine"));
    await().until(() -> events(), it -> it.contains("paused fine"));
    assertThat(events())
        .filteredOn(it -> it.startsWith("paused"))
        .endsWith("paused bad", "paused fine")
        .doesNotHaveDuplicates();
    JsonNode past = get("alerts").get("alerts");
    assertThat(past)
        .filteredOn(it -> it.get("kind").asString().equals("paused"))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.get("severity").asString()).isEqualTo("bad");
          assertThat(it.get("closed").asString()).isGreaterThan(it.get("opened").asString());
          assertThat(it.get("peak").asDouble()).isGreaterThan(1);
          assertThat(it.get("figures").has("pause")).isTrue();
        });
  }

  /** Kind and severity of what was reported to the webhook. */
  private List<String> events() {
    return reported.stream()
        .map(it -> it.get("kind").asString() + " " + it.get("severity").asString())
        .toList();
  }

  @Test
  void theStreamSendsAtOnceThenEverySecondAndEndsAtTheStop() throws Exception {
    snapshot();
    HttpResponse<Stream<String>> stream =
        http.send(request("stream", "VIEWER", null), BodyHandlers.ofLines());
    assertThat(stream.headers().firstValue("Content-Type"))
        .hasValue("text/event-stream;charset=UTF-8");
    List<String> ids = new ArrayList<>();
    long stopped = 0;
    for (String line : (Iterable<String>) stream.body()::iterator) {
      if (line.startsWith("id: ")) {
        ids.add(line.substring(4));
      }
      if (ids.size() == 3 && stopped == 0) {
        stopped = System.nanoTime();
        Thread.ofVirtual().start(context::close);
      }
    }
    assertThat(ids.stream().map(Long::parseLong)).isSorted().doesNotHaveDuplicates();
    await().until(() -> !context.isActive());
    assertThat(Duration.ofNanos(System.nanoTime() - stopped)).isLessThan(WAIT_FOR_REQUESTS);
  }

  @Test
  void aUserHasOnlySomeStreams() throws Exception {
    snapshot();
    List<HttpResponse<InputStream>> open = new ArrayList<>();
    for (int i = 0; i < StreamController.MOST_OF_USER; i++) {
      open.add(http.send(request("stream", "VIEWER", null), BodyHandlers.ofInputStream()));
      assertThat(open.getLast().statusCode()).isEqualTo(200);
    }
    HttpResponse<String> refused = send("stream", "ADMIN", null);
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    assertThat(refused.body())
        .contains("too-many-subscribers", "limit=" + StreamController.MOST_OF_USER);
    open.getFirst().body().close();
    await()
        .untilAsserted(() -> {
          HttpResponse<InputStream> again =
              http.send(request("stream", "VIEWER", null), BodyHandlers.ofInputStream());
          open.add(again);
          assertThat(again.statusCode()).as("a place is free again").isEqualTo(200);
        });
    for (HttpResponse<InputStream> each : open) {
      each.body().close();
    }
  }

  @Test
  void aClientThatDoesNotReadDoesNotBlockOthers() throws Exception {
    snapshot();
    try (Socket socket = new Socket("127.0.0.1", context.getWebServer().getPort())) {
      String line = "GET " + API + "stream HTTP/1.1\r\nHost: a\r\nRole: VIEWER\r\n\r\n";
      socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      assertThat(reader.readLine()).contains("200");
      long seq = snapshot().get("seq").asLong();
      await().until(() -> snapshot().get("seq").asLong() > seq + 2);
    }
  }

  @Test
  void seriesLatenciesAndPlansAreReadFromWhatIsKept() {
    await().until(() -> snapshot().get("seq").asLong() > 2); // for a rate
    greet(2_000);
    await().until(() -> highest(get("services/greeting/series?from=-10m"), "performed") > 0);
    JsonNode series = get("services/greeting/series?from=-1h&points=100");
    assertThat(series.get("series").propertyNames())
        .containsExactly("behind", "unperformed", "accepted", "performed", "busy", "written");
    assertThat(series.get("step").asLong()).isGreaterThanOrEqualTo(36);
    assertThat(series.get("series").get("behind").size()).isBetween(1, 100);
    await().until(() -> performed(get("services/greeting/latency?from=-10m")) == 2_000);
    JsonNode burst = get("services/greeting/burst?rate=12400");
    assertThat(burst.get("rate").get("v").asInt()).isEqualTo(12_400);
    assertThat(burst.at("/length").asInt()).as("the usual length").isEqualTo(300);
    JsonNode minute = get("services/greeting/burst?rate=12400&seconds=60");
    assertThat(minute.get("length").asInt()).isEqualTo(60);
    assertThat(minute.get("course").has("late")).isTrue();
    assertThat(get("services/greeting").get("partitions").size()).isEqualTo(1);
    String since = snapshot().get("recordedSince").asString();
    assertThat(performed(get("services/greeting/latency?from=" + since)))
        .as("since the start, which was within a minute")
        .isEqualTo(2_000);
  }

  private static double highest(JsonNode series, String name) {
    double highest = 0;
    for (JsonNode value : series.get("series").get(name)) {
      highest = Math.max(highest, value.isNull() ? 0 : value.asDouble());
    }
    return highest;
  }

  private static long performed(JsonNode latency) {
    return latency.get("stations").get("performed").get("whole").get("n").asLong();
  }

  @Test
  void errorsAreProblemDocuments() {
    isRefused("services/nobody", 404);
    isRefused("services/greeting/series?from=yesterday", 400);
    isRefused("services/greeting/series?points=1", 400);
    isRefused("services/greeting/series?from=2126-01-02T00:00:00Z", 400);
    isRefused("services/greeting/burst?rate=0", 400);
    isRefused("services/greeting/burst?seconds=0", 400);
  }

  private void isRefused(String path, int status) {
    HttpResponse<String> response = send(path, "VIEWER", null);
    assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type"))
        .as(path)
        .hasValue("application/problem+json");
  }
}
