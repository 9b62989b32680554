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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The jobs of the service over HTTP, as an operator or a scheduler uses them. */
@Tag("proof")
class JobsIT {

  private static final int ORDERS = 15_000;
  private static final String JOB = "/invoices/executions";
  private static final JsonMapper JSON = JsonMapper.shared();

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private String address = "";
  private String token = "";

  @Test
  void aJobKilledAndThenStoppedSendsEachStatementOnce() throws Exception {
    String[] arguments = configuration();
    Path data = directory.resolve("data");
    long first;
    try (ForebayProcess killed = ForebayProcess.start(data, arguments)) {
      token = killed.token();
      address = killed.address();
      JsonNode refused = call("POST", JOB, Map.of("day", "today"), 400);
      assertThat(refused.path("detail").asString()).contains("run is missing");
      first = call("POST", JOB, Map.of("run", "first"), 202).path("id").asLong();
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
      JsonNode newest = call("GET", JOB, null, 200).path("executions").path(0);
      assertThat(newest.path("state").asString()).isEqualTo("STOPPED");
      long third = restart(newest.path("id").asLong());
      JsonNode done = until(third, it -> it.path("state").asString().equals("COMPLETED"));
      assertThat(done.at("/steps/0/feeds").asString()).isEqualTo("payments");
      JsonNode counted = await().until(this::counted, it -> it.path(0).asLong() >= ORDERS);
      assertThat(counted.path(1).asLong())
          .as(counted.toString())
          .isEqualTo(counted.path(0).asLong());
      assertThat(call("POST", "/executions/" + third + "/restart", Map.of(), 409).toString())
          .contains("has already completed");
    }
  }

  /** The demo with many orders, so that its job is slow enough to be killed and stopped midway. */
  private String[] configuration() throws IOException {
    Path tables = Files.createDirectory(directory.resolve("tables"));
    Files.writeString(
        tables.resolve("V1000__orders.sql"),
        """
        insert into orders (id, customer, item, quantity, price, placed_at)
        select uuid(), 'ada', 'tea', 1, 1.00, current_timestamp
        from unnest(sequence_array(1, %d, 1)) as t (n);
        """
            .formatted(ORDERS));
    Path catalogue =
        Files.writeString(
            directory.resolve("catalogue.yaml"),
            """
            statements:
              - name: invoices.count
                gateway: payments
                sql: select count(distinct order_number), count(*) from invoice
            """);
    return new String[] {
      "--spring.profiles.active=demo",
      "--forebay.gateways.orders.migrations=classpath:demo/tables,filesystem:" + tables,
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

  private JsonNode counted() throws Exception {
    HttpRequest.Builder request =
        request("/api/v1/statements/invoices.count?wait=30s").POST(BodyPublishers.ofString("{}"));
    return JSON.readTree(http.send(request.build(), BodyHandlers.ofString()).body())
        .path("rows")
        .path(0);
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
