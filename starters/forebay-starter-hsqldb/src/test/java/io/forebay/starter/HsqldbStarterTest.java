/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.Row;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with exactly the dependencies of this starter. */
class HsqldbStarterTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @TempDir Path directory;

  private ConfigurableApplicationContext start(String... more) {
    return new SpringApplicationBuilder(Application.class)
        .properties("forebay.data=" + directory.resolve("data"))
        .run(more);
  }

  @Test
  void aGatewayPerformsStatementsOnTheEmbeddedDatabase() throws Exception {
    try (ConfigurableApplicationContext application = start("--forebay.default-gateway=main")) {
      assertThat(
              application
                  .getBean(StatementClient.class)
                  .executeQuery("values (1)", Row.class)
                  .get(60, SECONDS)
                  .size())
          .isOne();
      assertThat(application.getBeanProvider(StatementCatalogue.class)).hasSize(1);
      assertThat(LoggerFactory.getLogger("com.zaxxer.hikari.pool.PoolBase").isInfoEnabled())
          .as("lines about timeouts that HSQLDB does not have")
          .isFalse();
    }
  }

  @Test
  void withoutAGatewayThereIsNoDatabase() {
    try (ConfigurableApplicationContext application = start()) {
      assertThat(application.getBeanProvider(JDBCService.class)).isEmpty();
    }
    assertThat(directory.resolve("data")).doesNotExist();
  }
}
