/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.service.ServiceState.Phase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;

/** Performs the steps of docs/start.md on a server with passwords. */
class OwnPostgresTest {

  private static final Path PAGE = Path.of("../docs/start.md");
  private static final String PASSWORD = "it's generated";

  @TempDir static Path directory;
  private static EmbeddedPostgres server;

  /** The queues are the same in all tests, as the database is. */
  @TempDir Path files;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @BeforeAll
  static void performThePage() throws Exception {
    server = TestPostgres.withPasswords(directory.resolve("postgres"));
    List<String> scripts = blocks("sql");
    assertThat(scripts).hasSize(2);
    String roles = scripts.get(0).replace("'…'", "'" + PASSWORD.replace("'", "''") + "'");
    assertThat(roles).contains(PASSWORD.substring(3));
    perform("postgres", roles);
    perform("shop", "grant create on schema public to public"); // as before PostgreSQL 15
    perform(
        "shop",
        "create table orders (id bigint generated always as identity primary key, item text);"
            + "create table order_lines (id bigserial primary key, order_id bigint)");
    perform("shop", scripts.get(1));
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static List<String> blocks(String language) throws IOException {
    String page = Files.readString(PAGE);
    String section = page.substring(page.indexOf("\n## Your own PostgreSQL\n"));
    Stream<MatchResult> blocks =
        Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
            .matcher(section)
            .results();
    return blocks.map(it -> it.group(1)).toList();
  }

  /** Performs each statement separately, as psql does. */
  private static void perform(String database, String script) throws SQLException {
    try (Connection connection = server.getDatabase("postgres", database).getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : script.replaceAll("--.*", "").split(";")) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
    }
  }

  private ConfigurableApplicationContext start(Map<String, Object> variables, String... arguments)
      throws IOException {
    String yaml = blocks("yaml").getFirst();
    assertThat(yaml).contains("localhost:5432");
    Path file =
        Files.writeString(
            files.resolve("application.yaml"),
            yaml.replace("localhost:5432", "127.0.0.1:" + server.getPort()));
    return new SpringApplicationBuilder(Application.class)
        .environment(
            new StandardEnvironment() {
              @Override
              public Map<String, Object> getSystemEnvironment() {
                return variables;
              }
            })
        .web(WebApplicationType.NONE)
        .properties(
            "spring.config.location=file:" + file, "forebay.data=" + directory.resolve("forebay"))
        .run(arguments);
  }

  private static void sendsAStatementAndGetsItsResult(ConfigurableApplicationContext context)
      throws Exception {
    StatementClient client = context.getBean(StatementClient.class);
    assertThat(
            client.executeUpdate("insert into orders (item) values (?)", "tea").get(120, SECONDS))
        .isOne();
    assertThat(
            client
                .executeUpdate("insert into order_lines (order_id) values (?)", 1)
                .get(120, SECONDS))
        .isOne();
    assertThat(
            client
                .executeQuery("select distinct item from orders", Row.class)
                .get(120, SECONDS)
                .row(0)
                .get("item"))
        .isEqualTo("tea");
  }

  @Test
  void noOtherRoleCanCreateTablesInTheSchemaOfTheStatements() throws Exception {
    try (Connection connection = server.getDatabase("postgres", "shop").getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select has_schema_privilege('forebay_gateway', 'public', 'create'),"
                    + " has_schema_privilege('forebay_gateway', 'public', 'usage')")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getBoolean(1)).as("create").isFalse();
      assertThat(row.getBoolean(2)).as("usage").isTrue();
    }
  }

  @Test
  void aStatementIsPerformedWithPasswordsFromTheEnvironment() throws Exception {
    Map<String, Object> variables =
        Map.of(
            "FOREBAY_GATEWAYS_SHOP_DATASOURCE_PASSWORD", PASSWORD,
            "FOREBAY_GATEWAYS_SHOP_OWNER_PASSWORD", PASSWORD);
    try (ConfigurableApplicationContext context = start(variables)) {
      sendsAStatementAndGetsItsResult(context);
    }
  }

  @Test
  void aStatementIsPerformedWithPasswordsFromFiles() throws Exception {
    Path secrets = Files.createDirectory(files.resolve("secrets"));
    for (String role : List.of("datasource", "owner")) {
      Files.writeString(
          secrets.resolve("forebay.gateways.shop." + role + ".password"), PASSWORD + "\n");
    }
    Map<String, Object> variables = Map.of("SPRING_CONFIG_IMPORT", "configtree:" + secrets + "/");
    try (ConfigurableApplicationContext context = start(variables)) {
      sendsAStatementAndGetsItsResult(context);
    }
  }

  @Test
  void aWrongPasswordIsRetriedAndNotShown() throws Exception {
    Map<String, Object> variables =
        Map.of(
            "FOREBAY_GATEWAYS_SHOP_DATASOURCE_PASSWORD",
            "a wrong one",
            "FOREBAY_GATEWAYS_SHOP_OWNER_PASSWORD",
            PASSWORD);
    try (ConfigurableApplicationContext context = start(variables)) {
      JDBCService shop = context.getBean(JDBCService.class);
      await().until(() -> shop.state().phase() == Phase.WAITING);
      assertThat(shop.state().reason()).contains("28P01").doesNotContain("a wrong one");
    }
  }
}
