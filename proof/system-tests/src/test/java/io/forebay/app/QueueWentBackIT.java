/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * A killed process whose queue files are replaced by older ones, or deleted, before the next start.
 */
@Tag("proof")
class QueueWentBackIT {

  private static final JsonMapper JSON = JsonMapper.shared();

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private String token = "";

  @Test
  void noMessageIsAcceptedAtAPerformedPositionAndNothingIsLost() throws Exception {
    String[] arguments = configuration();
    Path data = directory.resolve("data");
    Path queues = data.resolve("queues");
    ForebayProcess killed = ForebayProcess.start(data, arguments);
    token = killed.token();
    for (int id = 0; id < 30; id++) {
      if (id == 20) {
        copy(queues, directory.resolve("older"));
      }
      assertThat(post(killed.address(), id).statusCode()).isEqualTo(200);
    }
    killed.process().kill();
    Files.move(queues, directory.resolve("newest"));

    copy(directory.resolve("older"), queues);
    try (ForebayProcess forebay = ForebayProcess.start(data, arguments)) {
      assertRefuses(forebay.address(), "ends at 20", "performed 30", "missing");
    }
    delete(queues);
    try (ForebayProcess forebay = ForebayProcess.start(data, arguments)) {
      assertRefuses(forebay.address(), "has performed queue", "was started with queue");
    }
    delete(queues);
    copy(directory.resolve("newest"), queues);
    try (ForebayProcess forebay = ForebayProcess.start(data, arguments)) {
      assertThat(post(forebay.address(), 30).statusCode()).isEqualTo(200);
      assertThat(ids(forebay.address()))
          .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(0, 30).boxed().toList());
    }
  }

  /** Readiness and POST agree. */
  private void assertRefuses(String address, String... reasons) throws Exception {
    for (int id = 100; id < 105; id++) {
      HttpResponse<String> response = post(address, id);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
      assertThat(response.body()).contains(reasons).contains("\"reason\":\"failed\"");
    }
    HttpRequest readiness =
        HttpRequest.newBuilder(URI.create("http://" + address + "/actuator/health/readiness"))
            .build();
    assertThat(http.send(readiness, BodyHandlers.ofString()).statusCode()).isEqualTo(503);
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
              - name: events.all
                sql: select id from event
            """);
    return new String[] {
      "--forebay.gateways.main.migrations=filesystem:" + directory.resolve("tables"),
      "--forebay.door.catalogue=" + catalogue.toUri()
    };
  }

  private HttpResponse<String> post(String address, int id) throws Exception {
    return post(address, "events.add", "{\"id\": " + id + "}");
  }

  private HttpResponse<String> post(String address, String statement, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(
                URI.create("http://" + address + "/api/v1/statements/" + statement + "?wait=20s"))
            .timeout(Duration.ofSeconds(90))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private List<Integer> ids(String address) throws Exception {
    List<Integer> ids = new ArrayList<>();
    JSON.readTree(post(address, "events.all", "{}").body())
        .path("rows")
        .forEach(row -> ids.add(row.get(0).asInt()));
    return ids;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(file -> {
        try {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        } catch (NoSuchFileException e) {
          // a small file is being replaced
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      });
    }
  }
}
