/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.app.ComposeFile.Mount;
import io.forebay.app.ComposeFile.Service;
import io.forebay.database.TestPostgres;
import io.forebay.testing.ChildProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code docker/compose.single.yaml} without containers: its SQL on a server with passwords,
 * its variables and secrets for the jar, its health check.
 */
@Tag("proof")
class ComposeSingleIT {

  private static final Path FOLDER = ComposeFile.FOLDER;

  @TempDir Path directory;

  @Test
  void theServicesOfTheFileWorkTogether() throws Exception {
    Path secrets = directory.resolve("secrets");
    ContainerFilesTest.secrets(secrets);
    Service service = ComposeFile.read("compose.single.yaml").services().get("forebay");
    Path mounted = Files.createDirectory(directory.resolve("run-secrets"));
    for (Mount secret : service.secrets()) {
      Files.copy(secrets.resolve(secret.source()), mounted.resolve(secret.target()));
    }
    try (EmbeddedPostgres server = TestPostgres.withPasswords(directory.resolve("postgres"))) {
      perform(server, Files.readString(FOLDER.resolve("postgres/forebay.sql")), secrets);
      Map<String, String> variables = new HashMap<>();
      service.environment().forEach((name, value) -> variables.put(name, here(value, server)));
      assertThat(ContainerFilesTest.dockerfile())
          .contains("SPRING_CONFIG_IMPORT=optional:configtree:/run/secrets/\n");
      variables.put("SPRING_CONFIG_IMPORT", "optional:configtree:" + mounted + "/");
      try (ForebayProcess forebay = ForebayProcess.start(directory.resolve("data"), variables)) {
        assertThat(post(forebay, "notes.add", "{\"text\": \"from a container\"}"))
            .contains("\"state\":\"done\"", "\"count\":1");
        assertThat(post(forebay, "notes.list", "{}")).contains("from a container");
        assertThat(healthCheck(forebay.address().replaceFirst(".*:", ""))).isZero();
      }
      assertThat(healthCheck("1")).isNotZero();
    }
  }

  /** Replaces what is different inside a container. */
  private static String here(String value, EmbeddedPostgres server) {
    return value
        .replace("postgres:5432", "127.0.0.1:" + server.getPort())
        .replace("/etc/forebay/", FOLDER.toAbsolutePath().normalize() + "/");
  }

  /** Runs a script as psql does; supports {@code \set} from a file and {@code \connect}. */
  private static void perform(EmbeddedPostgres server, String script, Path secrets)
      throws Exception {
    Map<String, String> variables = new HashMap<>();
    String database = "postgres";
    StringBuilder sql = new StringBuilder();
    Pattern set = Pattern.compile("\\\\set (\\w+) `cat /run/secrets/(\\w+)`");
    for (String line : script.replaceAll("--.*", "").lines().toList()) {
      if (line.startsWith("\\set ")) {
        var given = set.matcher(line);
        assertThat(given.matches()).as(line).isTrue();
        variables.put(given.group(1), Files.readString(secrets.resolve(given.group(2))));
      } else if (line.startsWith("\\connect ")) {
        database = line.substring("\\connect ".length());
      } else {
        sql.append(line).append('\n');
        if (line.endsWith(";")) {
          String statement = sql.toString();
          for (Map.Entry<String, String> variable : variables.entrySet()) {
            statement =
                statement.replace(":'" + variable.getKey() + "'", "'" + variable.getValue() + "'");
          }
          execute(server, database, statement);
          sql.setLength(0);
        }
      }
    }
    assertThat(sql.toString()).isBlank();
  }

  private static void execute(EmbeddedPostgres server, String database, String sql)
      throws SQLException {
    try (Connection connection = server.getDatabase("postgres", database).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String post(ForebayProcess forebay, String statement, String body)
      throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(
                      URI.create(
                          "http://%s/api/v1/statements/%s?wait=20s"
                              .formatted(forebay.address(), statement)))
                  .header("Authorization", "Bearer " + forebay.token())
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString(UTF_8))
          .body();
    }
  }

  /** The exit status of the image's health check. */
  private static int healthCheck(String port) {
    ProcessBuilder check =
        ChildProcess.tool("java", FOLDER.resolve("health/Ready.java").toString());
    check.environment().put("SERVER_PORT", port);
    try (ChildProcess process = ChildProcess.start(check)) {
      return process.awaitEnd();
    }
  }
}
