/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.app.OtlpReceiver.Span;
import io.forebay.database.TestPostgres;
import io.forebay.kafka.broker.TestBroker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The service with {@code spring-boot-starter-opentelemetry}, and a receiver of its spans. Callers
 * give their requests a trace each.
 */
@Tag("proof")
class TracesIT {

  private static final int STATEMENTS = 10_000;
  private static final String STATEMENT = "process main.in";
  private static final String BATCH = "batch main.in";

  /** Libraries that users add to the class path of the service with the starter. */
  private static final List<String> ADDED =
      List.of(
          "/io/opentelemetry/",
          "/micrometer-registry-otlp/",
          "/micrometer-tracing",
          "/context-propagation/",
          "/spring-boot-opentelemetry/",
          "/spring-boot-micrometer-tracing",
          "/okhttp",
          "/protobuf",
          "/okio",
          "/kotlin-stdlib");

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();

  private ForebayProcess start(OtlpReceiver receiver, String... more) throws Exception {
    Path catalogue =
        Files.writeString(
            directory.resolve("catalogue.yaml"),
            """
            statements:
              - name: events.add
                sql: insert into event (id) values (:id)
                params: [{name: id, type: long}]
            """);
    List<String> arguments =
        Stream.concat(
                Stream.of(
                    "forebay.door.catalogue=" + catalogue.toUri(),
                    "management.tracing.sampling.probability=1.0",
                    "management.opentelemetry.tracing.export.otlp.endpoint=" + receiver.endpoint(),
                    "management.opentelemetry.tracing.export.max-queue-size=100000",
                    "management.otlp.metrics.export.enabled=false"),
                Stream.of(more))
            .map(it -> "--" + it)
            .toList();
    return ForebayProcess.startWith(
        ADDED, directory.resolve("data"), arguments.toArray(String[]::new));
  }

  private static String traceparent(int id) {
    return "00-%032x-%016x-01".formatted(id + 1, id + 1);
  }

  private static String trace(int id) {
    return "%032x".formatted(id + 1);
  }

  private HttpRequest.Builder request(ForebayProcess forebay, String path, String token) {
    return HttpRequest.newBuilder(URI.create("http://" + forebay.address() + path))
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/json");
  }

  private void add(ForebayProcess forebay, String token, int from, int to) throws Exception {
    try (ExecutorService callers = Executors.newFixedThreadPool(16)) {
      List<Future<HttpResponse<String>>> answers = new ArrayList<>();
      for (int id = from; id < to; id++) {
        HttpRequest request =
            request(forebay, "/api/v1/statements/events.add", token)
                .header("traceparent", traceparent(id))
                .POST(BodyPublishers.ofString("{\"id\":" + id + "}"))
                .build();
        answers.add(callers.submit(() -> http.send(request, BodyHandlers.ofString())));
      }
      for (Future<HttpResponse<String>> answer : answers) {
        assertThat(answer.get().statusCode()).as(answer.get().body()).isEqualTo(202);
      }
    }
  }

  private static Set<String> traces(int from, int to) {
    return IntStream.range(from, to).mapToObj(TracesIT::trace).collect(toSet());
  }

  /** Each statement has the span of its request above it, and is linked by that of its batch. */
  private static void assertWhole(OtlpReceiver receiver) {
    Map<String, Span> spans = byContext(receiver);
    Set<String> linked = new HashSet<>();
    receiver.named(BATCH).forEach(batch -> linked.addAll(batch.links()));
    Set<String> traces = new HashSet<>();
    for (Span statement : receiver.named(STATEMENT)) {
      Span request = spans.get(statement.trace() + "/" + statement.parent());
      assertThat(request).as("above %s", statement).isNotNull();
      assertThat(request.name()).startsWith("http post");
      assertThat(statement.trace()).as("the caller's trace and span").endsWith(request.parent());
      assertThat(linked.remove(statement.context())).as("linked").isTrue();
      assertThat(traces.add(statement.trace())).as("one for each caller").isTrue();
    }
    assertThat(linked).isEmpty();
    assertThat(traces).isEqualTo(traces(0, STATEMENTS));
  }

  private static Map<String, Span> byContext(OtlpReceiver receiver) {
    return receiver.all().stream().collect(toMap(Span::context, identity()));
  }

  @Test
  void onChronicleEveryStatementHasAWholeTreeAndAKillBreaksNoLink() throws Exception {
    Path tables = Files.createDirectory(directory.resolve("tables"));
    Files.writeString(
        tables.resolve("V1__event.sql"),
        "create cached table if not exists event (id bigint primary key);");
    everyStatementHasAWholeTreeAndAKillBreaksNoLink(
        "forebay.gateways.main.migrations=filesystem:" + tables);
  }

  @Test
  void onKafkaEveryStatementHasAWholeTreeAndAKillBreaksNoLink() throws Exception {
    try (TestPostgres database = TestPostgres.shared()) {
      database.createTable("create table event (id bigint primary key)");
      everyStatementHasAWholeTreeAndAKillBreaksNoLink(
          "spring.profiles.active=kafka",
          "forebay.kafka.prefix=" + UUID.randomUUID() + ".",
          "forebay.kafka.properties.bootstrap.servers=" + TestBroker.shared(),
          "forebay.gateways.main.partitions=4",
          "forebay.gateways.main.datasource.url=" + database.url(),
          "forebay.gateways.main.datasource.username=forebay_gateway",
          "forebay.gateways.main.datasource.password=",
          "forebay.gateways.main.owner.url=" + database.url(),
          "forebay.gateways.main.owner.username=forebay_owner",
          "forebay.gateways.main.owner.password=");
    }
  }

  private void everyStatementHasAWholeTreeAndAKillBreaksNoLink(String... arguments)
      throws Exception {
    int waiting = 300;
    try (OtlpReceiver receiver = new OtlpReceiver()) {
      String token;
      try (ForebayProcess forebay = start(receiver, arguments)) {
        token = forebay.token();
        add(forebay, token, 0, STATEMENTS);
        awaitStatements(receiver, STATEMENTS);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertWhole(receiver));
        command(forebay, token, "pause");
        await().until(() -> !service(forebay, token).contains("\"running\""));
        add(forebay, token, STATEMENTS, STATEMENTS + waiting);
        forebay.process().kill();
      }
      try (ForebayProcess forebay = start(receiver, arguments)) {
        command(forebay, token, "resume");
        awaitStatements(receiver, STATEMENTS + waiting);
      }
      assertLinked(receiver, traces(STATEMENTS, STATEMENTS + waiting));
    }
  }

  private static void awaitStatements(OtlpReceiver receiver, int count) {
    await().atMost(Duration.ofMinutes(2)).until(() -> receiver.named(STATEMENT).size() == count);
  }

  /** The statements that waited at the kill have their spans; those of requests may be lost. */
  private static void assertLinked(OtlpReceiver receiver, Set<String> killed) {
    List<Span> statements =
        receiver.named(STATEMENT).stream().filter(span -> killed.contains(span.trace())).toList();
    assertThat(statements.stream().map(Span::trace).collect(toSet())).isEqualTo(killed);
    Map<String, Span> spans = byContext(receiver);
    assertThat(statements)
        .hasSize(killed.size())
        .allSatisfy(statement -> {
          Span request = spans.get(statement.trace() + "/" + statement.parent());
          assertThat(request == null || request.name().startsWith("http post"))
              .as("that of its request, or lost")
              .isTrue();
        });
    List<String> links =
        receiver.named(BATCH).stream().flatMap(batch -> batch.links().stream()).toList();
    assertThat(links).hasSize(STATEMENTS + killed.size());
    assertThat(Set.copyOf(links))
        .isEqualTo(receiver.named(STATEMENT).stream().map(Span::context).collect(toSet()));
  }

  private String service(ForebayProcess forebay, String token) throws Exception {
    HttpRequest request = request(forebay, "/api/v1/services/main", token).build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  private void command(ForebayProcess forebay, String token, String name) throws Exception {
    HttpResponse<String> done =
        http.send(
            request(forebay, "/api/v1/services/main/" + name, token)
                .POST(BodyPublishers.ofString("{\"reason\":\"a test\"}"))
                .build(),
            BodyHandlers.ofString());
    assertThat(done.statusCode()).as(done.body()).isLessThan(300);
  }
}
