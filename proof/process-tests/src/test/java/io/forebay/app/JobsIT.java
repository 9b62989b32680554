/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The jobs of the service over HTTP, as an operator or a scheduler uses them. */
class JobsIT {

  private static final int RECORDS = 15_000;
  private static final JsonMapper JSON = JsonMapper.shared();

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private String address = "";
  private String token = "";

  @Test
  void anImportKilledAndThenStoppedPerformsEachRecordOnceWhileOtherJobsRun() throws Exception {
    String[] arguments = configuration();
    Path data = directory.resolve("data");
    Path file = Files.createDirectories(data.resolve("import")).resolve("events.csv");
    Files.writeString(
        file,
        IntStream.range(0, RECORDS)
            .mapToObj(id -> id + "\n")
            .collect(Collectors.joining("", "id\n", "")));

    long first;
    try (ForebayProcess killed = ForebayProcess.start(data, arguments)) {
      token = killed.token();
      address = killed.address();
      JsonNode refused = call("POST", "/import/executions", Map.of("file", file.toString()), 400);
      assertThat(refused.path("detail").asString()).contains("statement is missing");
      first =
          call(
                  "POST",
                  "/import/executions",
                  Map.of("file", file.toString(), "statement", "events.add", "wait", "true"),
                  202)
              .path("id")
              .asLong();
      until(first, JobsIT::isUnderWay);
      killed.process().kill();
    }

    try (ForebayProcess stopped = ForebayProcess.start(data, arguments)) {
      address = stopped.address();
      JsonNode recovered = until(first, it -> it.path("state").asString().equals("FAILED"));
      assertThat(recovered.path("failure").asString()).startsWith("Recovered");
      long second = restart(first);
      until(second, JobsIT::isUnderWay);
    } // graceful end

    try (ForebayProcess forebay = ForebayProcess.start(data, arguments)) {
      address = forebay.address();
      JsonNode newest = call("GET", "/import/executions", null, 200).path("executions").path(0);
      assertThat(newest.path("state").asString()).isEqualTo("STOPPED");
      long third = restart(newest.path("id").asLong());
      JsonNode done = until(third, it -> it.path("state").asString().equals("COMPLETED"));
      assertThat(done.path("message").asString())
          .isEqualTo(
              "%,d statements accepted, none rejected; %,d took effect, 0 failed"
                  .formatted(RECORDS, RECORDS));
      assertThat(counted()).isEqualTo("[[%d,%d]]".formatted(RECORDS, RECORDS));
      assertThat(call("POST", "/executions/" + third + "/restart", Map.of(), 409).toString())
          .contains("has already completed");
      lettersAreWrittenAndWhatIsMissingForAnotherWayIsTold();
    }
  }

  private void lettersAreWrittenAndWhatIsMissingForAnotherWayIsTold() throws Exception {
    JsonNode step = letters("queue", "chunked-queue", "COMPLETED").path("steps").path(1);
    assertThat(step.path("counts").path("written").asInt()).isEqualTo(500);
    assertThat(step.path("services").path(0).path("sent").asInt()).isEqualTo(500);
    assertThat(letters("rest", "chunked-rest", "FAILED").toString())
        .contains("set forebay.jobs.letters.token");
    assertThat(letters("sql", "direct-sql", "COMPLETED").path("steps").size()).isEqualTo(2);
  }

  private JsonNode letters(String run, String access, String state) throws Exception {
    Map<String, Object> parameters = Map.of("run", run, "access", access);
    JsonNode begun = call("POST", "/premium-letters/executions", parameters, 202);
    return until(begun.path("id").asLong(), it -> it.path("state").asString().equals(state));
  }

  private String[] configuration() throws IOException {
    Files.writeString(
        Files.createDirectory(directory.resolve("tables")).resolve("V1__event.sql"),
        "create cached table if not exists event (id int not null);");
    Path catalogue =
        Files.writeString(
            directory.resolve("catalogue.yaml"),
            """
            statements:
              - name: events.add
                sql: insert into event (id) values (:id)
                params: [{name: id, type: long}]
              - name: events.count
                sql: select count(*), count(distinct id) from event
            """);
    return new String[] {
      "--forebay.jobs.letters.enabled=true",
      "--forebay.jobs.letters.contracts=500",
      "--forebay.jobs.import.chunk=100", // slow enough to be killed and stopped midway
      "--forebay.gateways.main.migrations=filesystem:" + directory.resolve("tables"),
      "--forebay.door.catalogue=" + catalogue.toUri()
    };
  }

  private static boolean isUnderWay(JsonNode execution) {
    assertThat(execution.path("state").asString())
        .as(execution.toString())
        .isIn("STARTING", "STARTED");
    JsonNode progress = execution.path("steps").path(0).path("progress");
    return progress.path("done").asLong() > progress.path("total").asLong(Long.MAX_VALUE) / 10;
  }

  private long restart(long id) throws Exception {
    return call("POST", "/executions/" + id + "/restart", Map.of(), 202).path("id").asLong();
  }

  private JsonNode until(long id, Predicate<JsonNode> reached) {
    return await()
        .pollInterval(Duration.ofMillis(50))
        .until(() -> call("GET", "/executions/" + id, null, 200), reached);
  }

  private String counted() throws Exception {
    HttpRequest.Builder request =
        request("/api/v1/statements/events.count?wait=30s").POST(BodyPublishers.ofString("{}"));
    return JSON.readTree(http.send(request.build(), BodyHandlers.ofString()).body())
        .path("rows")
        .toString();
  }

  private JsonNode call(String method, String path, Map<String, ?> parameters, int status)
      throws Exception {
    String body =
        parameters == null
            ? ""
            : JSON.writeValueAsString(
                parameters.isEmpty() ? Map.of() : Map.of("parameters", parameters));
    var response =
        http.send(
            request("/api/v1/jobs" + path).method(method, BodyPublishers.ofString(body)).build(),
            BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    return JSON.readTree(response.body());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path))
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/json");
  }
}
