/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.EmbeddedDatabaseAutoConfiguration;
import io.forebay.database.TestPostgres;
import io.forebay.operations.DataDirectory;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.system.SystemDatabase;
import io.forebay.system.SystemDatabaseAutoConfiguration;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The choice of the system database. */
class SystemDatabaseConfigurationTest {

  @TempDir Path data;

  private ApplicationContextRunner with(String... properties) {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                EmbeddedDatabaseAutoConfiguration.class,
                GatewayAutoConfiguration.class,
                SystemDatabaseAutoConfiguration.class))
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .withBean(DataDirectory.class, () -> new DataDirectory(data))
        .withPropertyValues(properties);
  }

  private static String database(SystemDatabase system) {
    return system.ask(ask ->
        ask.sql(
                "select catalog_name from information_schema.schemata where lower(schema_name) ="
                    + " 'forebay'")
            .query(String.class)
            .single());
  }

  private static boolean hasSchema(TestPostgres postgres) throws SQLException {
    try (Connection connection = postgres.owner().getConnection();
        ResultSet schema = connection.getMetaData().getSchemas(null, "forebay")) {
      return schema.next();
    }
  }

  private static String[] roles(String prefix, TestPostgres postgres, String user) {
    return new String[] {
      "forebay." + prefix + "datasource.url=" + postgres.url(),
      "forebay." + prefix + "datasource.username=" + user,
      "forebay." + prefix + "datasource.password=",
      "forebay." + prefix + "owner.url=" + postgres.url(),
      "forebay." + prefix + "owner.username=forebay_owner",
      "forebay." + prefix + "owner.password=",
    };
  }

  @Test
  void isTheEmbeddedDatabaseIfTheFirstGatewayUsesIt() {
    with("forebay.default-gateway=main")
        .run(context ->
            assertThat(database(context.getBean(SystemDatabase.class))).isEqualTo("PUBLIC"));
  }

  @Test
  void isMissingWithoutGatewayAndJob() {
    with().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SystemDatabase.class));
  }

  @Test
  void isTheDatabaseOfTheFirstGateway() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      with(roles("gateways.main.", postgres, "forebay_gateway"))
          .run(context ->
              assertThat(database(context.getBean(SystemDatabase.class)))
                  .isEqualTo(postgres.database()));
    }
  }

  @Test
  void isTheConfiguredDatabaseAndUsesTheConfiguredRole() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      with(roles("system.", postgres, "forebay_gateway"))
          .run(context -> {
            SystemDatabase system = context.getBean(SystemDatabase.class);
            assertThat(
                    system.<String>ask(
                        ask -> ask.sql("select current_user").query(String.class).single()))
                .isEqualTo("forebay_gateway");
            assertThat(hasSchema(postgres)).isTrue();
          });
    }
  }

  @Test
  void isNotOpenedUntilItIsUsed() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      with(roles("system.", postgres, "forebay_gateway"))
          .run(context -> assertThat(hasSchema(postgres)).isFalse());
    }
  }
}
