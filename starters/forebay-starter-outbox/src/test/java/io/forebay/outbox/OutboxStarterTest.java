/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.jdbc.gateway.JDBCService;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with the outbox, a gateway, and migrations of its own in an empty database. */
class OutboxStarterTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @TempDir Path directory;

  @Test
  void sendsAStatementInATransactionOfSpring() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      try (ConfigurableApplicationContext application =
          new SpringApplicationBuilder(Application.class)
              .properties(
                  "forebay.data=" + directory,
                  "forebay.backend=memory",
                  "spring.datasource.url=" + postgres.url(),
                  "spring.datasource.username=forebay_owner",
                  "forebay.gateways.bills.datasource.url=" + postgres.url(),
                  "forebay.gateways.bills.datasource.username=forebay_gateway",
                  "forebay.gateways.bills.datasource.password=",
                  "forebay.gateways.bills.owner.username=forebay_owner",
                  "forebay.gateways.bills.owner.password=")
              .run()) {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        var statements =
            application.getBean(Outbox.class).calls(application.getBean(JDBCService.class));
        new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
            .executeWithoutResult(_ -> {
              jdbc.update("insert into orders values (7)");
              statements.send(it -> it.executeUpdate("insert into bill select id from orders"));
            });
        await()
            .untilAsserted(() ->
                assertThat(jdbc.queryForList("select id from bill", Long.class))
                    .containsExactly(7L));
        assertThat(jdbc.queryForList("select version from forebay_outbox_history", String.class))
            .contains("1", "2");
      }
    }
  }
}
