/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.jdbc.gateway.JDBCService;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with exactly the dependencies of this starter. */
class JdbcStarterTest {

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
  void withoutAGatewayThereIsNoDatabase() {
    try (ConfigurableApplicationContext application = start()) {
      assertThat(application.getBeanProvider(JDBCService.class)).isEmpty();
      assertThat(application.getBeanProvider(DataSource.class)).isEmpty();
    }
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void aGatewayWithoutADatabaseIsRefusedWithTheStarterToAdd() {
    assertThatThrownBy(() -> start("--forebay.gateways.orders.partitions=1"))
        .hasStackTraceContaining("gateways[orders].datasource")
        .hasStackTraceContaining("add io.forebay:forebay-starter-hsqldb");
  }
}
