/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One of several instances of the service on the same brokers and the same database. */
final class KafkaInstance implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final ForebayProcess process;
  private final String address;

  /** Waits until it listens. */
  KafkaInstance(ForebayProcess process) {
    this.process = process;
    this.address = process.address();
  }

  /**
   * Starts a process without waiting.
   *
   * @param kafka variables with the properties of the backend
   */
  static ForebayProcess launch(
      Path data, Map<String, String> kafka, TestPostgres database, Path catalogue)
      throws IOException {
    List<String> arguments =
        Stream.of(
                Stream.of(
                    "spring.profiles.active=kafka",
                    "forebay.gateways.main.partitions=4",
                    "forebay.door.catalogue=" + catalogue.toUri()),
                role("datasource", "forebay_gateway", database),
                role("owner", "forebay_owner", database))
            .flatMap(it -> it)
            .map(it -> "--" + it)
            .toList();
    return ForebayProcess.start(data, kafka, arguments.toArray(String[]::new));
  }

  private static Stream<String> role(String what, String role, TestPostgres database) {
    String name = "forebay.gateways.main." + what;
    return Stream.of(
        name + ".url=" + database.url(), name + ".username=" + role, name + ".password=");
  }

  /** The token, which the instance that starts first makes. */
  String token() {
    return process.token();
  }

  HttpResponse<String> post(String token, String path, String body, @Nullable String key)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(token, path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    if (key != null) {
      request.header("Idempotency-Key", key);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  /** Adds an event and waits for its result. */
  HttpResponse<String> add(String token, int id) throws IOException, InterruptedException {
    return post(
        token, "/api/v1/statements/events.add?wait=20s", "{\"id\": " + id + "}", "event-" + id);
  }

  HttpResponse<String> get(String token, String path) throws IOException, InterruptedException {
    return HTTP.send(request(token, path).GET().build(), BodyHandlers.ofString());
  }

  JsonNode json(String token, String path) throws IOException, InterruptedException {
    return JSON.readTree(get(token, path).body());
  }

  /** The state of gateway main as this instance reports it. */
  JsonNode gateway(String token) throws IOException, InterruptedException {
    return json(token, "/api/v1/status").path("services").get(0);
  }

  /** The partitions that this instance performs. */
  List<Integer> partitions(String token) throws IOException, InterruptedException {
    return StreamSupport.stream(gateway(token).path("partitions").spliterator(), false)
        .filter(it -> it.path("state").asString("").equals("running"))
        .map(it -> it.path("partition").asInt())
        .toList();
  }

  int readiness() throws IOException, InterruptedException {
    return get("", "/actuator/health/readiness").statusCode();
  }

  void awaitState(String token, String state) {
    await().ignoreExceptions().until(() -> gateway(token).path("state").asString().equals(state));
  }

  private HttpRequest.Builder request(String token, String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + address + path))
            .timeout(Duration.ofSeconds(40));
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  String output() {
    return process.output();
  }

  void kill() {
    process.process().kill();
  }

  @Override
  public void close() {
    process.close();
  }
}
