/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command {@code probe}: beside a running service, ended by SIGTERM, and killed. */
class ProbeCommandIT {

  @TempDir Path directory;

  @Test
  void measuresBesideARunningServiceAndLeavesNothing() throws Exception {
    Path data = directory.resolve("data");
    Path page = directory.resolve("p.html");
    try (ForebayProcess forebay = ForebayProcess.start(data)) {
      String token = forebay.token();
      try (ChildProcess probe = probe("--short", "--forebay.data=" + data, "--out=" + page)) {
        // No rate may be sustainable on a busy machine.
        assertThat(probe.awaitEnd()).as(probe.output()).isBetween(0, 1);
        assertThat(probe.errors()).allMatch(it -> it.startsWith("WARNING: "));
      }
      assertThat(probes(data)).isEmpty();
      HttpRequest note =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://" + forebay.address() + "/api/v1/statements/notes.add?wait=30s"))
              .header("Authorization", "Bearer " + token)
              .POST(BodyPublishers.ofString("{\"text\": \"as before\"}"))
              .header("Content-Type", "application/json")
              .build();
      assertThat(HttpClient.newHttpClient().send(note, BodyHandlers.ofString()).body())
          .contains("\"state\":\"done\"");
    }
    JsonNode figures = JsonMapper.shared().readTree(directory.resolve("p.json").toFile());
    JsonNode paths = figures.path("paths");
    assertThat(stream(paths).map(it -> it.path("name").asString()))
        .containsExactly("append", "service", "gateway");
    assertThat(stream(paths))
        .allSatisfy(path -> {
          assertThat(stream(path.path("rates")).count()).isGreaterThanOrEqualTo(6);
          assertThat(path.path("highestPerSecond").asLong()).isPositive();
          assertThat(path.path("inBytes").asDouble()).isBetween(100.0, 400.0);
        });
    assertThat(figures.path("configuration").path("forebay.chronicle.level").asString())
        .isEqualTo("disk");
    String html = Files.readString(page);
    assertThat(html.split("<svg ")).hasSize(4);
    assertThat(html)
        .doesNotContainPattern("https?://|src=|url\\(|<script|<link|NaN|Infinity")
        .doesNotContain(directory.toString());
  }

  /** The database outlives the probe, so that it shows what is left there. */
  @Test
  void leavesNothingWhenItIsToldToEndAndDeletesWhatAKilledOneLeft() throws Exception {
    try (TestPostgres database = TestPostgres.shared()) {
      Path data = Files.createDirectory(directory.resolve("data"));
      String[] arguments = arguments(data, database);
      try (ChildProcess killed = probe(arguments)) {
        killed.await("  ");
        assertThat(schemas(database)).hasSize(1);
        killed.kill();
      }
      assertThat(probes(data)).hasSize(1);
      assertThat(schemas(database)).hasSize(1);

      try (ChildProcess ended = probe(arguments)) {
        ended.await("Deleted tables and queues of an earlier probe: " + probes(data).getFirst());
        ended.await("  ");
        assertThat(schemas(database)).hasSize(1);
        ChildProcess.signal("TERM", ended.pid());
        assertThat(ended.awaitEnd()).as(ended.output()).isEqualTo(128 + 15);
        assertThat(ended.errors())
            .filteredOn(it -> !it.startsWith("WARNING: "))
            .containsExactly("The probe was ended; its tables and queues are deleted");
      }
      assertThat(probes(data)).isEmpty();
      assertThat(schemas(database)).isEmpty();
      assertThat(rows(database, "select service from forebay.progress")).isEmpty();
      assertThat(rows(database, "select service from forebay.outcome")).isEmpty();
      assertThat(data).isEmptyDirectory();
    }
  }

  @Test
  void namesTheRightThatItsTableNeeds() throws Exception {
    try (TestPostgres database = TestPostgres.shared()) {
      TestPostgres.execute(
          database.superuser(),
          "create schema forebay authorization forebay_owner",
          "alter database " + database.database() + " owner to postgres");
      Path data = directory.resolve("data");
      try (ChildProcess probe = probe(arguments(data, database))) {
        assertThat(probe.awaitEnd()).as(probe.output()).isEqualTo(2);
        assertThat(probe.errors())
            .filteredOn(it -> !it.startsWith("WARNING: "))
            .singleElement()
            .asString()
            .startsWith("Path gateway: ")
            .contains("grant create on the database to that role", "--paths=append,service");
      }
      assertThat(data).doesNotExist();
    }
  }

  private String[] arguments(Path data, TestPostgres database) {
    return Stream.concat(
            Stream.of(
                "--paths=gateway",
                "--seconds=1",
                "--out=" + directory.resolve("unwritten.html"),
                "--forebay.data=" + data),
            Stream.of("datasource", "owner")
                .flatMap(it -> {
                  String property = "--forebay.gateways.main." + it;
                  String role = it.equals("owner") ? "forebay_owner" : "forebay_gateway";
                  return Stream.of(
                      property + ".url=" + database.url(),
                      property + ".username=" + role,
                      property + ".password=");
                }))
        .toArray(String[]::new);
  }

  private static ChildProcess probe(String... arguments) throws IOException {
    return ForebayProcess.command(
        Stream.concat(Stream.of("probe"), Arrays.stream(arguments)).toArray(String[]::new));
  }

  private static List<String> probes(Path data) throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(data, "probe-*")) {
      return StreamSupport.stream(found.spliterator(), false)
          .map(it -> it.getFileName().toString())
          .toList();
    }
  }

  private static List<String> schemas(TestPostgres database) throws SQLException {
    return rows(
        database, "select nspname from pg_namespace where nspname like 'forebay\\_probe\\_%'");
  }

  private static List<String> rows(TestPostgres database, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(sql)) {
      while (found.next()) {
        rows.add(found.getString(1));
      }
    }
    return rows;
  }

  private static Stream<JsonNode> stream(JsonNode nodes) {
    return StreamSupport.stream(nodes.spliterator(), false);
  }
}
